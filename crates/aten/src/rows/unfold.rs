//! Sliding blocks as columns and back, and the channel shuffle.

use stablehlo::Value;

use super::window::{Slide, splice};
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[Row::custom("aten::im2col", im2col), Row::custom("aten::col2im", col2im)];

/// The windows over a plane `size`; kernel, dilation, padding and stride are arguments from `first` on.
fn slides(cx: &Lowering<'_, '_>, first: usize, size: &[i64], axis: usize) -> Result<[Slide; 2], LowerError> {
    let lists = [cx.ints_of(first, 2, 1)?, cx.ints_of(first + 1, 2, 1)?, cx.ints_of(first + 2, 2, 0)?, cx.ints_of(first + 3, 2, 1)?];
    let slide = |i: usize| {
        let [kernel, dilation, padding, stride] = [0, 1, 2, 3].map(|list: usize| lists[list][i]);
        let positions = (size[i] + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
        Slide { axis: axis + i, size: size[i], kernel, stride, padding, dilation, positions }
    };
    Ok([slide(0), slide(1)])
}

/// `[.., C, H, W]` to `[.., C * kernel, blocks]`.
fn im2col<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let dims = x.dims();
    let channel = dims.len() - 3;
    let [rows, columns] = slides(cx, 1, &dims[channel + 1..], channel + 1)?;
    let zero = cx.func.zero(x.element());
    // [.., C, kernel rows, positions, W], then [.., C, kernel rows, kernel columns, positions, positions].
    let by_rows = stack(&rows.taps(x, zero), channel + 1);
    let columns = Slide { axis: columns.axis + 1, ..columns };
    let blocks = stack(&columns.taps(by_rows, zero), channel + 2);
    Ok(vec![Some(blocks.reshape(cx.out_dims()))])
}

/// Joins values along a new dimension `axis`.
fn stack<'f>(values: &[Value<'f>], axis: usize) -> Value<'f> {
    let parts: Vec<Value<'f>> = values
        .iter()
        .map(|value| {
            let mut dims = value.dims();
            dims.insert(axis, 1);
            value.reshape(&dims)
        })
        .collect();
    parts[0].func().concatenate(&parts, axis as i64)
}

/// The adjoint of [`im2col`]: overlapping blocks add up.
fn col2im<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let dims = cx.out_dims();
    let channel = dims.len() - 3;
    let [rows, columns] = slides(cx, 2, &dims[channel + 1..], channel + 1)?;
    let blocks = [rows.kernel, columns.kernel, rows.positions, columns.positions];
    let split: Vec<i64> = dims[..=channel].iter().chain(&blocks).copied().collect();
    let x = cx.operand(0, element)?.reshape(&split);
    let columns = Slide { axis: columns.axis + 1, ..columns };
    let by_rows = columns.put(&unstack(x, channel + 2)).unwrap_or(x);
    Ok(vec![Some(rows.put(&unstack(by_rows, channel + 1)).unwrap_or(x))])
}

/// The slices of dimension `axis`, without that dimension.
fn unstack<'f>(x: Value<'f>, axis: usize) -> Vec<Value<'f>> {
    let dims = x.dims();
    let rest = splice(&dims, axis, &[]);
    (0..dims[axis]).map(|i| x.slice_dim(axis as i64, i, i + 1).reshape(&rest)).collect()
}
