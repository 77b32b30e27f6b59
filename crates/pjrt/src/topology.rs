//! Topologies: what kind of devices there are and how they are connected, known without having them.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::abi::{Entry, PJRT_TopologyDescription};
use crate::api::{self, call};
use crate::client::ClientInner;
use crate::device::DeviceDescription;
use crate::error::{Error, ErrorCode, Result};
use crate::option_value::{self, OptionValue};
use crate::plugin::Plugin;

/// A set of devices to compile for.
///
/// Send + Sync: its entry points are thread safe queries of an immutable object.
pub struct Topology {
    raw: NonNull<PJRT_TopologyDescription>,
    plugin: Plugin,
    /// Set if the topology belongs to a client and dies with it.
    client: Option<Arc<ClientInner>>,
}

// SAFETY: see the type's doc.
unsafe impl Send for Topology {}
// SAFETY: as above.
unsafe impl Sync for Topology {}

impl Topology {
    pub(crate) fn create(plugin: &Plugin, name: &str, options: &[(&str, OptionValue)]) -> Result<Self> {
        plugin.start()?;
        let named_values = option_value::to_named_values(options);
        // SAFETY: name and named values live over the call.
        let answer = unsafe {
            call!(
                plugin.api(),
                PJRT_TopologyDescription_Create_Args {
                    topology_name: name.as_ptr().cast(),
                    topology_name_size: name.len(),
                    create_options: named_values.as_ptr(),
                    num_options: named_values.len(),
                }
            )
        }?;
        Self::from_raw(answer.topology, plugin, None)
    }

    /// # Safety
    /// `raw` must be the topology of `client`.
    pub(crate) unsafe fn of_client(raw: *mut PJRT_TopologyDescription, client: &Arc<ClientInner>) -> Result<Self> {
        Self::from_raw(raw, client.plugin(), Some(Arc::clone(client)))
    }

    fn from_raw(raw: *mut PJRT_TopologyDescription, plugin: &Plugin, client: Option<Arc<ClientInner>>) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or_else(|| Error::Plugin {
            entry: Entry::PJRT_TopologyDescription_Create.name(),
            code: ErrorCode::Internal,
            message: "the plugin reported success but returned no topology".to_owned(),
        })?;
        Ok(Self { raw, plugin: plugin.clone(), client })
    }

    /// Short name of the platform, such as `tpu`.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin does not tell.
    pub fn platform_name(&self) -> Result<String> {
        self.check_process()?;
        // SAFETY: the topology is live, and the text belongs to it.
        unsafe {
            call!(self.plugin.api(), PJRT_TopologyDescription_PlatformName_Args { topology: self.as_ptr() })
                .map(|args| api::text(args.platform_name, args.platform_name_size))
        }
    }

    /// The devices.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin does not tell.
    pub fn devices(&self) -> Result<Vec<DeviceDescription>> {
        self.check_process()?;
        let api = self.plugin.api();
        // SAFETY: the topology is live, and the descriptions belong to it.
        unsafe {
            let answer = call!(api, PJRT_TopologyDescription_GetDeviceDescriptions_Args { topology: self.as_ptr() })?;
            api::array(answer.descriptions, answer.num_descriptions)
                .iter()
                .map(|&description| DeviceDescription::read(api, description))
                .collect()
        }
    }

    /// Plugin specific attributes.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin does not tell.
    pub fn attributes(&self) -> Result<Vec<(String, OptionValue)>> {
        self.check_process()?;
        // SAFETY: the topology is live, and the attributes belong to it.
        unsafe {
            call!(self.plugin.api(), PJRT_TopologyDescription_Attributes_Args { topology: self.as_ptr() })
                .map(|args| option_value::from_named_values(args.attributes, args.num_attributes))
        }
    }

    /// Bytes that name the topology, for a cache key.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin cannot.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        self.check_process()?;
        // SAFETY: the topology is live. The bytes live until the deleter is called, once, below.
        unsafe {
            let answer = call!(self.plugin.api(), PJRT_TopologyDescription_Serialize_Args { topology: self.as_ptr() })?;
            let bytes = api::bytes(answer.serialized_bytes, answer.serialized_bytes_size).to_vec();
            if let Some(delete) = answer.serialized_topology_deleter {
                delete(answer.serialized_topology);
            }
            Ok(bytes)
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut PJRT_TopologyDescription {
        self.raw.as_ptr()
    }

    pub(crate) fn check_process(&self) -> Result<()> {
        self.plugin.start().map(drop)
    }
}

impl fmt::Debug for Topology {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Topology({})", self.platform_name().unwrap_or_default())
    }
}

impl Drop for Topology {
    fn drop(&mut self) {
        if self.client.is_some() {
            return;
        }
        // SAFETY: the topology is live, ours, and not used again.
        let answer = unsafe { call!(self.plugin.api(), PJRT_TopologyDescription_Destroy_Args { topology: self.as_ptr() }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "a topology was not destroyed");
        }
    }
}
