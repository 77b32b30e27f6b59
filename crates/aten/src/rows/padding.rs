//! Padding by a constant, by reflection and by replication.

use stablehlo::Dims;

use super::window::{put, take};
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::constant_pad_nd", constant_pad),
    Row::custom("aten::reflection_pad1d", |cx| pad(cx, reflected)),
    Row::custom("aten::reflection_pad2d", |cx| pad(cx, reflected)),
    Row::custom("aten::reflection_pad3d", |cx| pad(cx, reflected)),
    Row::custom("aten::reflection_pad1d_backward", |cx| pad_backward(cx, reflected)).shape_only(&[1]),
    Row::custom("aten::reflection_pad2d_backward", |cx| pad_backward(cx, reflected)).shape_only(&[1]),
    Row::custom("aten::reflection_pad3d_backward", |cx| pad_backward(cx, reflected)).shape_only(&[1]),
    Row::custom("aten::replication_pad1d", |cx| pad(cx, replicated)),
    Row::custom("aten::replication_pad2d", |cx| pad(cx, replicated)),
    Row::custom("aten::replication_pad3d", |cx| pad(cx, replicated)),
    Row::custom("aten::replication_pad1d_backward", |cx| pad_backward(cx, replicated)).shape_only(&[1]),
    Row::custom("aten::replication_pad2d_backward", |cx| pad_backward(cx, replicated)).shape_only(&[1]),
    Row::custom("aten::replication_pad3d_backward", |cx| pad_backward(cx, replicated)).shape_only(&[1]),
];

fn constant_pad<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (mut low, mut high): (Dims, Dims) = (x.dims().iter().map(|_| 0).collect(), x.dims().iter().map(|_| 0).collect());
    for (pair, axis) in cx.ints(1)?.chunks_exact(2).zip((0..x.rank()).rev()) {
        (low[axis], high[axis]) = (pair[0], pair[1]);
    }
    let interior: Dims = low.iter().map(|_| 0).collect();
    Ok(vec![Some(x.pad(cx.scalar(2, x.element())?, &low, &high, &interior))])
}

/// The source of position `position` (negative before the start) in a dimension of `size`.
type Source = fn(position: i64, size: i64) -> i64;

fn reflected(position: i64, size: i64) -> i64 {
    let position = position.abs();
    if position < size { position } else { 2 * (size - 1) - position }
}

fn replicated(position: i64, size: i64) -> i64 {
    position.clamp(0, size - 1)
}

/// Each padded axis with the sources of its positions; padding (argument `index`) lists the innermost axis first.
fn sources(cx: &Lowering<'_, '_>, index: usize, size: &[i64], source: Source) -> Result<Vec<(usize, Vec<i64>)>, LowerError> {
    let pairs = cx.ints(index)?.chunks_exact(2).zip((0..size.len()).rev());
    Ok(pairs.map(|(pair, axis)| (axis, (-pair[0]..size[axis] + pair[1]).map(|position| source(position, size[axis])).collect())).collect())
}

fn pad<'f>(cx: &Lowering<'f, '_>, source: Source) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let sources = sources(cx, 1, &x.dims(), source)?;
    Ok(vec![Some(sources.into_iter().fold(x, |x, (axis, indices)| take(x, axis, &indices)))])
}

fn pad_backward<'f>(cx: &Lowering<'f, '_>, source: Source) -> Lowered<'f> {
    let g = cx.operand(0, cx.compute_element())?;
    let size = cx.out_dims();
    let sources = sources(cx, 2, size, source)?;
    Ok(vec![Some(sources.into_iter().fold(g, |g, (axis, indices)| put(g, axis, &indices, size[axis])))])
}
