//! The client: a plugin's open devices. It compiles programs and moves host data to devices.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use crate::abi::{self, Entry, PJRT_Client, PJRT_Program};
use crate::api::{self, Api, call};
use crate::buffer::Buffer;
use crate::buffer_type::BufferType;
use crate::call_on_drop::CallOnDrop;
use crate::compile_options::CompileOptions;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::executable::Executable;
use crate::fork::ProcessMark;
use crate::option_value::{self, OptionValue};
use crate::plugin::Plugin;
use crate::quirks::Quirks;
use crate::topology::Topology;

/// Open devices of a plugin. Cloning is two reference counts. The plugin's client is closed when the last client,
/// device, buffer, executable and event is gone.
///
/// Send + Sync: PJRT client entry points are thread safe, and the Rust side is immutable.
#[derive(Clone)]
pub struct Client {
    inner: Arc<ClientInner>,
    // Not in `inner`: devices hold `inner`, and a cycle would never be freed.
    devices: Arc<[Device]>,
    addressable_devices: Arc<[Device]>,
}

/// What buffers, executables and events keep alive.
pub(crate) struct ClientInner {
    raw: NonNull<PJRT_Client>,
    plugin: Plugin,
    quirks: &'static Quirks,
    platform_name: String,
    platform_version: String,
    process_index: i32,
    process: ProcessMark,
    default_compile_options: OnceLock<CompileOptions>,
}

// SAFETY: PJRT clients may be used from any thread.
unsafe impl Send for ClientInner {}
// SAFETY: as above.
unsafe impl Sync for ClientInner {}

impl Client {
    pub(crate) fn create(plugin: &Plugin, options: &[(&str, OptionValue)]) -> Result<Self> {
        plugin.quirks().check_client_options(options)?;
        let process = plugin.start()?;
        let api = plugin.api();
        let named_values = option_value::to_named_values(options);
        // SAFETY: the named values point into `options`, which outlives the call.
        let raw =
            unsafe { call!(api, PJRT_Client_Create_Args { create_options: named_values.as_ptr(), num_options: named_values.len() }) }?
                .client;
        let raw = NonNull::new(raw).ok_or_else(|| Error::Plugin {
            entry: Entry::PJRT_Client_Create.name(),
            code: crate::error::ErrorCode::Internal,
            message: "the plugin reported success but returned no client".to_owned(),
        })?;
        let client = raw.as_ptr();
        // SAFETY: the client is live, and its texts live as long as it does.
        let (platform_name, platform_version, process_index) = unsafe {
            (
                call!(api, PJRT_Client_PlatformName_Args { client: client })
                    .map(|args| api::text(args.platform_name, args.platform_name_size)),
                call!(api, PJRT_Client_PlatformVersion_Args { client: client })
                    .map(|args| api::text(args.platform_version, args.platform_version_size)),
                call!(api, PJRT_Client_ProcessIndex_Args { client: client }).map_or(0, |args| args.process_index),
            )
        };
        let platform_name = platform_name.unwrap_or_default();
        let inner = Arc::new(ClientInner {
            raw,
            plugin: plugin.clone(),
            quirks: plugin.quirks().or_of_platform(&platform_name),
            platform_name,
            platform_version: platform_version.unwrap_or_default(),
            process_index,
            process,
            default_compile_options: OnceLock::new(),
        });
        // SAFETY: the client is live, and the lists belong to it.
        let (devices, addressable_devices) = unsafe {
            let all = call!(api, PJRT_Client_Devices_Args { client: client })?;
            let addressable = call!(api, PJRT_Client_AddressableDevices_Args { client: client })?;
            (
                inner.read_devices(all.devices, all.num_devices)?,
                inner.read_devices(addressable.addressable_devices, addressable.num_addressable_devices)?,
            )
        };
        Ok(Self { inner, devices, addressable_devices })
    }

    /// Short name, such as `cpu` or `tpu`.
    pub fn platform_name(&self) -> &str {
        &self.inner.platform_name
    }

    /// The plugin's words on version and build.
    pub fn platform_version(&self) -> &str {
        &self.inner.platform_version
    }

    /// Number of this process among those that share the devices.
    pub fn process_index(&self) -> i32 {
        self.inner.process_index
    }

    /// All devices, also those of other processes.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// The devices that this process can use. May be empty.
    pub fn addressable_devices(&self) -> &[Device] {
        &self.addressable_devices
    }

    /// The plugin.
    pub fn plugin(&self) -> &Plugin {
        &self.inner.plugin
    }

    /// What is special about this kind of plugin, judged by file and platform name.
    pub fn quirks(&self) -> &'static Quirks {
        self.inner.quirks
    }

    /// # Errors
    /// [`Error::ForkedProcess`] in a forked child of the process that made the client. Costs about a nanosecond.
    pub fn check_process(&self) -> Result<()> {
        self.inner.check_process()
    }

    /// The topology of this client's devices.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin has none.
    pub fn topology(&self) -> Result<Topology> {
        self.check_process()?;
        // SAFETY: the client is live. The topology belongs to it.
        unsafe {
            let answer = call!(self.inner.api(), PJRT_Client_TopologyDescription_Args { client: self.inner.as_ptr() })?;
            Topology::of_client(answer.topology, &self.inner)
        }
    }

    /// Compiles StableHLO text.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options or programs that are known to end the process, [`Error::Plugin`] if the
    /// program does not parse, verify or compile, or an option is refused.
    pub fn compile(&self, program: &str, options: &CompileOptions) -> Result<Executable> {
        self.check_process()?;
        options.check(Entry::PJRT_Client_Compile)?;
        self.inner.quirks.check_program(Entry::PJRT_Client_Compile, program)?;
        let options = options.to_bytes();
        let program = mlir_program(program);
        // SAFETY: program and options live over the call; the plugin does not write to the program's code.
        let answer = unsafe {
            call!(
                self.inner.api(),
                PJRT_Client_Compile_Args {
                    client: self.inner.as_ptr(),
                    program: &program,
                    compile_options: options.as_ptr().cast(),
                    compile_options_size: options.len(),
                }
            )
        }?;
        // SAFETY: the executable is new and ours.
        unsafe { Executable::from_raw(answer.executable, &self.inner, Entry::PJRT_Client_Compile) }
    }

    /// One replica, one partition, and the compiler options that are best for this plugin. The first call may compile a
    /// tiny program to see whether the plugin knows those options; if it does not, they are left out.
    pub fn default_compile_options(&self) -> &CompileOptions {
        self.inner.default_compile_options.get_or_init(|| {
            let preferred = CompileOptions { env_option_overrides: self.inner.quirks.compile_overrides(), ..CompileOptions::default() };
            if preferred.env_option_overrides.is_empty() {
                return preferred;
            }
            const PROBE: &str = "module { func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> } }";
            match self.compile(PROBE, &preferred) {
                Ok(_) => preferred,
                Err(error) => {
                    tracing::debug!(%error, "the plugin refuses the preferred compiler options");
                    CompileOptions::default()
                }
            }
        })
    }

    /// Loads a program that [`Executable::serialize`](crate::CompiledProgram::serialize) wrote. Plugins do not check
    /// the bytes: wrong ones can end the process, and those of another plugin version load and run. The caller must
    /// know by a checksum and a key that they are what this plugin wrote.
    ///
    /// # Errors
    /// [`Error::Plugin`] if the plugin does not accept the bytes.
    pub fn deserialize(&self, bytes: &[u8]) -> Result<Executable> {
        self.check_process()?;
        // SAFETY: the bytes live over the call.
        let answer = unsafe {
            call!(
                self.inner.api(),
                PJRT_Executable_DeserializeAndLoad_Args {
                    client: self.inner.as_ptr(),
                    serialized_executable: bytes.as_ptr().cast(),
                    serialized_executable_size: bytes.len(),
                }
            )
        }?;
        // SAFETY: the executable is new and ours.
        unsafe { Executable::from_raw(answer.loaded_executable, &self.inner, Entry::PJRT_Executable_DeserializeAndLoad) }
    }

    /// Copies dense row-major host data to a device. The data may be reused as soon as this returns.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if `data` is not `product(dims) * size` bytes long, a dimension is negative, or the
    /// plugin does not know the type; [`Error::Plugin`] otherwise, for example out of memory.
    pub fn buffer_from_host(&self, data: &[u8], element_type: BufferType, dims: &[i64], device: &Device) -> Result<Buffer> {
        self.check_transfer(data.len(), element_type, dims, device)?;
        // SAFETY: `data` has the length that type and dims ask for, and the plugin reads it during the call only.
        let (buffer, _done) = unsafe { self.send(data.as_ptr(), element_type, dims, device, abi::HOST_BUFFER_IMMUTABLE_ONLY_DURING_CALL) }?;
        Ok(buffer)
    }

    /// Makes a buffer that may use the host memory itself. `on_done` is called once when the plugin has let go of the
    /// memory: at once if it made a copy, else when the buffer is gone. It may run on a plugin thread, and it also runs
    /// if this call fails. The CPU plugin shares memory that is 64-byte aligned and copies other memory.
    ///
    /// # Errors
    /// As [`Client::buffer_from_host`].
    ///
    /// # Safety
    /// `len` bytes at `data` must be readable and unchanged until `on_done` is called.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn buffer_from_host_zero_copy(
        &self,
        data: *const u8,
        len: usize,
        element_type: BufferType,
        dims: &[i64],
        device: &Device,
        on_done: Box<dyn FnOnce() + Send>,
    ) -> Result<Buffer> {
        let on_done = CallOnDrop::new(on_done);
        self.check_transfer(len, element_type, dims, device)?;
        if data.is_null() && len > 0 {
            return Err(Error::invalid(Entry::PJRT_Client_BufferFromHostBuffer, format!("null data of {len} bytes")));
        }
        // SAFETY: length checked; the caller keeps the memory until `on_done`, which the done event triggers.
        let (buffer, done) = unsafe { self.send(data, element_type, dims, device, abi::HOST_BUFFER_IMMUTABLE_ZERO_COPY) }?;
        if let Some(done) = done {
            // If the plugin refuses the callback, `on_done` must not run before the memory is free.
            let on_done = Arc::new(parking_lot::Mutex::new(Some(on_done)));
            let in_callback = Arc::clone(&on_done);
            if let Err(error) = done.on_ready(move |_| drop(in_callback.lock().take())) {
                tracing::warn!(%error, "no callback for host memory: keeping it for ever");
                std::mem::forget(on_done.lock().take());
            }
        }
        Ok(buffer)
    }

    fn check_transfer(&self, len: usize, element_type: BufferType, dims: &[i64], device: &Device) -> Result<()> {
        self.check_process()?;
        const ENTRY: Entry = Entry::PJRT_Client_BufferFromHostBuffer;
        let minor = self.inner.plugin.api_version().1;
        if !element_type.is_transferable(minor) {
            return Err(Error::invalid(ENTRY, format!("this plugin (API 0.{minor}) takes no {element_type:?} data")));
        }
        let expected = byte_size(element_type, dims)
            .ok_or_else(|| Error::invalid(ENTRY, format!("impossible dimensions {dims:?} of {element_type:?}")))?;
        if len != expected {
            return Err(Error::invalid(ENTRY, format!("{len} bytes given, {element_type:?} of dimensions {dims:?} takes {expected}")));
        }
        if !Arc::ptr_eq(device.client(), &self.inner) {
            return Err(Error::invalid(ENTRY, format!("device {} belongs to another client", device.description())));
        }
        Ok(())
    }

    /// # Safety
    /// The data must fit type and dims and stay readable as long as `semantics` asks.
    unsafe fn send(
        &self,
        data: *const u8,
        element_type: BufferType,
        dims: &[i64],
        device: &Device,
        semantics: u32,
    ) -> Result<(Buffer, Option<Event>)> {
        // SAFETY: client and device are live, dims live over the call, the caller vouches for the data.
        let answer = unsafe {
            call!(
                self.inner.api(),
                PJRT_Client_BufferFromHostBuffer_Args {
                    client: self.inner.as_ptr(),
                    data: data.cast::<c_void>(),
                    element_type: element_type.raw(),
                    dims: dims.as_ptr(),
                    num_dims: dims.len(),
                    host_buffer_semantics: semantics,
                    device: device.as_ptr(),
                }
            )
        }?;
        const ENTRY: Entry = Entry::PJRT_Client_BufferFromHostBuffer;
        // SAFETY: event and buffer are new and ours. A plugin may leave the event out when the copy is done.
        unsafe {
            let done = match answer.done_with_host_buffer.is_null() {
                true => None,
                false => Some(Event::from_raw(answer.done_with_host_buffer, &self.inner, ENTRY)?),
            };
            Ok((Buffer::from_raw(answer.buffer, &self.inner, ENTRY)?, done))
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Client({}, {:?})", self.platform_name(), self.devices())
    }
}

/// Bytes of dense host data; `None` for a negative dimension or if the number does not fit.
pub(crate) fn byte_size(element_type: BufferType, dims: &[i64]) -> Option<usize> {
    // With a zero among the dimensions the others may be of any size.
    if dims.contains(&0) && dims.iter().all(|&dim| dim >= 0) {
        return Some(0);
    }
    let mut bytes = element_type.size_in_bytes();
    for &dim in dims {
        bytes = bytes.checked_mul(usize::try_from(dim).ok()?)?;
    }
    Some(bytes)
}

/// The C struct for StableHLO text; it points into `code`.
pub(crate) fn mlir_program(code: &str) -> PJRT_Program {
    const FORMAT: &str = "mlir";
    PJRT_Program {
        code: code.as_ptr().cast_mut().cast(),
        code_size: code.len(),
        format: FORMAT.as_ptr().cast(),
        format_size: FORMAT.len(),
        ..Default::default()
    }
}

impl ClientInner {
    pub(crate) fn api(&self) -> &Api {
        self.plugin.api()
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    pub(crate) fn quirks(&self) -> &'static Quirks {
        self.quirks
    }

    pub(crate) fn as_ptr(&self) -> *mut PJRT_Client {
        self.raw.as_ptr()
    }

    #[inline]
    pub(crate) fn check_process(&self) -> Result<()> {
        self.process.check()
    }

    /// # Safety
    /// `devices` must be a live list of `count` devices of this client.
    unsafe fn read_devices(self: &Arc<Self>, devices: *const *mut abi::PJRT_Device, count: usize) -> Result<Arc<[Device]>> {
        // SAFETY: passed on.
        unsafe { api::array(devices, count) }
            .iter()
            .filter_map(|&device| NonNull::new(device))
            // SAFETY: passed on.
            .map(|device| unsafe { Device::from_raw(device, self) })
            .collect()
    }
}

impl Drop for ClientInner {
    fn drop(&mut self) {
        if self.check_process().is_err() {
            return;
        }
        // SAFETY: the client is live, and everything made from it is gone, because it would hold this struct.
        let answer = unsafe { call!(self.api(), PJRT_Client_Destroy_Args { client: self.as_ptr() }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "a client was not destroyed");
        }
    }
}
