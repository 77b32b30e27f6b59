//! Reductions of consecutive segments along one dimension, given by their lengths or by where they start.
//! Every element is compared with every segment: there are few segments.

use stablehlo::{ElementType, Value};

use super::cumulative::scan;
use crate::lowering::wrap_dim;
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::segment_reduce", segment_reduce).infer(Infer::Rule(|call| {
        let data = tensor(call, 0)?;
        let (segments, axis) = match (tensor(call, 2), tensor(call, 4)) {
            (Ok(lengths), _) => (lengths.dims.last().copied().unwrap_or(0), lengths.dims.len() - 1),
            (_, Ok(offsets)) => (offsets.dims.last().map_or(0, |count| count - 1), offsets.dims.len() - 1),
            _ => return Err(LowerError::unsupported("segments without lengths or offsets")),
        };
        let mut dims = data.dims.clone();
        dims[axis] = segments;
        Ok(vec![Some(TensorMeta { dims, element: data.element })])
    })),
    Row::custom("aten::_segment_reduce_backward", segment_reduce_backward)
        .infer(Infer::Rule(|call| Ok(vec![Some(tensor(call, 2)?.clone())]))),
];

fn tensor(call: &Call, index: usize) -> Result<&TensorMeta, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(tensor)) => Ok(&tensor.meta),
        _ => Err(LowerError::unsupported(format!("argument {index} is not a tensor"))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
    Prod,
}

impl Reduction {
    fn read(name: &str) -> Result<Self, LowerError> {
        Ok(match name {
            "sum" => Self::Sum,
            "mean" => Self::Mean,
            "max" => Self::Max,
            "min" => Self::Min,
            "prod" => Self::Prod,
            other => return Err(LowerError::refused(format!("Unsupported reduction given: {other}"))),
        })
    }

    fn neutral(self) -> f64 {
        match self {
            Self::Sum | Self::Mean => 0.0,
            Self::Max => f64::NEG_INFINITY,
            Self::Min => f64::INFINITY,
            Self::Prod => 1.0,
        }
    }
}

/// Which element is in which segment. Data is `[outer, elements, inner]`, results `[outer, segments, inner]`.
struct Segments<'f> {
    /// `[outer, segments, elements, inner]`, of booleans.
    holds: Value<'f>,
    /// Elements of each segment: `[outer, segments, inner]`.
    length: Value<'f>,
    /// Dims of `holds`.
    full: [i64; 4],
}

impl<'f> Segments<'f> {
    fn read(cx: &Lowering<'f, '_>, data: &[i64], lengths: usize, offsets: usize, axis: usize) -> Result<Self, LowerError> {
        let axis = wrap_dim(cx.int(axis)?, data.len()) as usize;
        let (outer, elements) = (data[..axis].iter().product::<i64>(), data[axis]);
        let inner: i64 = data[axis + 1..].iter().product();
        let (first, end) = if let Some(lengths) = cx.optional_tensor(lengths)? {
            let segments = lengths.dims().last().copied().unwrap_or(0);
            let lengths = lengths.convert(ElementType::I64).reshape(&[outer, segments]);
            let sums = scan(&[lengths], 1, &|earlier, later| vec![earlier[0] + later[0]]);
            let end = sums.first().copied().unwrap_or(lengths);
            (end - lengths, end)
        } else {
            let offsets = cx.operand(offsets, ElementType::I64)?;
            let bounds = offsets.dims().last().copied().unwrap_or(1);
            let offsets = offsets.reshape(&[outer, bounds]);
            (offsets.slice_dim(1, 0, bounds - 1), offsets.slice_dim(1, 1, bounds))
        };
        let full = [outer, first.dims()[1], elements, inner];
        let (spread, place) = (|bound: Value<'f>| bound.broadcast_in_dim(&full, &[0, 1]), cx.func.iota(ElementType::I64, &full, 2));
        let holds = place.ge(spread(first)) & place.lt(spread(end));
        let length = (end - first).broadcast_in_dim(&[outer, full[1], inner], &[0, 1]);
        Ok(Self { holds, length, full })
    }

    /// Data at every segment, `other` where the segment does not hold the element.
    fn spread(&self, data: Value<'f>, other: f64) -> Value<'f> {
        let spread = data.broadcast_in_dim(&self.full, &[0, 2, 3]);
        self.holds.select(spread, spread.like(other))
    }

    fn flat(&self, data: Value<'f>) -> Value<'f> {
        data.reshape(&[self.full[0], self.full[2], self.full[3]])
    }

    fn reduce(&self, data: Value<'f>, reduction: Reduction) -> Value<'f> {
        let spread = self.spread(data, reduction.neutral());
        match reduction {
            Reduction::Sum | Reduction::Mean => spread.reduce_add(&[2]),
            Reduction::Prod => spread.reduce_mul(&[2]),
            Reduction::Max | Reduction::Min => {
                let reduced = if reduction == Reduction::Max { spread.reduce_max(&[2]) } else { spread.reduce_min(&[2]) };
                let not_a_number = (self.holds & spread.ne(spread)).reduce_or(&[2]);
                not_a_number.select(reduced.like(f64::NAN), reduced)
            }
        }
    }

    /// A value of each segment for the element in it: summed over the one segment that holds it.
    fn of_segment(&self, value: Value<'f>) -> Value<'f> {
        let spread = value.broadcast_in_dim(&self.full, &[0, 1, 3]);
        self.holds.select(spread, spread.like(0.0)).reduce_add(&[1])
    }
}

/// Arguments: data, reduction, lengths, indices, offsets, axis, unsafe, initial.
fn segment_reduce<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let data = cx.operand(0, compute_element(cx.meta(0)?.element))?;
    let reduction = Reduction::read(cx.text(1)?)?;
    let segments = Segments::read(cx, &data.dims(), 2, 4, 5)?;
    let mut result = segments.reduce(segments.flat(data), reduction);
    let given = cx.is_present(7);
    if given {
        let initial = cx.scalar_like(7, result)?;
        result = match reduction {
            Reduction::Sum | Reduction::Mean => result + initial,
            Reduction::Prod => result * initial,
            Reduction::Max => result.ne(result).select(result, result.maximum(initial)),
            Reduction::Min => result.ne(result).select(result, result.minimum(initial)),
        };
    }
    if reduction == Reduction::Mean {
        let (length, empty) = (segments.length.convert(result.element()), segments.length.eq(segments.length.like(0i64)));
        let of_nothing = if given { result } else { result.like(f64::NAN) };
        result = empty.select(of_nothing, result / length);
    }
    Ok(vec![Some(result.reshape(cx.out_dims()))])
}

/// Arguments: gradient, result, data, reduction, lengths, offsets, axis, initial.
fn segment_reduce_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.meta(2)?.element);
    let data = cx.operand(2, element)?;
    let reduction = Reduction::read(cx.text(3)?)?;
    let segments = Segments::read(cx, &data.dims(), 4, 5, 6)?;
    let data = segments.flat(data);
    let of_results = [segments.full[0], segments.full[1], segments.full[3]];
    let (gradient, result) = (cx.operand(0, element)?.reshape(&of_results), cx.operand(1, element)?.reshape(&of_results));
    let gradient = match reduction {
        Reduction::Sum => segments.of_segment(gradient),
        Reduction::Mean => segments.of_segment(gradient / segments.length.convert(element)),
        Reduction::Max | Reduction::Min => {
            // Equal extremes share the gradient.
            let spread = segments.spread(data, 0.0);
            let extreme = result.broadcast_in_dim(&segments.full, &[0, 1, 3]);
            let same = segments.holds & (spread.eq(extreme) | (spread.ne(spread) & extreme.ne(extreme)));
            let count = same.convert(element).reduce_add(&[2]);
            let share = (gradient / count).broadcast_in_dim(&segments.full, &[0, 1, 3]);
            same.select(share, share.like(0.0)).reduce_add(&[1])
        }
        Reduction::Prod => {
            // The product of the others: by division, or where there is one zero, of all that are not.
            let zero = data.eq(data.like(0.0));
            let zeros = segments.of_segment(segments.spread(zero.convert(element), 0.0).reduce_add(&[2]));
            let mut nonzero = segments.reduce(zero.select(data.like(1.0), data), Reduction::Prod);
            if cx.is_present(7) {
                nonzero = nonzero * cx.scalar_like(7, nonzero)?;
            }
            let (one, others) = (zeros.eq(zeros.like(1.0)), segments.of_segment(nonzero));
            let of_zero = one.select(others, others.like(0.0));
            let product = zero.select(of_zero, segments.of_segment(result) / data);
            segments.of_segment(gradient) * product
        }
    };
    Ok(vec![Some(gradient.reshape(cx.out_dims()))])
}
