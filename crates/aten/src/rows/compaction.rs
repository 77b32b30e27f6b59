//! Results whose size depends on data, and their relatives: the elements where a mask holds, in order.

use stablehlo::{ElementType, Value};

use super::gathering::at_least_1d;
use super::positions::{Combine, gather_slices, position_element, running_count, scatter, scatter_flat, scatter_slices_dims};
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    Row::custom("aten::nonzero", nonzero).infer(Infer::Bound(nonzero_bound)),
    Row::custom("aten::nonzero_static", nonzero_static),
    Row::custom("aten::masked_select", masked_select).infer(Infer::Bound(masked_select_bound)),
    Row::custom("aten::masked_scatter", masked_scatter),
    Row::custom("aten::masked_scatter_backward", masked_scatter_backward),
];

/// For each true element, in order, where the kept elements go: its rank among them; `size` for the others.
fn slots(flags: Value<'_>) -> (Value<'_>, Value<'_>) {
    let running = running_count(flags);
    let slots = flags.select(running - running.like(1i64), running.like(flags.numel()));
    (slots, last_of(running))
}

/// The last of running counts, 0 when there is none.
pub(super) fn last_of(running: Value<'_>) -> Value<'_> {
    let size = running.numel();
    if size == 0 {
        return running.func().zero(running.element());
    }
    running.slice_dim(0, size - 1, size).reshape(&[])
}

/// Positions of the true elements of 1-dimensional flags, in order, then `size` for the rest; and their number.
pub(super) fn kept_positions(flags: Value<'_>) -> (Value<'_>, Value<'_>) {
    let size = flags.numel();
    let (slots, count) = slots(flags);
    let everything = flags.func().iota(position_element(size), &[size], 0);
    (scatter_flat(everything.like(size), slots, everything, Combine::Set), count)
}

/// The rows of `x` (dimension 0) whose flag is true, moved to the front; zeros after them.
pub(super) fn kept_rows<'f>(x: Value<'f>, flags: Value<'f>) -> (Value<'f>, Value<'f>) {
    let (slots, count) = slots(flags);
    let zeros = x.like(0i64);
    (scatter(zeros, slots, x, &scatter_slices_dims(x.rank() as i64, 0), Combine::Set), count)
}

pub(super) fn meta_of(call: &Call, index: usize) -> Result<&TensorMeta, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(t)) => Ok(&t.meta),
        _ => Err(LowerError::unsupported(format!("argument {index} is not a tensor"))),
    }
}

fn nonzero_bound(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let x = meta_of(call, 0)?;
    Ok(vec![Some(TensorMeta::new(ElementType::I64, &[x.numel(), x.dims.len() as i64]))])
}

fn nonzero<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (flat, count) = kept_positions(x.convert(ElementType::I1).reshape(&[x.numel()]));
    Ok(vec![Some(coordinates(flat, &x.dims())), Some(count.convert(ElementType::I64))])
}

/// Row-major flat positions as an i64 column for each dimension.
fn coordinates<'f>(flat: Value<'f>, dims: &[i64]) -> Value<'f> {
    let rows = flat.numel();
    if dims.is_empty() {
        return flat.func().splat(ElementType::I64, &[rows, 0], 0i64);
    }
    let mut columns = Vec::with_capacity(dims.len());
    let mut rest = flat;
    for size in dims.iter().rev() {
        let size = rest.like((*size).max(1));
        columns.push((rest % size).convert(ElementType::I64).reshape(&[rows, 1]));
        rest = rest / size;
    }
    columns.reverse();
    flat.func().concatenate(&columns, 1)
}

/// The first `size` positions, `fill_value` where there are fewer.
fn nonzero_static<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (size, fill) = (cx.int(1)?, cx.int(2)?);
    let (flat, count) = kept_positions(x.convert(ElementType::I1).reshape(&[x.numel()]));
    let kept = x.numel().min(size);
    let flat = flat.slice_dim(0, 0, kept).pad(cx.func.zero(flat.element()), &[0], &[size - kept], &[0]);
    let place = cx.func.iota(flat.element(), &[size], 0);
    let dims = cx.out_dims();
    let inside = place.lt(count.broadcast_to(&[size])).broadcast_in_dim(dims, &[0]);
    let positions = coordinates(flat, &x.dims());
    Ok(vec![Some(inside.select(positions, positions.like(fill)))])
}

fn masked_select_bound(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let (x, mask) = (meta_of(call, 0)?, meta_of(call, 1)?);
    let numel: i64 = broadcast_dims(&x.dims, &mask.dims).iter().product();
    Ok(vec![Some(TensorMeta::new(x.element, &[numel]))])
}

pub(super) fn broadcast_dims(a: &[i64], b: &[i64]) -> Vec<i64> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |k| dims[k]);
    (0..rank).map(|i| if at(a, i) == 1 { at(b, i) } else { at(a, i) }).collect()
}

fn masked_select<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, mask) = (cx.tensor(0)?, cx.tensor(1)?.convert(ElementType::I1));
    let dims = broadcast_dims(&x.dims(), &mask.dims());
    let numel: i64 = dims.iter().product();
    let flatten = |v: Value<'f>| v.broadcast_to(&dims).reshape(&[numel]);
    let (kept, count) = kept_rows(flatten(x), flatten(mask));
    Ok(vec![Some(kept), Some(count.convert(ElementType::I64))])
}

/// The true elements take the source's elements in order.
fn masked_scatter<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let x = cx.operand(0, cx.out_element())?.broadcast_to(dims);
    if cx.meta(1)?.element != ElementType::I1 {
        return Err(LowerError::refused(format!(
            "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
            cx.meta(1)?.element
        )));
    }
    let mask = cx.operand(1, ElementType::I1)?.broadcast_to(dims);
    let source = cx.operand(2, cx.out_element())?;
    let available = source.numel();
    let running = running_count(mask.reshape(&[x.numel()]));
    let wanted = last_of(running);
    cx.check_data(
        wanted.gt(wanted.like(available)),
        wanted,
        format!("masked_scatter: expected {{}} elements in source, but it has {available}"),
    );
    if available == 0 || x.numel() == 0 {
        return Ok(vec![Some(x)]);
    }
    let taken = gather_slices(source.reshape(&[available]), running - running.like(1i64), 0);
    Ok(vec![Some(mask.select(taken.reshape(dims), x))])
}

/// The gradient's elements under the mask, in order, then zeros.
fn masked_scatter_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.tensor(0)?;
    let numel: i64 = cx.out_dims().iter().product();
    let mask = cx.operand(1, ElementType::I1)?.broadcast_to(&gradient.dims());
    let (kept, _) = kept_rows(gradient.reshape(&[gradient.numel()]), mask.reshape(&[gradient.numel()]));
    let kept = at_least_1d(kept);
    let shared = gradient.numel().min(numel);
    let kept = kept.slice_dim(0, 0, shared).pad(cx.func.zero(kept.element()), &[0], &[numel - shared], &[0]);
    Ok(vec![Some(kept.reshape(cx.out_dims()))])
}
