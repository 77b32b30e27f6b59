//! Attribute values of an op, as plain data.

use std::borrow::Cow;

use crate::literal::Bits;
use crate::{Dims, TensorType};

/// An attribute of an op or an entry of a typed `backend_config`.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Bool(bool),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    String(String),
    /// `array<i64: ...>`.
    I64Array(Dims),
    /// `array<f64: ...>`.
    F64Array(Vec<f64>),
    /// `array<i1: ...>`.
    BoolArray(Vec<bool>),
    Dictionary(Vec<(String, Attribute)>),
    /// MLIR text, printed as it is.
    Text(Cow<'static, str>),
    /// `#stablehlo<kind CASE>`.
    Enum(&'static str, &'static str),
    /// `dense<[[low, high], ...]> : tensor<nx2xi64>`.
    Padding(Vec<(i64, i64)>),
    #[doc(hidden)]
    Constant(Constant),
}

/// The value of a `stablehlo.constant`.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub(crate) ty: TensorType,
    pub(crate) data: ConstantData,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConstantData {
    Splat(Bits),
    Dense(Vec<Bits>),
}

impl From<&[i64]> for Attribute {
    fn from(values: &[i64]) -> Self {
        Attribute::I64Array(Dims::from_slice(values))
    }
}

impl From<i64> for Attribute {
    fn from(value: i64) -> Self {
        Attribute::I64(value)
    }
}

impl From<bool> for Attribute {
    fn from(value: bool) -> Self {
        Attribute::Bool(value)
    }
}

impl From<&str> for Attribute {
    fn from(value: &str) -> Self {
        Attribute::String(value.to_owned())
    }
}
