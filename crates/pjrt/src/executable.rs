//! Compiled programs: what the compiler says about them, and running them on devices.

use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::abi::{self, Entry, PJRT_Buffer, PJRT_Event, PJRT_Executable, PJRT_LoadedExecutable};
use crate::api::{self, Api, call};
use crate::buffer::Buffer;
use crate::buffer_type::BufferType;
use crate::client::{ClientInner, mlir_program};
use crate::compile_options::CompileOptions;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::option_value::{self, OptionValue};
use crate::plugin::Plugin;
use crate::topology::Topology;

/// A compiled program that need not be loaded on a device.
///
/// Send + Sync: its entry points are thread safe queries of an immutable object.
pub struct CompiledProgram {
    raw: NonNull<PJRT_Executable>,
    num_outputs: usize,
    plugin: Plugin,
    /// Kept for programs of a client, so that they die before it.
    _client: Option<Arc<ClientInner>>,
}

// SAFETY: see the type's doc.
unsafe impl Send for CompiledProgram {}
// SAFETY: as above.
unsafe impl Sync for CompiledProgram {}

/// The compiler's account of a program's memory on one device, in bytes. Zero also means that a plugin does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompiledMemoryStats {
    /// Machine code.
    pub generated_code: i64,
    /// Arguments.
    pub arguments: i64,
    /// Outputs.
    pub outputs: i64,
    /// Part of the outputs that shares memory with donated arguments.
    pub aliased: i64,
    /// Intermediate values.
    pub temporaries: i64,
    /// The same five for host memory.
    pub host_generated_code: i64,
    /// See `host_generated_code`.
    pub host_arguments: i64,
    /// See `host_generated_code`.
    pub host_outputs: i64,
    /// See `host_generated_code`.
    pub host_aliased: i64,
    /// See `host_generated_code`.
    pub host_temporaries: i64,
    /// Most ever in use at a time.
    pub peak: i64,
    /// Everything.
    pub total: i64,
}

/// A program as the compiler left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimizedProgram {
    /// Format of `code`, for example `hlo_with_config` (a proto) or `mlir`.
    pub format: String,
    /// The program.
    pub code: Vec<u8>,
}

impl CompiledProgram {
    /// # Safety
    /// `raw` must be null or a live executable that nothing else destroys.
    unsafe fn from_raw(raw: *mut PJRT_Executable, plugin: &Plugin, client: Option<Arc<ClientInner>>, entry: Entry) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or_else(|| Error::Plugin {
            entry: entry.name(),
            code: crate::error::ErrorCode::Internal,
            message: "the plugin reported success but returned no executable".to_owned(),
        })?;
        let mut program = Self { raw, num_outputs: 0, plugin: plugin.clone(), _client: client };
        // SAFETY: the executable is live.
        let answer = unsafe { call!(program.api(), PJRT_Executable_NumOutputs_Args { executable: raw.as_ptr() }) }?;
        program.num_outputs = answer.num_outputs;
        Ok(program)
    }

    pub(crate) fn compile_ahead_of_time(plugin: &Plugin, topology: &Topology, program: &str, options: &CompileOptions) -> Result<Self> {
        topology.check_process()?;
        options.check(Entry::PJRT_Compile)?;
        plugin.quirks().check_program(Entry::PJRT_Compile, program)?;
        let options = options.to_bytes();
        let program = mlir_program(program);
        // SAFETY: topology, program and options live over the call; the executable is new and ours.
        unsafe {
            let answer = call!(
                plugin.api(),
                PJRT_Compile_Args {
                    topology: topology.as_ptr(),
                    program: &program,
                    compile_options: options.as_ptr().cast(),
                    compile_options_size: options.len(),
                }
            )?;
            Self::from_raw(answer.executable, plugin, None, Entry::PJRT_Compile)
        }
    }

    /// Number of results of one execution on one device.
    pub fn num_outputs(&self) -> usize {
        self.num_outputs
    }

    /// Name of the module.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin keeps none.
    pub fn name(&self) -> Result<String> {
        self.check_process()?;
        // SAFETY: the executable is live, and the text belongs to it.
        unsafe {
            call!(self.api(), PJRT_Executable_Name_Args { executable: self.as_ptr() })
                .map(|args| api::text(args.executable_name, args.executable_name_size))
        }
    }

    /// Number of arguments, if the plugin can tell.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if it cannot.
    pub fn num_parameters(&self) -> Result<usize> {
        self.check_process()?;
        // SAFETY: the executable is live.
        unsafe { call!(self.api(), PJRT_Executable_ParameterMemoryKinds_Args { executable: self.as_ptr() }) }
            .map(|args| args.num_parameters)
    }

    /// The program as bytes for [`Client::deserialize`](crate::Client::deserialize), machine code included.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin cannot.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        self.check_process()?;
        // SAFETY: the executable is live. The bytes live until the deleter is called, once, below.
        unsafe {
            let answer = call!(self.api(), PJRT_Executable_Serialize_Args { executable: self.as_ptr() })?;
            let bytes = api::bytes(answer.serialized_bytes, answer.serialized_bytes_size).to_vec();
            if let Some(delete) = answer.serialized_executable_deleter {
                delete(answer.serialized_executable);
            }
            Ok(bytes)
        }
    }

    /// The compiler's account of memory.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin keeps none.
    pub fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        self.check_process()?;
        // SAFETY: the executable is live.
        let stats = unsafe { call!(self.api(), PJRT_Executable_GetCompiledMemoryStats_Args { executable: self.as_ptr() }) }?;
        Ok(CompiledMemoryStats {
            generated_code: stats.generated_code_size_in_bytes,
            arguments: stats.argument_size_in_bytes,
            outputs: stats.output_size_in_bytes,
            aliased: stats.alias_size_in_bytes,
            temporaries: stats.temp_size_in_bytes,
            host_generated_code: stats.host_generated_code_size_in_bytes,
            host_arguments: stats.host_argument_size_in_bytes,
            host_outputs: stats.host_output_size_in_bytes,
            host_aliased: stats.host_alias_size_in_bytes,
            host_temporaries: stats.host_temp_size_in_bytes,
            peak: stats.peak_memory_in_bytes,
            total: stats.total_size_in_bytes,
        })
    }

    /// The compiler's figures by name: `flops`, `bytes accessed`, `optimal_seconds`, ...
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin has none.
    pub fn cost_analysis(&self) -> Result<Vec<(String, OptionValue)>> {
        self.check_process()?;
        // SAFETY: the executable is live, and the figures belong to it.
        unsafe {
            call!(self.api(), PJRT_Executable_GetCostAnalysis_Args { executable: self.as_ptr() })
                .map(|args| option_value::from_named_values(args.properties, args.num_properties))
        }
    }

    /// The program after the compiler's optimisations.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin does not show it.
    pub fn optimized_program(&self) -> Result<OptimizedProgram> {
        self.check_process()?;
        let mut program = abi::PJRT_Program::default();
        let executable = self.as_ptr();
        // SAFETY: the executable is live; without code the call only answers with the size.
        unsafe { call!(self.api(), PJRT_Executable_OptimizedProgram_Args { executable: executable, program: &mut program }) }?;
        let mut code = vec![0_u8; program.code_size];
        program.code = code.as_mut_ptr().cast();
        // SAFETY: `code` has the size that was asked for.
        unsafe { call!(self.api(), PJRT_Executable_OptimizedProgram_Args { executable: executable, program: &mut program }) }?;
        // SAFETY: the format is a text of the executable's.
        Ok(OptimizedProgram { format: unsafe { api::text(program.format, program.format_size) }, code })
    }

    /// Bytes that identify the program. They say nothing about the plugin that compiled it.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin has none.
    pub fn fingerprint(&self) -> Result<Vec<u8>> {
        self.check_process()?;
        // SAFETY: the executable is live, and the bytes belong to it.
        unsafe {
            call!(self.api(), PJRT_Executable_Fingerprint_Args { executable: self.as_ptr() })
                .map(|args| api::bytes(args.executable_fingerprint, args.executable_fingerprint_size).to_vec())
        }
    }

    /// Element types of the results.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin does not tell.
    pub fn output_types(&self) -> Result<Vec<BufferType>> {
        self.check_process()?;
        // SAFETY: the executable is live, and the list belongs to it.
        unsafe {
            call!(self.api(), PJRT_Executable_OutputElementTypes_Args { executable: self.as_ptr() })
                .map(|args| api::array(args.output_types, args.num_output_types).iter().map(|&raw| BufferType::from_raw(raw)).collect())
        }
    }

    /// Dimensions of the results.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin does not tell.
    pub fn output_dimensions(&self) -> Result<Vec<Vec<i64>>> {
        self.check_process()?;
        // SAFETY: the executable is live. All dimensions stand in one list; the sizes say how they are cut.
        unsafe {
            let answer = call!(self.api(), PJRT_Executable_OutputDimensions_Args { executable: self.as_ptr() })?;
            let ranks = api::array(answer.dim_sizes, answer.num_outputs);
            let mut all = api::array(answer.dims, ranks.iter().sum()).iter().copied();
            Ok(ranks.iter().map(|&rank| all.by_ref().take(rank).collect()).collect())
        }
    }

    /// Bytes of machine code.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin does not tell.
    pub fn generated_code_size(&self) -> Result<i64> {
        self.check_process()?;
        // SAFETY: the executable is live.
        unsafe { call!(self.api(), PJRT_Executable_SizeOfGeneratedCodeInBytes_Args { executable: self.as_ptr() }) }
            .map(|args| args.size_in_bytes)
    }

    fn api(&self) -> &Api {
        self.plugin.api()
    }

    fn as_ptr(&self) -> *mut PJRT_Executable {
        self.raw.as_ptr()
    }

    fn check_process(&self) -> Result<()> {
        self.plugin.start().map(drop)
    }
}

impl fmt::Debug for CompiledProgram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CompiledProgram({}, {} outputs)", self.name().unwrap_or_default(), self.num_outputs)
    }
}

impl Drop for CompiledProgram {
    fn drop(&mut self) {
        if self.check_process().is_err() {
            return;
        }
        // SAFETY: the executable is live and not used again.
        let answer = unsafe { call!(self.api(), PJRT_Executable_Destroy_Args { executable: self.as_ptr() }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "a compiled program was not destroyed");
        }
    }
}

/// A program loaded on devices, ready to run. Its description is reached through [`CompiledProgram`].
///
/// Send + Sync: executing is thread safe, and the Rust side is immutable.
pub struct Executable {
    raw: NonNull<PJRT_LoadedExecutable>,
    program: CompiledProgram,
    /// `None` if the plugin cannot tell; it then checks the count itself.
    num_parameters: Option<usize>,
    execute_options_size: usize,
    client: Arc<ClientInner>,
}

// SAFETY: see the type's doc.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

/// How one execution runs. The default: no event, the program's own device, donation as the program says.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteOptions<'a> {
    /// Arguments that keep their memory although the program donates them.
    pub non_donatable: &'a [i64],
    /// Return the event of the execution's end.
    pub want_complete_event: bool,
    /// Device of a portable program, or the one that this thread launches of a program for many devices.
    pub device: Option<&'a Device>,
    /// Equal and non-zero on all devices of one launch, if they are launched from different threads.
    pub launch_id: i32,
}

/// Results of one execution on one device.
pub type Outputs = SmallVec<[Buffer; 4]>;

impl Executable {
    /// # Safety
    /// `raw` must be null or a live loaded executable of `client` that nothing else destroys.
    pub(crate) unsafe fn from_raw(raw: *mut PJRT_LoadedExecutable, client: &Arc<ClientInner>, entry: Entry) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or_else(|| client.returned_null(entry, "executable"))?;
        let loaded = Loaded { raw, client };
        // SAFETY: the loaded executable is live; its executable is a new object and ours.
        let program = unsafe {
            let answer = call!(client.api(), PJRT_LoadedExecutable_GetExecutable_Args { loaded_executable: raw.as_ptr() })?;
            CompiledProgram::from_raw(answer.executable, client.plugin(), Some(Arc::clone(client)), entry)
        }?;
        std::mem::forget(loaded);
        Ok(Self {
            raw,
            num_parameters: program.num_parameters().ok(),
            program,
            execute_options_size: abi::PJRT_ExecuteOptions::size_for(client.plugin().api_version().1),
            client: Arc::clone(client),
        })
    }

    /// Runs the program on one device. Returns as soon as the plugin has taken the work; `outputs` is emptied and then
    /// filled with buffers that may still be being computed. Donated arguments are deleted at once.
    ///
    /// Shapes and types of the arguments are not checked, not even by the plugin.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a wrong number of arguments, [`Error::Plugin`] otherwise; `outputs` is then empty
    /// and the arguments are not consumed. Errors of the computation may also come later, from the outputs.
    pub fn execute(&self, arguments: &[&Buffer], options: ExecuteOptions<'_>, outputs: &mut Outputs) -> Result<Option<Event>> {
        self.execute_from(arguments.iter().copied(), options, outputs)
    }

    /// [`Executable::execute`] for arguments that do not stand in a slice. Allocates nothing for up to 16 arguments and
    /// 8 outputs (4 if `outputs` is new).
    ///
    /// # Errors
    /// As [`Executable::execute`].
    pub fn execute_from<'a>(
        &self,
        arguments: impl ExactSizeIterator<Item = &'a Buffer>,
        options: ExecuteOptions<'_>,
        outputs: &mut Outputs,
    ) -> Result<Option<Event>> {
        outputs.clear();
        self.client.check_process()?;
        let arguments: SmallVec<[*mut PJRT_Buffer; 16]> = arguments.map(Buffer::as_ptr).collect();
        self.check_argument_count(arguments.len())?;
        let mut raw_outputs: SmallVec<[*mut PJRT_Buffer; 8]> = SmallVec::from_elem(std::ptr::null_mut(), self.program.num_outputs);
        let mut event: *mut PJRT_Event = std::ptr::null_mut();
        let mut execute_options = self.execute_options(&options);
        let argument_list = arguments.as_ptr();
        let output_list = raw_outputs.as_mut_ptr();
        // SAFETY: executable, arguments and device are live and borrowed over the call. The lists have the lengths of
        // the program's arguments and outputs; there is one of each, for the one device.
        unsafe {
            call!(
                self.client.api(),
                PJRT_LoadedExecutable_Execute_Args {
                    executable: self.raw.as_ptr(),
                    options: &mut execute_options,
                    argument_lists: &argument_list,
                    num_devices: 1,
                    num_args: arguments.len(),
                    output_lists: &output_list,
                    device_complete_events: if options.want_complete_event { &mut event } else { std::ptr::null_mut() },
                    execute_device: options.device.map_or(std::ptr::null_mut(), Device::as_ptr),
                }
            )
        }?;
        // SAFETY: the outputs and the event are new and ours.
        unsafe { self.take_outputs(&raw_outputs, outputs)? };
        if !options.want_complete_event {
            return Ok(None);
        }
        // SAFETY: as above.
        unsafe { Event::from_raw(event, &self.client, Entry::PJRT_LoadedExecutable_Execute) }.map(Some)
    }

    /// Runs a program for many replicas or partitions on all its local devices with one call. `arguments` and `outputs`
    /// have one element per device, in the order of [`Executable::addressable_device_ids`]. Returns one event a device
    /// if asked for, else none. `options.device` must be `None`.
    ///
    /// # Errors
    /// As [`Executable::execute`]; `outputs` is then empty.
    pub fn execute_on_all(&self, arguments: &[&[&Buffer]], options: ExecuteOptions<'_>, outputs: &mut Vec<Outputs>) -> Result<Vec<Event>> {
        const ENTRY: Entry = Entry::PJRT_LoadedExecutable_Execute;
        outputs.clear();
        self.client.check_process()?;
        let num_devices = arguments.len();
        let num_args = arguments.first().map_or(0, |list| list.len());
        if num_devices == 0 || arguments.iter().any(|list| list.len() != num_args) || options.device.is_some() {
            return Err(Error::invalid(ENTRY, "one equally long argument list per device is needed, and no device"));
        }
        self.check_argument_count(num_args)?;
        let lists: Vec<Vec<*mut PJRT_Buffer>> = arguments.iter().map(|list| list.iter().map(|buffer| buffer.as_ptr()).collect()).collect();
        let list_pointers: Vec<*const *mut PJRT_Buffer> = lists.iter().map(Vec::as_ptr).collect();
        let mut raw_outputs = vec![vec![std::ptr::null_mut(); self.program.num_outputs]; num_devices];
        let output_pointers: Vec<*mut *mut PJRT_Buffer> = raw_outputs.iter_mut().map(Vec::as_mut_ptr).collect();
        let mut events: Vec<*mut PJRT_Event> = vec![std::ptr::null_mut(); num_devices];
        let mut execute_options = self.execute_options(&options);
        // SAFETY: as in `execute_from`, with one list per device. The plugin refuses a wrong number of devices.
        unsafe {
            call!(
                self.client.api(),
                PJRT_LoadedExecutable_Execute_Args {
                    executable: self.raw.as_ptr(),
                    options: &mut execute_options,
                    argument_lists: list_pointers.as_ptr(),
                    num_devices: num_devices,
                    num_args: num_args,
                    output_lists: output_pointers.as_ptr(),
                    device_complete_events: if options.want_complete_event { events.as_mut_ptr() } else { std::ptr::null_mut() },
                }
            )
        }?;
        for raw in &raw_outputs {
            let mut taken = Outputs::new();
            // SAFETY: the outputs are new and ours.
            unsafe { self.take_outputs(raw, &mut taken) }?;
            outputs.push(taken);
        }
        if !options.want_complete_event {
            return Ok(Vec::new());
        }
        // SAFETY: the events are new and ours.
        events.into_iter().map(|event| unsafe { Event::from_raw(event, &self.client, ENTRY) }).collect()
    }

    /// Ids of the local devices that the program is loaded on.
    ///
    /// # Errors
    /// [`Error::is_unimplemented`] if the plugin does not tell.
    pub fn addressable_device_ids(&self) -> Result<Vec<i32>> {
        self.client.check_process()?;
        let api = self.client.api();
        // SAFETY: executable and devices are live.
        unsafe {
            let answer = call!(api, PJRT_LoadedExecutable_AddressableDevices_Args { executable: self.raw.as_ptr() })?;
            api::array(answer.addressable_devices, answer.num_addressable_devices)
                .iter()
                .map(|&device| {
                    let description = call!(api, PJRT_Device_GetDescription_Args { device: device })?;
                    let device_description = description.device_description;
                    call!(api, PJRT_DeviceDescription_Id_Args { device_description: device_description }).map(|args| args.id)
                })
                .collect()
        }
    }

    fn execute_options(&self, options: &ExecuteOptions<'_>) -> abi::PJRT_ExecuteOptions {
        abi::PJRT_ExecuteOptions {
            struct_size: self.execute_options_size,
            launch_id: options.launch_id,
            non_donatable_input_indices: options.non_donatable.as_ptr(),
            num_non_donatable_input_indices: options.non_donatable.len(),
            ..Default::default()
        }
    }

    fn check_argument_count(&self, given: usize) -> Result<()> {
        match self.num_parameters {
            Some(expected) if expected != given => {
                Err(Error::invalid(Entry::PJRT_LoadedExecutable_Execute, format!("{given} arguments given, the program takes {expected}")))
            }
            _ => Ok(()),
        }
    }

    /// # Safety
    /// The buffers must be new outputs of this client.
    #[inline]
    unsafe fn take_outputs(&self, raw_outputs: &[*mut PJRT_Buffer], outputs: &mut Outputs) -> Result<()> {
        outputs.reserve(raw_outputs.len());
        let mut outcome = Ok(());
        // All are taken, also after a null one, so that none leaks.
        for &raw in raw_outputs {
            // SAFETY: passed on.
            match unsafe { Buffer::from_raw(raw, &self.client, Entry::PJRT_LoadedExecutable_Execute) } {
                Ok(buffer) => outputs.push(buffer),
                Err(error) => outcome = Err(error),
            }
        }
        if outcome.is_err() {
            outputs.clear();
        }
        outcome
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Executable({}, {} outputs)", self.name().unwrap_or_default(), self.num_outputs)
    }
}

impl Deref for Executable {
    type Target = CompiledProgram;

    fn deref(&self) -> &CompiledProgram {
        &self.program
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        drop(Loaded { raw: self.raw, client: &self.client });
    }
}

/// Destroys a loaded executable when dropped.
struct Loaded<'a> {
    raw: NonNull<PJRT_LoadedExecutable>,
    client: &'a Arc<ClientInner>,
}

impl Drop for Loaded<'_> {
    fn drop(&mut self) {
        if self.client.check_process().is_err() {
            return;
        }
        let executable = self.raw.as_ptr();
        // SAFETY: the executable is live and not used again. Executions under way keep what they need.
        let answer = unsafe { call!(self.client.api(), PJRT_LoadedExecutable_Destroy_Args { executable: executable }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "an executable was not destroyed");
        }
    }
}
