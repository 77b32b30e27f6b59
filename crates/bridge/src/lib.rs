//! The extension module: the C functions that the C++ glue calls, and the Python functions of `torch_pjrt._C`.
//! No policy and no op names here.

mod abi;
mod call_site;
mod failure;
mod graph;
mod host_kernel;
mod logging;
mod python;
mod runtime;
