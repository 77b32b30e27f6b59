//! The op table: what each ATen overload computes, written as StableHLO.
//!
//! A [`Call`] says what torch asked, a [`Row`] what the table knows about that overload, and
//! [`Lowering`] is what a row's rule sees while it appends to a StableHLO function.
//! Pure: no torch, no PJRT, no I/O.

#![forbid(unsafe_code)]

mod call;
mod error;
mod host_kernel;
mod lowering;
mod promote;
mod row;
pub mod rows;
mod table;

pub use call::{Call, CallArgument, HostScalar, ScalarArgument, TensorArgument, TensorMeta};
pub use error::LowerError;
pub use host_kernel::{
    HOST_KERNEL_CALL, HOST_KERNEL_ELEMENTS, HOST_KERNEL_TARGET, HostArgument, HostOperand, HostResult, host_kernel_parts, parts_of,
    split_into,
};
pub use lowering::{Check, Environment, Exception, HostKernels, Lowered, Lowering, ScalarParameter, Target};
pub use promote::{compute_element, promote, result_element};
pub use row::{Infer, Row, Rule};
pub use table::{find, table};
