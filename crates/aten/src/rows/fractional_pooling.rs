//! Max pooling over windows that start at random places (Graham 2014), which are the same for all rows of a channel.

use stablehlo::{ElementType, Value};

use super::pooling::scatter_planes;
use super::positions::{gather_along, position_element};
use super::reductions::{Side, extreme_at};
use crate::{CallArgument, Infer, LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::fractional_max_pool2d", |cx| pool(cx, 2)),
    Row::custom("aten::fractional_max_pool3d", |cx| pool(cx, 3)),
    Row::custom("aten::fractional_max_pool2d_backward", |cx| pool_backward(cx, 2)),
    Row::custom("aten::fractional_max_pool3d_backward", |cx| pool_backward(cx, 3)).infer(Infer::Rule(|call| match call.arguments.get(1) {
        Some(CallArgument::Tensor(input)) => Ok(vec![Some(input.meta.clone())]),
        _ => Err(LowerError::unsupported("a gradient without its input")),
    })),
];

/// First positions of the `outputs` windows of length `window` along a dimension of `size`, for each channel's random
/// `sample` in `[channels, 1]`: `[channels, outputs]`. They are spaced by a fraction, and the last window ends at the end.
fn starts<'f>(cx: &Lowering<'f, '_>, sample: Value<'f>, size: i64, window: i64, outputs: i64) -> Value<'f> {
    let dims = [sample.dims()[0], outputs];
    let place = cx.func.iota(ElementType::I32, &dims, 1);
    let end = place.like(size - window);
    if outputs == 1 {
        return end;
    }
    let sample = sample.broadcast_to(&dims);
    let spacing = sample.like((size - window) as f64) / sample.like((outputs - 1) as f64);
    let at = |place: Value<'f>| (place * spacing).floor().convert(ElementType::I32);
    let first = at(place.convert(sample.element()) + sample) - at(sample);
    place.eq(place.like(outputs - 1)).select(end, first)
}

/// Arguments: input, window sizes, output sizes, random samples of `[batch, channels, spatial]`.
fn pool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let dims = x.dims();
    let (outer, sizes) = dims.split_at(dims.len() - spatial);
    let (windows, outputs) = (cx.ints_of(1, spatial, 1)?, cx.ints_of(2, spatial, 1)?);
    for i in 0..spatial {
        if outputs[i] + windows[i] - 1 > sizes[i] {
            return Err(LowerError::refused(format!(
                "fractional_max_pool{spatial}d(): pool size {} too large relative to input size {}",
                windows[i], sizes[i]
            )));
        }
    }
    let channels: i64 = outer.iter().product();
    let plane: i64 = sizes.iter().product();
    // [channels, outputs.., windows..]: the position of every element of every window in its plane.
    let full: Vec<i64> = [channels].iter().chain(&outputs).chain(&windows).copied().collect();
    let element = position_element(plane);
    // An input without a batch takes the samples of the first.
    let samples = cx.operand(3, cx.compute_element())?;
    let samples = samples.reshape(&[samples.numel() / spatial as i64, spatial as i64]).slice_dim(0, 0, channels);
    let mut position = cx.func.splat(element, &full, 0i64);
    for i in 0..spatial {
        // The samples of the planar operator are in the order width, height.
        let column = if spatial == 2 { 1 - i } else { i } as i64;
        let first = starts(cx, samples.slice_dim(1, column, column + 1), sizes[i], windows[i], outputs[i]).convert(element);
        let first = first.broadcast_in_dim(&full, &[0, 1 + i as i64]);
        let inside = cx.func.iota(element, &full, (1 + spatial + i) as i64);
        position = position * position.like(sizes[i]) + first + inside;
    }
    let (cells, window): (i64, i64) = (outputs.iter().product(), windows.iter().product());
    let position = position.reshape(&[channels, cells * window]);
    let values = gather_along(x.reshape(&[channels, plane]), position, 1).reshape(&[channels, cells, window]);
    let (largest, at) = extreme_at(cx, values, 2, Side::Largest);
    let chosen = gather_along(position.reshape(&[channels, cells, window]), at.reshape(&[channels, cells, 1]), 2);
    let result = cx.out_dims();
    Ok(vec![Some(largest.reshape(result)), Some(chosen.reshape(result))])
}

/// Arguments: gradient, input, window sizes, output sizes, positions of the largest elements.
fn pool_backward<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let gradient = cx.operand(0, cx.compute_element())?;
    Ok(vec![Some(scatter_planes(cx, gradient, cx.tensor(4)?, spatial, |old, new| old + new))])
}
