//! The view algebra: how a strided view reads and writes the dense array that a storage holds.
//! In: a `View` (PyTorch's sizes, strides, offset, dtype) and the `ValueLayout` of the storage's value.
//! Out: a `ReadPlan` or `WritePlan`, plain data computed once a signature and emitted into the consumer's program.

#![forbid(unsafe_code)]

mod bytes;
mod decompose;
mod emit;
mod error;
mod layout;
mod plan;
mod step;

pub use error::ViewError;
pub use layout::{ValueLayout, View};
pub use plan::{ReadPlan, Write, WritePlan, plan_fresh, plan_read, plan_write};
pub use step::Step;
