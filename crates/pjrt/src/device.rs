//! Devices of a client and what they report.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::abi::{self, PJRT_Device, PJRT_DeviceDescription};
use crate::api::{self, Api, call};
use crate::client::ClientInner;
use crate::error::Result;
use crate::option_value::{self, OptionValue};

/// A device of a client. Cloning is two reference counts.
///
/// Send + Sync: the plugin's device object lives as long as the client and its queries are thread safe.
#[derive(Clone)]
pub struct Device {
    raw: NonNull<PJRT_Device>,
    description: Arc<DeviceDescription>,
    local_hardware_id: i32,
    is_addressable: bool,
    client: Arc<ClientInner>,
}

// SAFETY: see the type's doc.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// What is known of a device without having it: also the devices of a topology have one.
#[derive(Clone, Debug)]
pub struct DeviceDescription {
    /// Id, unique over all processes.
    pub id: i32,
    /// Process that the device belongs to.
    pub process_index: i32,
    /// Vendor's name of the kind, for example `TPU v5 lite`.
    pub kind: String,
    /// Text for people.
    pub description: String,
    /// Plugin specific attributes, for example `coords`.
    pub attributes: Vec<(String, OptionValue)>,
}

/// Memory of a device in bytes. `None`: the plugin does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// In use now.
    pub bytes_in_use: i64,
    /// Most ever in use.
    pub peak_bytes_in_use: Option<i64>,
    /// Number of allocations.
    pub num_allocs: Option<i64>,
    /// Largest single allocation.
    pub largest_alloc_size: Option<i64>,
    /// What may be allocated.
    pub bytes_limit: Option<i64>,
    /// Reserved.
    pub bytes_reserved: Option<i64>,
    /// Most ever reserved.
    pub peak_bytes_reserved: Option<i64>,
    /// What may be reserved.
    pub bytes_reservable_limit: Option<i64>,
    /// Largest free block.
    pub largest_free_block_bytes: Option<i64>,
    /// Held by the allocator's pool.
    pub pool_bytes: Option<i64>,
    /// Most ever held by the pool.
    pub peak_pool_bytes: Option<i64>,
}

impl Device {
    /// # Safety
    /// `raw` must be a live device of `client`.
    pub(crate) unsafe fn from_raw(raw: NonNull<PJRT_Device>, client: &Arc<ClientInner>) -> Result<Self> {
        let api = client.api();
        let device = raw.as_ptr();
        // SAFETY: the device is live.
        let description = unsafe { call!(api, PJRT_Device_GetDescription_Args { device: device }) }?;
        // SAFETY: the description belongs to the device.
        let description = unsafe { DeviceDescription::read(api, description.device_description) }?;
        // SAFETY: the device is live.
        let is_addressable =
            unsafe { call!(api, PJRT_Device_IsAddressable_Args { device: device }) }.map_or(true, |args| args.is_addressable);
        // SAFETY: the device is live.
        let local_hardware_id =
            unsafe { call!(api, PJRT_Device_LocalHardwareId_Args { device: device }) }.map_or(-1, |args| args.local_hardware_id);
        Ok(Self { raw, description: Arc::new(description), local_hardware_id, is_addressable, client: Arc::clone(client) })
    }

    /// Id, unique over all processes.
    pub fn id(&self) -> i32 {
        self.description.id
    }

    /// Number of the device on this machine; -1 if it has none.
    pub fn local_hardware_id(&self) -> i32 {
        self.local_hardware_id
    }

    /// Process that the device belongs to.
    pub fn process_index(&self) -> i32 {
        self.description.process_index
    }

    /// Vendor's name of the kind.
    pub fn kind(&self) -> &str {
        &self.description.kind
    }

    /// Text for people.
    pub fn description(&self) -> &str {
        &self.description.description
    }

    /// Plugin specific attributes.
    pub fn attributes(&self) -> &[(String, OptionValue)] {
        &self.description.attributes
    }

    /// Whether this process can use it.
    pub fn is_addressable(&self) -> bool {
        self.is_addressable
    }

    /// Memory in use, in bytes.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`](crate::Error::is_unimplemented) on plugins that keep no account, such as the CPU.
    pub fn memory_stats(&self) -> Result<MemoryStats> {
        self.client.check_process()?;
        // SAFETY: the device is live.
        let stats = unsafe { call!(self.client.api(), PJRT_Device_MemoryStats_Args { device: self.raw.as_ptr() }) }?;
        let known = |is_set: bool, bytes: i64| is_set.then_some(bytes);
        Ok(MemoryStats {
            bytes_in_use: stats.bytes_in_use,
            peak_bytes_in_use: known(stats.peak_bytes_in_use_is_set, stats.peak_bytes_in_use),
            num_allocs: known(stats.num_allocs_is_set, stats.num_allocs),
            largest_alloc_size: known(stats.largest_alloc_size_is_set, stats.largest_alloc_size),
            bytes_limit: known(stats.bytes_limit_is_set, stats.bytes_limit),
            bytes_reserved: known(stats.bytes_reserved_is_set, stats.bytes_reserved),
            peak_bytes_reserved: known(stats.peak_bytes_reserved_is_set, stats.peak_bytes_reserved),
            bytes_reservable_limit: known(stats.bytes_reservable_limit_is_set, stats.bytes_reservable_limit),
            largest_free_block_bytes: known(stats.largest_free_block_bytes_is_set, stats.largest_free_block_bytes),
            pool_bytes: known(stats.pool_bytes_is_set, stats.pool_bytes),
            peak_pool_bytes: known(stats.peak_pool_bytes_is_set, stats.peak_pool_bytes),
        })
    }

    /// Sets the peaks of [`Device::memory_stats`] back to what is in use now.
    ///
    /// # Errors
    /// As [`Device::memory_stats`].
    pub fn clear_memory_stats(&self) -> Result<()> {
        self.client.check_process()?;
        // SAFETY: the device is live.
        unsafe { call!(self.client.api(), PJRT_Device_ClearMemoryStats_Args { device: self.raw.as_ptr() }) }.map(drop)
    }

    pub(crate) fn as_ptr(&self) -> *mut PJRT_Device {
        self.raw.as_ptr()
    }

    pub(crate) fn client(&self) -> &Arc<ClientInner> {
        &self.client
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Device({}: {})", self.id(), self.description())
    }
}

impl PartialEq for Device {
    /// The same device of the same client.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Device {}

impl DeviceDescription {
    /// Reads all there is. Only the id is indispensable; plugins may lack the rest.
    ///
    /// # Safety
    /// `raw` must be a live device description of `api`'s plugin.
    pub(crate) unsafe fn read(api: &Api, raw: *mut PJRT_DeviceDescription) -> Result<Self> {
        // SAFETY: `raw` is live in all of these calls, and the texts live as long as it does.
        unsafe {
            let id = call!(api, PJRT_DeviceDescription_Id_Args { device_description: raw })?.id;
            let process_index =
                call!(api, PJRT_DeviceDescription_ProcessIndex_Args { device_description: raw }).map_or(0, |args| args.process_index);
            let kind = call!(api, PJRT_DeviceDescription_Kind_Args { device_description: raw })
                .map(|args| api::text(args.device_kind, args.device_kind_size))
                .unwrap_or_default();
            let description = call!(api, PJRT_DeviceDescription_ToString_Args { device_description: raw })
                .map(|args| api::text(args.to_string, args.to_string_size))
                .unwrap_or_default();
            let attributes = call!(api, PJRT_DeviceDescription_Attributes_Args { device_description: raw })
                .map(|args: abi::PJRT_DeviceDescription_Attributes_Args| {
                    option_value::from_named_values(args.attributes, args.num_attributes)
                })
                .unwrap_or_default();
            Ok(Self { id, process_index, kind, description, attributes })
        }
    }
}
