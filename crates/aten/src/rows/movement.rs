//! Ops that move elements: joins, flips, rolls, repeats, and writes into a slice or a diagonal.

use stablehlo::{Dims, ElementType, Value};

use crate::lowering::wrap_dim;
use crate::{CallArgument, LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::cat", cat),
    Row::custom("aten::stack", stack),
    Row::custom("aten::flip", flip),
    Row::custom("aten::roll", roll),
    Row::custom("aten::repeat", repeat),
    Row::custom("aten::channel_shuffle", channel_shuffle),
    Row::custom("aten::native_channel_shuffle", channel_shuffle),
    Row::custom("aten::slice_scatter", slice_scatter),
    Row::custom("aten::slice_backward", slice_backward),
    Row::custom("aten::select_scatter", select_scatter),
    Row::custom("aten::select_backward", select_backward),
    Row::custom("aten::diagonal_scatter", diagonal_scatter),
    Row::custom("aten::diagonal_backward", diagonal_backward),
    Row::custom("aten::diag_embed", diag_embed),
    Row::custom("aten::unfold_backward", unfold_backward),
    Row::custom("aten::masked_fill.Scalar", masked_fill),
    Row::custom("aten::masked_fill.Tensor", masked_fill),
];

fn cat<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let rank = cx.out_dims().len();
    let dim = cx.dim(1, rank)?;
    // A 1-dimensional tensor without elements joins anything, as in ATen.
    let parts: Vec<Value<'f>> = cx.tensors(0)?.into_iter().filter(|t| t.rank() == rank).map(|t| t.convert(cx.out_element())).collect();
    Ok(vec![Some(if parts.is_empty() { cx.out_splat(0.0) } else { cx.func.concatenate(&parts, dim) })])
}

fn stack<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let rank = cx.out_dims().len();
    let dim = cx.dim(1, rank)?;
    let mut dims = Dims::from_slice(cx.out_dims());
    if let Some(size) = dims.get_mut(dim as usize) {
        *size = 1;
    }
    let parts: Vec<Value<'f>> = cx.tensors(0)?.into_iter().map(|t| t.convert(cx.out_element()).reshape(&dims)).collect();
    Ok(vec![Some(cx.func.concatenate(&parts, dim))])
}

fn flip<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let dims: Vec<i64> = cx.ints(1)?.iter().map(|d| wrap_dim(*d, x.rank())).filter(|d| *d < x.rank() as i64).collect();
    Ok(vec![Some(x.reverse(&dims))])
}

/// Without dims the flattened tensor is rolled.
fn roll<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (shifts, dims) = (cx.ints(1)?, cx.ints(2)?);
    if x.numel() == 0 || x.rank() == 0 {
        return Ok(vec![Some(x)]);
    }
    if dims.is_empty() {
        let flat = x.reshape(&[x.numel()]);
        return Ok(vec![Some(shifts.iter().fold(flat, |x, shift| rolled(x, 0, *shift)).reshape(cx.out_dims()))]);
    }
    let all = dims.iter().zip(shifts);
    Ok(vec![Some(all.fold(x, |x, (dim, shift)| rolled(x, wrap_dim(*dim, x.rank()), *shift)))])
}

fn rolled(x: Value<'_>, dim: i64, shift: i64) -> Value<'_> {
    let size = size(&x.dims(), dim);
    let split = size - shift.rem_euclid(size.max(1));
    if split == size {
        return x;
    }
    x.func().concatenate(&[x.slice_dim(dim, split, size), x.slice_dim(dim, 0, split)], dim)
}

fn repeat<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let repeats = cx.ints(1)?;
    let added = repeats.len() - x.rank().min(repeats.len());
    let mut outer = Dims::new();
    let mut axes = Dims::new();
    for (i, times) in repeats.iter().enumerate() {
        outer.push(*times);
        if i >= added {
            axes.push(outer.len() as i64);
            outer.push(size(&x.dims(), (i - added) as i64));
        }
    }
    Ok(vec![Some(x.broadcast_in_dim(&outer, &axes).reshape(cx.out_dims()))])
}

/// Splits dimension 1 into `groups` and transposes the two parts.
fn channel_shuffle<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let (dims, groups) = (x.dims(), cx.int(1)?);
    if x.numel() == 0 {
        return Ok(vec![Some(x)]);
    }
    let mut split = Dims::from_slice(&[dims[0], groups, dims[1] / groups]);
    split.extend_from_slice(&dims[2..]);
    let mut permutation: Dims = (0..split.len() as i64).collect();
    permutation.swap(1, 2);
    Ok(vec![Some(x.reshape(&split).transpose(&permutation).reshape(&dims))])
}

/// `start:end:step` of a dimension, clamped as Python slices are.
struct Span {
    dim: i64,
    start: i64,
    length: i64,
    step: i64,
}

/// Arguments `dim, start, end, step` from position `first` over a tensor of `dims`.
fn span(cx: &Lowering<'_, '_>, dims: &[i64], first: usize) -> Result<Span, LowerError> {
    let dim = cx.dim(first, dims.len())?;
    let size = size(dims, dim);
    let clamped = |v: i64| if v < 0 { v + size } else { v }.clamp(0, size);
    let start = clamped(cx.optional_int(first + 1)?.unwrap_or(0));
    let end = clamped(cx.optional_int(first + 2)?.unwrap_or(i64::MAX)).max(start);
    let step = cx.int(first + 3)?;
    Ok(Span { dim, start, length: (end - start + step - 1) / step, step })
}

impl Span {
    /// `x`, sized as the span, spread to a tensor of `dims`, with `fill` elsewhere.
    fn spread<'f>(&self, x: Value<'f>, fill: Value<'f>, dims: &[i64]) -> Value<'f> {
        let zeros: Dims = dims.iter().map(|_| 0).collect();
        let (mut low, mut high, mut interior) = (zeros.clone(), zeros.clone(), zeros);
        let covered = if self.length == 0 { 0 } else { (self.length - 1) * self.step + 1 };
        let axis = self.dim as usize;
        (low[axis], high[axis], interior[axis]) = (self.start, dims[axis] - self.start - covered, self.step - 1);
        x.pad(fill, &low, &high, &interior)
    }

    fn scatter<'f>(&self, x: Value<'f>, source: Value<'f>) -> Value<'f> {
        let dims = x.dims();
        let mut sizes = dims.clone();
        sizes[self.dim as usize] = self.length;
        let source = source.broadcast_to(&sizes);
        if self.length == 0 {
            return x;
        }
        if self.step == 1 {
            let starts: Vec<Value<'f>> = (0..dims.len() as i64)
                .map(|d| x.func().constant_i64(ElementType::I32, if d == self.dim { self.start } else { 0 }))
                .collect();
            return x.dynamic_update_slice(source, &starts);
        }
        let mask = self.spread(source.func().splat(ElementType::I1, &sizes, true), x.func().constant(ElementType::I1, false), &dims);
        mask.select(self.spread(source, x.func().zero(x.element()), &dims), x)
    }
}

fn slice_scatter<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let span = span(cx, &x.dims(), 2)?;
    Ok(vec![Some(span.scatter(x, cx.operand(1, x.element())?))])
}

fn slice_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.tensor(0)?;
    let dims = cx.ints(1)?;
    Ok(vec![Some(span(cx, dims, 2)?.spread(gradient, cx.func.zero(gradient.element()), dims))])
}

/// One index of a dimension: arguments `dim, index` from position `first` over a tensor of `dims`.
fn selected(cx: &Lowering<'_, '_>, dims: &[i64], first: usize) -> Result<Span, LowerError> {
    let dim = cx.dim(first, dims.len())?;
    let index = cx.int(first + 1)?;
    let start = if index < 0 { index + size(dims, dim) } else { index };
    Ok(Span { dim, start, length: 1, step: 1 })
}

fn with_one(dims: &[i64], dim: i64) -> Dims {
    let mut dims = Dims::from_slice(dims);
    dims[dim as usize] = 1;
    dims
}

fn select_scatter<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let span = selected(cx, &x.dims(), 2)?;
    let source = cx.operand(1, x.element())?.reshape(&with_one(&x.dims(), span.dim));
    Ok(vec![Some(span.scatter(x, source))])
}

fn select_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.tensor(0)?;
    let dims = cx.ints(1)?;
    let span = selected(cx, dims, 2)?;
    let gradient = gradient.reshape(&with_one(dims, span.dim));
    Ok(vec![Some(span.spread(gradient, cx.func.zero(gradient.element()), dims))])
}

/// Writes `diagonal`, whose last dimension runs along the diagonal `offset` of dimensions `dim1`, `dim2`,
/// into `base`.
fn write_diagonal<'f>(base: Value<'f>, diagonal: Value<'f>, offset: i64, dim1: i64, dim2: i64) -> Value<'f> {
    let dims = base.dims();
    let (rows, columns) = (size(&dims, dim1), size(&dims, dim2));
    let length = (if offset >= 0 { rows.min(columns - offset) } else { columns.min(rows + offset) }).max(0);
    if length == 0 || base.numel() == 0 {
        return base;
    }
    // Stretch the diagonal over the rows, so that a broadcast along the columns meets it in each of them.
    let first_row = (-offset).max(0);
    let last = diagonal.rank() - 1;
    let zeros: Dims = (0..=last).map(|_| 0).collect();
    let (mut low, mut high) = (zeros.clone(), zeros.clone());
    (low[last], high[last]) = (first_row, rows - first_row - length);
    let by_row = diagonal.pad(base.func().zero(base.element()), &low, &high, &zeros);
    let mut axes: Dims = (0..dims.len() as i64).filter(|d| *d != dim1 && *d != dim2).collect();
    axes.push(dim1);
    let spread = by_row.broadcast_in_dim(&dims, &axes);
    let row = base.func().iota(ElementType::I32, &dims, dim1);
    let column = base.func().iota(ElementType::I32, &dims, dim2);
    (column - row).eq(row.like(offset)).select(spread, base)
}

fn diagonal_scatter<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let diagonal = cx.operand(1, x.element())?;
    Ok(vec![Some(write_diagonal(x, diagonal, cx.int(2)?, cx.dim(3, x.rank())?, cx.dim(4, x.rank())?))])
}

fn diagonal_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let rank = cx.out_dims().len();
    Ok(vec![Some(write_diagonal(cx.out_splat(0.0), cx.tensor(0)?, cx.int(2)?, cx.dim(3, rank)?, cx.dim(4, rank)?))])
}

fn diag_embed<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let rank = cx.out_dims().len();
    Ok(vec![Some(write_diagonal(cx.out_splat(0.0), cx.tensor(0)?, cx.int(1)?, cx.dim(2, rank)?, cx.dim(3, rank)?))])
}

/// Adds each window of the gradient back to where it was cut from.
fn unfold_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.tensor(0)?.convert(cx.compute_element());
    let dims = cx.ints(1)?;
    let dim = cx.dim(2, dims.len())?;
    let (window, step) = (cx.int(3)?, cx.int(4)?);
    if dims.is_empty() {
        return Ok(vec![Some(gradient.reshape(&[]))]);
    }
    let rank = gradient.rank() as i64;
    let windows = size(&gradient.dims(), dim);
    if windows == 0 || gradient.numel() == 0 || window == 0 {
        return Ok(vec![Some(cx.out_splat(0.0))]);
    }
    if step >= window {
        // Windows do not touch: pad each to `step` and unroll.
        let mut high: Dims = (0..rank).map(|_| 0).collect();
        let zeros = high.clone();
        high[rank as usize - 1] = step - window;
        let padded = gradient.pad(cx.func.zero(gradient.element()), &zeros, &high, &zeros);
        let mut permutation: Dims = (0..rank - 1).collect();
        permutation.insert(dim as usize + 1, rank - 1);
        let mut flat = Dims::from_slice(dims);
        flat[dim as usize] = windows * step;
        let unrolled = padded.transpose(&permutation).reshape(&flat);
        let size = dims[dim as usize];
        let cut = unrolled.slice_dim(dim, 0, size.min(windows * step));
        let span = Span { dim, start: 0, length: size.min(windows * step), step: 1 };
        return Ok(vec![Some(span.spread(cut, cx.func.zero(gradient.element()), dims))]);
    }
    // One strided write for each place in the window.
    let mut sum: Option<Value<'f>> = None;
    for place in 0..window {
        let mut part_dims = gradient.dims();
        part_dims.pop();
        let part = gradient.slice_dim(rank - 1, place, place + 1).reshape(&part_dims);
        let span = Span { dim, start: place, length: windows, step };
        let spread = span.spread(part, cx.func.zero(gradient.element()), dims);
        sum = Some(sum.map_or(spread, |sum| sum + spread));
    }
    Ok(vec![sum])
}

fn masked_fill<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let x = cx.operand(0, cx.out_element())?.broadcast_to(dims);
    let mask = cx.operand(1, ElementType::I1)?.broadcast_to(dims);
    let value = match cx.argument(2) {
        CallArgument::Tensor(_) => cx.operand(2, cx.out_element())?.reshape(&[]),
        _ => cx.scalar(2, cx.out_element())?,
    };
    Ok(vec![Some(mask.select(value.broadcast_to(dims), x))])
}

pub(super) fn size(dims: &[i64], dim: i64) -> i64 {
    dims.get(dim as usize).copied().unwrap_or(1)
}
