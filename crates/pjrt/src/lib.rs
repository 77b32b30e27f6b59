//! Safe client of the PJRT C API: a plugin's shared library goes in; typed clients, programs, buffers and events come
//! out. One file per PJRT object; `abi` declares the C structs, `quirks` knows what is special about each plugin.

pub mod abi;
mod api;
mod buffer;
mod buffer_type;
mod call_on_drop;
mod client;
mod compile_options;
mod device;
pub mod discover;
mod error;
mod event;
mod executable;
mod ffi;
mod fork;
mod host_destination;
mod host_kernel;
mod malloc;
mod option_value;
mod plugin;
mod quirks;
mod topology;

pub use buffer::Buffer;
pub use buffer_type::BufferType;
pub use client::Client;
pub use compile_options::{CompileOptions, OptionOverride};
pub use device::{Device, DeviceDescription, MemoryStats};
pub use discover::discover;
pub use error::{Error, ErrorCode, Result};
pub use event::Event;
pub use executable::{CompiledMemoryStats, CompiledProgram, Executable, ExecuteOptions, OptimizedProgram, Outputs};
pub use host_destination::HostDestination;
pub use host_kernel::{HostArray, HostCall, HostKernel, host_has_bfloat16_products};
pub use malloc::tune_process_malloc;
pub use option_value::{OptionKind, OptionValue};
pub use plugin::{ExtensionType, Plugin};
pub use quirks::{ClientOption, PluginKind, Quirks};
pub use topology::Topology;
