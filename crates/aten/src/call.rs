//! A call as torch made it, decoded into plain data: one entry per schema argument.

use std::fmt;

use stablehlo::{Dims, ElementType};

use crate::Row;

/// Shape and dtype of a tensor, without its strides: lowering works on logical arrays.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorMeta {
    pub dims: Dims,
    pub element: ElementType,
}

impl TensorMeta {
    pub fn new(element: ElementType, dims: &[i64]) -> Self {
        Self { dims: Dims::from_slice(dims), element }
    }

    /// Number of elements.
    pub fn numel(&self) -> i64 {
        self.dims.iter().product()
    }
}

impl fmt::Display for TensorMeta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.element)?;
        for (i, dim) in self.dims.iter().enumerate() {
            write!(f, "{}{dim}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

/// A number that lives on the host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HostScalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Complex(f64, f64),
}

impl HostScalar {
    /// The real part as f64; exact for integers below 2^53.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Bool(b) => f64::from(u8::from(b)),
            Self::Int(i) => i as f64,
            Self::Float(x) | Self::Complex(x, _) => x,
        }
    }

    /// The value as i64, truncated toward zero.
    pub fn as_i64(self) -> i64 {
        match self {
            Self::Bool(b) => i64::from(b),
            Self::Int(i) => i,
            Self::Float(x) | Self::Complex(x, _) => x as i64,
        }
    }

    /// The dtype category that a Python number of this kind has in type promotion.
    pub fn element(self) -> ElementType {
        match self {
            Self::Bool(_) => ElementType::I1,
            Self::Int(_) => ElementType::I64,
            Self::Float(_) => ElementType::F64,
            Self::Complex(..) => ElementType::C128,
        }
    }
}

/// A tensor argument. A 0-dim CPU tensor (or a Python number that torch wrapped) arrives as a host
/// value: it is uploaded as a program argument, so that its value does not recompile.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorArgument {
    pub meta: TensorMeta,
    /// `Some` when the value comes from the host.
    pub host: Option<ScalarArgument>,
    /// A Python number that torch wrapped into a tensor: weakest in type promotion.
    pub wrapped: bool,
    /// Row-major and dense. Lowering works on logical arrays and needs no strides, but what some ops save for
    /// their backward depends on this (`_linalg_det`).
    pub contiguous: bool,
}

/// A number argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarArgument {
    /// Baked into the program (0, 1, -1, or an argument that the row names in `baked`).
    Known(HostScalar),
    /// Varies from call to call: a program argument. The element is its Python category.
    Varies(ElementType),
}

impl ScalarArgument {
    /// The Python category of the number, as a promotion operand.
    pub fn element(self) -> ElementType {
        match self {
            Self::Known(value) => value.element(),
            Self::Varies(element) => element,
        }
    }
}

/// One argument of a call, in schema order.
#[derive(Debug, Clone, PartialEq)]
pub enum CallArgument {
    Absent,
    Tensor(TensorArgument),
    Tensors(Vec<Option<TensorArgument>>),
    Scalar(ScalarArgument),
    Scalars(Vec<ScalarArgument>),
    Int(i64),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bool(bool),
    Bools(Vec<bool>),
    Element(ElementType),
    Text(String),
}

impl CallArgument {
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Absent => "None".into(),
            Self::Tensor(t) => t.meta.to_string(),
            Self::Tensors(list) => format!("a list of {} tensors", list.len()),
            other => format!("{other:?}"),
        }
    }
}

/// What torch asked: a row of the table and its arguments.
#[derive(Debug, Clone)]
pub struct Call {
    pub row: &'static Row,
    pub arguments: Vec<CallArgument>,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.row.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match argument {
                CallArgument::Absent => f.write_str("None")?,
                CallArgument::Tensor(t) => write!(f, "{}", t.meta)?,
                CallArgument::Tensors(list) => {
                    f.write_str("[")?;
                    for (k, t) in list.iter().enumerate() {
                        let comma = if k == 0 { "" } else { ", " };
                        match t {
                            Some(t) => write!(f, "{comma}{}", t.meta)?,
                            None => write!(f, "{comma}None")?,
                        }
                    }
                    f.write_str("]")?;
                }
                CallArgument::Scalar(ScalarArgument::Known(v)) => write!(f, "{v:?}")?,
                CallArgument::Scalar(ScalarArgument::Varies(e)) => write!(f, "<{e}>")?,
                CallArgument::Scalars(list) => write!(f, "{} numbers", list.len())?,
                CallArgument::Int(v) => write!(f, "{v}")?,
                CallArgument::Ints(v) => write!(f, "{v:?}")?,
                CallArgument::Floats(v) => write!(f, "{v:?}")?,
                CallArgument::Bool(v) => write!(f, "{v}")?,
                CallArgument::Bools(v) => write!(f, "{v:?}")?,
                CallArgument::Element(e) => write!(f, "{e}")?,
                CallArgument::Text(v) => write!(f, "{v:?}")?,
            }
        }
        f.write_str(")")
    }
}
