//! The words in which the glue writes a call: decoded into an `aten::Call` when a signature is new.
//!
//! Word 0 is the default dtype, and above it torch's float32 matmul precision. Then one item per schema argument: its kind in the low byte, a payload above,
//! and the words that the kind asks for. `csrc/encode.cpp` is the other half.

use aten::{CallArgument, HostScalar, ScalarArgument, TensorArgument, TensorMeta};
use smallvec::SmallVec;
use stablehlo::{Dims, ElementType, Precision};
use view::View;

use crate::dtype::element_of_scalar_type;
use crate::{Error, Result};

pub(crate) mod kind {
    pub const ABSENT: u64 = 0;
    pub const TENSOR: u64 = 1;
    pub const HOST_TENSOR: u64 = 2;
    pub const SCALAR: u64 = 3;
    pub const INT: u64 = 4;
    pub const BOOL: u64 = 5;
    pub const INTS: u64 = 6;
    pub const FLOATS: u64 = 7;
    pub const BOOLS: u64 = 8;
    pub const TENSORS: u64 = 9;
    pub const SCALARS: u64 = 10;
    pub const TEXT: u64 = 11;
    pub const DTYPE: u64 = 12;
}

const CONTIGUOUS: u64 = 1 << 24;
const WRAPPED: u64 = 1 << 16;
const KNOWN: u64 = 1 << 17;

/// One decoded schema argument, with the views of its device tensors in order.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub argument: CallArgument,
    pub views: Vec<View>,
}

/// A decoded call.
pub(crate) struct DecodedCall {
    pub default_float: ElementType,
    /// What `torch.set_float32_matmul_precision` says.
    pub precision: Precision,
    pub arguments: Vec<Decoded>,
}

pub(crate) fn decode(words: &[u64]) -> Result<DecodedCall> {
    let mut reader = Reader { words, at: 0 };
    let global = reader.next()?;
    let default_float = reader.element(global & 0xff)?;
    let precision = match (global >> 8) & 0xff {
        0 => Precision::Highest,
        1 => Precision::High,
        _ => Precision::Default,
    };
    let mut arguments = Vec::new();
    while reader.at < words.len() {
        let mut views = Vec::new();
        let argument = reader.argument(&mut views)?;
        arguments.push(Decoded { argument, views });
    }
    Ok(DecodedCall { default_float, precision, arguments })
}

/// Which of the words are storage offsets, in the order of the device tensors.
pub(crate) fn offset_positions(words: &[u64]) -> SmallVec<[usize; 6]> {
    let mut positions = SmallVec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let payload = word >> 8;
        at += 1;
        let known = |category: u64| if word & KNOWN == 0 { 0 } else { 1 + usize::from(category == 3) };
        at += match word & 0xff {
            kind::TENSOR => {
                positions.push(at);
                let rank = ((word >> 16) & 0xff) as usize;
                1 + if word & CONTIGUOUS != 0 { rank } else { 2 * rank }
            }
            kind::HOST_TENSOR => known(element_of_scalar_type((payload & 0xff) as i32).map_or(0, category)),
            kind::SCALAR => known(payload & 0xff),
            kind::INT => 1,
            kind::INTS | kind::FLOATS | kind::BOOLS => payload as usize,
            kind::TEXT => payload.div_ceil(8) as usize,
            // Nothing more, or a list, whose entries are written as arguments are.
            _ => 0,
        };
    }
    positions
}

struct Reader<'w> {
    words: &'w [u64],
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<u64> {
        let word = self.words.get(self.at).copied().ok_or_else(|| Error::internal("a call's words end early"))?;
        self.at += 1;
        Ok(word)
    }

    fn ints(&mut self, count: usize) -> Result<Vec<i64>> {
        (0..count).map(|_| self.next().map(|w| w as i64)).collect()
    }

    fn element(&self, scalar_type: u64) -> Result<ElementType> {
        element_of_scalar_type(scalar_type as i32).ok_or_else(|| Error::Dtype { dtype: format!("dtype number {scalar_type}") })
    }

    fn argument(&mut self, views: &mut Vec<View>) -> Result<CallArgument> {
        let word = self.next()?;
        let payload = word >> 8;
        Ok(match word & 0xff {
            kind::ABSENT => CallArgument::Absent,
            kind::TENSOR | kind::HOST_TENSOR => CallArgument::Tensor(self.tensor(word, views)?),
            kind::SCALAR => CallArgument::Scalar(self.scalar(word)?),
            kind::INT => CallArgument::Int(self.next()? as i64),
            kind::BOOL => CallArgument::Bool(payload != 0),
            kind::INTS => CallArgument::Ints(self.ints(payload as usize)?),
            kind::FLOATS => CallArgument::Floats(self.ints(payload as usize)?.into_iter().map(|w| f64::from_bits(w as u64)).collect()),
            kind::BOOLS => CallArgument::Bools(self.ints(payload as usize)?.into_iter().map(|w| w != 0).collect()),
            kind::TENSORS => {
                let mut list = Vec::with_capacity(payload as usize);
                for _ in 0..payload {
                    let word = self.next()?;
                    list.push(if word & 0xff == kind::ABSENT { None } else { Some(self.tensor(word, views)?) });
                }
                CallArgument::Tensors(list)
            }
            kind::SCALARS => {
                let mut list = Vec::with_capacity(payload as usize);
                for _ in 0..payload {
                    let word = self.next()?;
                    list.push(self.scalar(word)?);
                }
                CallArgument::Scalars(list)
            }
            kind::TEXT => {
                let mut bytes = Vec::with_capacity(payload as usize);
                for _ in 0..payload.div_ceil(8) {
                    bytes.extend_from_slice(&self.next()?.to_le_bytes());
                }
                bytes.truncate(payload as usize);
                CallArgument::Text(String::from_utf8_lossy(&bytes).into_owned())
            }
            kind::DTYPE => CallArgument::Element(self.element(payload)?),
            other => return Err(Error::internal(format!("unknown argument kind {other}"))),
        })
    }

    fn tensor(&mut self, word: u64, views: &mut Vec<View>) -> Result<TensorArgument> {
        let element = self.element((word >> 8) & 0xff)?;
        if word & 0xff == kind::HOST_TENSOR {
            let host =
                if word & KNOWN != 0 { ScalarArgument::Known(self.known(category(element))?) } else { ScalarArgument::Varies(element) };
            let meta = TensorMeta { dims: Dims::new(), element };
            return Ok(TensorArgument { meta, host: Some(host), wrapped: word & WRAPPED != 0, contiguous: true });
        }
        let rank = ((word >> 16) & 0xff) as usize;
        let offset = self.next()? as i64;
        let sizes = Dims::from_vec(self.ints(rank)?);
        let strides = if word & CONTIGUOUS != 0 { View::contiguous(&sizes, element).strides } else { Dims::from_vec(self.ints(rank)?) };
        let view = View { sizes: sizes.clone(), strides, offset, element };
        let contiguous = view.is_contiguous();
        views.push(view);
        Ok(TensorArgument { meta: TensorMeta { dims: sizes, element }, host: None, wrapped: false, contiguous })
    }

    fn scalar(&mut self, word: u64) -> Result<ScalarArgument> {
        let number = (word >> 8) & 0xff;
        if word & KNOWN != 0 {
            return Ok(ScalarArgument::Known(self.known(number)?));
        }
        Ok(ScalarArgument::Varies(match number {
            0 => ElementType::I1,
            1 => ElementType::I64,
            2 => ElementType::F64,
            _ => ElementType::C128,
        }))
    }

    fn known(&mut self, number: u64) -> Result<HostScalar> {
        let first = self.next()?;
        Ok(match number {
            0 => HostScalar::Bool(first != 0),
            1 => HostScalar::Int(first as i64),
            2 => HostScalar::Float(f64::from_bits(first)),
            _ => HostScalar::Complex(f64::from_bits(first), f64::from_bits(self.next()?)),
        })
    }
}

/// How numbers of a dtype are written: 0 bool, 1 int, 2 double, 3 complex.
fn category(element: ElementType) -> u64 {
    if element.is_complex() {
        3
    } else if element.is_float() {
        2
    } else {
        u64::from(!element.is_bool())
    }
}
