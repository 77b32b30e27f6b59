//! Sums, products, extremes and truth over dimensions. Other families reduce through the functions here.

use stablehlo::{Dims, ElementType, Value};

use super::positions::position_element;
use crate::{Call, CallArgument, LowerError, Lowered, Lowering, Row, Target, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::sum", |cx| fold(cx, &every(cx)?, |x, dims| x.reduce_add(dims))),
    Row::custom("aten::sum.dim_IntList", |cx| fold(cx, &listed(cx, 1)?, |x, dims| x.reduce_add(dims))),
    Row::custom("aten::nansum", |cx| fold(cx, &listed(cx, 1)?, |x, dims| without_nan(x).reduce_add(dims))),
    Row::custom("aten::mean", |cx| fold(cx, &every(cx)?, mean)),
    Row::custom("aten::mean.dim", |cx| fold(cx, &listed(cx, 1)?, mean)),
    Row::custom("aten::prod", |cx| fold(cx, &every(cx)?, |x, dims| x.reduce_mul(dims))),
    Row::custom("aten::prod.dim_int", |cx| fold(cx, &listed(cx, 1)?, |x, dims| x.reduce_mul(dims))),
    Row::custom("aten::hash_tensor", hash),
    Row::custom("aten::any", |cx| one(shaped(cx, truth(cx)?.reduce_or(&every(cx)?)))),
    Row::custom("aten::any.dim", |cx| one(shaped(cx, truth(cx)?.reduce_or(&listed(cx, 1)?)))),
    Row::custom("aten::any.dims", |cx| one(shaped(cx, truth(cx)?.reduce_or(&listed_exactly(cx, 1)?)))),
    Row::custom("aten::all", |cx| one(shaped(cx, truth(cx)?.reduce_and(&every(cx)?)))),
    Row::custom("aten::all.dim", |cx| one(shaped(cx, truth(cx)?.reduce_and(&listed(cx, 1)?)))),
    Row::custom("aten::all.dims", |cx| one(shaped(cx, truth(cx)?.reduce_and(&listed_exactly(cx, 1)?)))),
    Row::custom("aten::_is_any_true", |cx| one(shaped(cx, truth(cx)?.reduce_or(&every(cx)?)))),
    Row::custom("aten::_is_all_true", |cx| one(shaped(cx, truth(cx)?.reduce_and(&every(cx)?)))),
    Row::custom("aten::count_nonzero", |cx| count_nonzero(cx, &listed(cx, 1)?)),
    Row::custom("aten::count_nonzero.dim_IntList", |cx| count_nonzero(cx, &listed(cx, 1)?)),
    Row::custom("aten::amax", |cx| one(shaped(cx, extreme(cx, cx.tensor(0)?, &listed(cx, 1)?, Side::Largest)))),
    Row::custom("aten::amin", |cx| one(shaped(cx, extreme(cx, cx.tensor(0)?, &listed(cx, 1)?, Side::Smallest)))),
    Row::custom("aten::max", |cx| one(shaped(cx, extreme(cx, cx.tensor(0)?, &every(cx)?, Side::Largest)))),
    Row::custom("aten::min", |cx| one(shaped(cx, extreme(cx, cx.tensor(0)?, &every(cx)?, Side::Smallest)))),
    Row::custom("aten::aminmax", |cx| both_extremes(cx, &listed(cx, 1)?)),
    Row::custom("aten::max.dim", |cx| extreme_and_position(cx, Side::Largest)),
    Row::custom("aten::min.dim", |cx| extreme_and_position(cx, Side::Smallest)),
    Row::custom("aten::argmax", |cx| position_of_extreme(cx, Side::Largest)),
    Row::custom("aten::argmin", |cx| position_of_extreme(cx, Side::Smallest)),
];

pub(super) fn one<'f>(value: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(value)])
}

/// Every dim of argument 0.
pub(super) fn every(cx: &Lowering<'_, '_>) -> Result<Vec<i64>, LowerError> {
    Ok((0..cx.meta(0)?.dims.len() as i64).collect())
}

/// The dims that argument `index` names of argument 0; all when it names none.
pub(super) fn listed(cx: &Lowering<'_, '_>, index: usize) -> Result<Vec<i64>, LowerError> {
    cx.dims_or_all(index, cx.meta(0)?.dims.len())
}

/// As `listed`, but an empty list reduces nothing: only `None` means all.
fn listed_exactly(cx: &Lowering<'_, '_>, index: usize) -> Result<Vec<i64>, LowerError> {
    if cx.is_present(index) && cx.ints(index)?.is_empty() { Ok(Vec::new()) } else { listed(cx, index) }
}

/// Number of elements that one result of a reduction over `dims` sees.
pub(super) fn count(x: Value<'_>, dims: &[i64]) -> i64 {
    let sizes = x.dims();
    dims.iter().map(|d| sizes[*d as usize]).product()
}

/// The shape of result 0, which differs from `x` by dims of size 1 at most.
pub(super) fn shaped<'f>(cx: &Lowering<'f, '_>, x: Value<'f>) -> Value<'f> {
    x.reshape(cx.out_dims())
}

/// The exclusive or of the elements' bits, of floats as f64 and of integers as i64.
fn hash<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let wide = if x.element().is_float() { ElementType::F64 } else { ElementType::I64 };
    let bits = x.convert(wide).bitcast_convert(ElementType::U64, &x.dims());
    let zero = cx.func.zero(ElementType::U64);
    let reduced = cx.func.reduce(&[bits], &[zero], &listed(cx, 1)?, |a, b| a.iter().zip(b).map(|(a, b)| *a ^ *b).collect());
    one(shaped(cx, reduced.first().copied().unwrap_or(bits)))
}

/// A reduction over `dims` stretched back over the dims it was made from.
pub(super) fn stretched<'f>(reduced: Value<'f>, over: &[i64], dims: &[i64]) -> Value<'f> {
    let kept: Dims = (0..over.len() as i64).filter(|d| !dims.contains(d)).collect();
    reduced.broadcast_in_dim(over, &kept)
}

pub(super) fn mean<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    let sum = x.reduce_add(dims);
    sum / sum.like(count(x, dims) as f64)
}

/// The mean over `dims` and the deviations from it.
pub(super) fn centered<'f>(x: Value<'f>, dims: &[i64]) -> (Value<'f>, Value<'f>) {
    let mean = mean(x, dims);
    (mean, x - stretched(mean, &x.dims(), dims))
}

/// Argument 0 in the compute dtype of the result, reduced to its shape.
fn fold<'f>(cx: &Lowering<'f, '_>, dims: &[i64], rule: fn(Value<'f>, &[i64]) -> Value<'f>) -> Lowered<'f> {
    one(shaped(cx, rule(cx.operand(0, cx.compute_element())?, dims)))
}

fn without_nan(x: Value<'_>) -> Value<'_> {
    if x.element().is_float() || x.element().is_complex() { x.ne(x).select(x.like(0), x) } else { x }
}

fn truth<'f>(cx: &Lowering<'f, '_>) -> Result<Value<'f>, LowerError> {
    cx.operand(0, ElementType::I1)
}

fn count_nonzero<'f>(cx: &Lowering<'f, '_>, dims: &[i64]) -> Lowered<'f> {
    one(shaped(cx, truth(cx)?.convert(ElementType::I64).reduce_add(dims)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Largest,
    Smallest,
}

impl Side {
    /// The value that no other one of the type is beyond.
    fn worst<'f>(self, x: Value<'f>) -> Value<'f> {
        match self {
            Self::Largest => x.func().lowest(x.element()),
            Self::Smallest => x.func().highest(x.element()),
        }
    }

    pub fn beats<'f>(self, a: Value<'f>, b: Value<'f>) -> Value<'f> {
        match self {
            Self::Largest => a.gt(b),
            Self::Smallest => a.lt(b),
        }
    }
}

/// The largest or smallest element; NaN if there is one. XLA:CPU drops NaN in a reduction by maximum,
/// which a comparison does not.
pub(super) fn extreme<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, dims: &[i64], side: Side) -> Value<'f> {
    if dims.is_empty() {
        return x;
    }
    let x = x.convert(compute_element(x.element()));
    if x.element().is_float() && cx.environment.target == Target::Cpu {
        let reduced = cx.func.reduce(&[x], &[side.worst(x)], dims, |a, b| match (a, b) {
            (&[a], &[b]) => vec![(side.beats(a, b) | a.ne(a)).select(a, b)],
            _ => Vec::new(),
        });
        return reduced.first().copied().unwrap_or(x);
    }
    match side {
        Side::Largest => x.reduce_max(dims),
        Side::Smallest => x.reduce_min(dims),
    }
}

fn both_extremes<'f>(cx: &Lowering<'f, '_>, dims: &[i64]) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    Ok([Side::Smallest, Side::Largest].map(|side| Some(shaped(cx, extreme(cx, x, dims, side)))).into())
}

/// The extreme along `dim` and its first position. NaN beats everything.
pub(super) fn extreme_at<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, dim: i64, side: Side) -> (Value<'f>, Value<'f>) {
    let dims = x.dims();
    let element = position_element(dims[dim as usize]);
    let x = match x.element() {
        ElementType::I1 => x.convert(ElementType::I8),
        other => x.convert(compute_element(other)),
    };
    let positions = cx.func.iota(element, &dims, dim);
    let last = cx.func.highest(element);
    let float = x.element().is_float();
    let reduced = cx.func.reduce(&[x, positions], &[side.worst(x), last], &[dim], |a, b| match (a, b) {
        (&[a, i], &[b, j]) => {
            let mut first = side.beats(a, b);
            let mut same = a.eq(b);
            if float {
                let (a_nan, b_nan) = (a.ne(a), b.ne(b));
                first = first | (a_nan & !b_nan);
                same = same | (a_nan & b_nan);
            }
            let takes = first | (same & i.lt(j));
            vec![takes.select(a, b), takes.select(i, j)]
        }
        _ => Vec::new(),
    });
    match reduced[..] {
        [value, position] => (value, position),
        _ => (x, positions),
    }
}

fn extreme_and_position<'f>(cx: &Lowering<'f, '_>, side: Side) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    if x.rank() == 0 {
        return Ok(vec![Some(x), Some(cx.func.zero(ElementType::I64))]);
    }
    let (value, position) = extreme_at(cx, x, cx.dim(1, x.rank())?, side);
    Ok(vec![Some(shaped(cx, value)), Some(shaped(cx, position))])
}

/// Over one dim, or over the flattened tensor when none is given.
fn position_of_extreme<'f>(cx: &Lowering<'f, '_>, side: Side) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (x, dim) = match cx.optional_int(1)? {
        Some(_) if x.rank() > 0 => (x, cx.dim(1, x.rank())?),
        _ => (x.reshape(&[x.numel()]), 0),
    };
    one(shaped(cx, extreme_at(cx, x, dim, side).1))
}

/// For rows without a meta kernel: result 0 is like argument 0.
pub(super) fn like_first(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    match call.arguments.first() {
        Some(CallArgument::Tensor(tensor)) => Ok(vec![Some(tensor.meta.clone())]),
        _ => Err(LowerError::unsupported("a call without a tensor as its first argument")),
    }
}
