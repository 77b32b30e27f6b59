//! A typed StableHLO builder and its text printer.
//!
//! In: calls on [`FuncBuilder`] and [`Value`], checked against the StableHLO specification as they are appended.
//! Out: a [`Func`], plain data that prints as an MLIR module. The first type error sticks and `finish` returns it.
#![forbid(unsafe_code)]

mod attribute;
mod builder;
mod element;
mod error;
mod func;
mod literal;
mod ops;
mod print;
mod types;

pub use attribute::Attribute;
pub use builder::{FuncBuilder, Value};
pub use element::ElementType;
pub use error::{Error, Location};
pub use func::Func;
pub use literal::Literal;
pub use ops::control::{BackendConfig, CustomCall, OutputOperandAlias};
pub use ops::elementwise::{CompareType, Direction};
pub use ops::indexing::{GatherDims, ScatterDims};
pub use ops::linear::{Conv, DotDims, FftKind, Precision, Transpose};
pub use ops::random::RngAlgorithm;
pub use ops::reduce::{ReduceWindow, SelectAndScatter};
pub use types::{Dims, TensorType};
