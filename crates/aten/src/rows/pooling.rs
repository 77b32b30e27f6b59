//! Maximum and average pooling over 2 and 3 dimensions, plain and adaptive. Windows are taken one dimension at a
//! time: the maximum (or sum) over a box is the maximum (or sum) over its rows' maxima (or sums).

use stablehlo::{ElementType, ScatterDims, TensorType, Value};

use super::window::{Slide, Taps, along, splice, take};
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::max_pool2d_with_indices", |cx| max_pool(cx, 2)),
    Row::custom("aten::max_pool3d_with_indices", |cx| max_pool(cx, 3)),
    Row::custom("aten::max_pool2d_with_indices_backward", |cx| max_pool_backward(cx, 2)),
    Row::custom("aten::max_pool3d_with_indices_backward", |cx| max_pool_backward(cx, 3)),
    Row::custom("aten::avg_pool2d", |cx| avg_pool(cx, 2)),
    Row::custom("aten::avg_pool3d", |cx| avg_pool(cx, 3)),
    Row::custom("aten::avg_pool2d_backward", |cx| avg_pool_backward(cx, 2)),
    Row::custom("aten::avg_pool3d_backward", |cx| avg_pool_backward(cx, 3)),
    Row::custom("aten::_adaptive_avg_pool2d", |cx| adaptive_avg_pool(cx, 2)),
    Row::custom("aten::_adaptive_avg_pool3d", |cx| adaptive_avg_pool(cx, 3)),
    Row::custom("aten::_adaptive_avg_pool2d_backward", |cx| adaptive_avg_pool_backward(cx, 2)).shape_only(&[1]),
    Row::custom("aten::_adaptive_avg_pool3d_backward", |cx| adaptive_avg_pool_backward(cx, 3)).shape_only(&[1]),
    Row::custom("aten::adaptive_max_pool2d", |cx| adaptive_max_pool(cx, 2)),
    Row::custom("aten::adaptive_max_pool3d", |cx| adaptive_max_pool(cx, 3)),
    Row::custom("aten::adaptive_max_pool2d_backward", |cx| scatter_to_indices(cx, 2, 2)).shape_only(&[1]),
    Row::custom("aten::adaptive_max_pool3d_backward", |cx| scatter_to_indices(cx, 3, 2)).shape_only(&[1]),
    Row::custom("aten::max_unpool2d", |cx| max_unpool(cx, 2)),
    Row::custom("aten::max_unpool3d", |cx| max_unpool(cx, 3)),
];

/// The window along each of the last `spatial` dimensions of `size`, for results of dims `positions`. `kernel`,
/// stride and padding are arguments in a row; an empty stride is the kernel.
fn slides(
    cx: &Lowering<'_, '_>,
    kernel: usize,
    dilation: Option<usize>,
    spatial: usize,
    size: &[i64],
    positions: &[i64],
) -> Result<Vec<Slide>, LowerError> {
    let kernels = cx.ints_of(kernel, spatial, 1)?;
    let strides = if cx.ints(kernel + 1)?.is_empty() { kernels.clone() } else { cx.ints_of(kernel + 1, spatial, 1)? };
    let paddings = cx.ints_of(kernel + 2, spatial, 0)?;
    let dilations = match dilation {
        Some(index) => cx.ints_of(index, spatial, 1)?,
        None => vec![1; spatial],
    };
    let first = size.len() - spatial;
    Ok((0..spatial)
        .map(|i| Slide {
            axis: first + i,
            size: size[first + i],
            kernel: kernels[i],
            stride: strides[i],
            padding: paddings[i],
            dilation: dilations[i],
            positions: positions[first + i],
        })
        .collect())
}

/// The largest values so far and where they were found.
type Best<'f> = (Value<'f>, Value<'f>);

/// Takes `next` where it is larger or NaN, as ATen does: the first of equal values and the last NaN stay.
fn better<'f>(best: Best<'f>, next: Best<'f>) -> Best<'f> {
    let mut takes = next.0.gt(best.0);
    if next.0.element().is_float() {
        takes = takes | next.0.ne(next.0);
    }
    (takes.select(next.0, best.0), takes.select(next.1, best.1))
}

fn max_pool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let slides = slides(cx, 1, Some(4), spatial, &x.dims(), cx.out_dims())?;
    let lowest = cx.func.lowest(x.element());
    // Innermost dimension first; the found index is that inside the dimensions handled so far.
    let mut best: Option<Best<'f>> = None;
    let mut inner = 1;
    for slide in slides.into_iter().rev() {
        let values = slide.taps(best.map_or(x, |(value, _)| value), lowest);
        let zero = cx.func.zero(ElementType::I32);
        let mut inner_indices = best.map(|(_, index)| slide.taps(index, zero));
        let dims = values.first().map(|value| value.dims()).unwrap_or_default();
        // A window of nothing but the lowest value reports its first element inside, not the padding.
        let inside = |source: i64| if source < 0 { source.rem_euclid(slide.dilation) } else { source };
        if let (Some((_, index)), Some(first)) = (best, inner_indices.as_mut().and_then(|taps| taps.first_mut()))
            && slide.padding > 0
        {
            let sources: Vec<i64> = (0..slide.positions).map(|position| inside(slide.start(position))).collect();
            *first = take(index, slide.axis, &sources);
        }
        let candidates = values.into_iter().enumerate().map(|(tap, value)| {
            let sources: Vec<f64> =
                (0..slide.positions).map(|position| (inside(slide.start(position) + tap as i64 * slide.dilation) * inner) as f64).collect();
            let own = along(zero, &dims, slide.axis, &sources);
            let index = inner_indices.as_ref().and_then(|indices| indices.get(tap)).map_or(own, |&within| own + within);
            (value, index)
        });
        best = candidates.reduce(better);
        inner *= slide.size;
    }
    let (value, index) = best.unzip();
    Ok(vec![value, index])
}

/// What each window of argument 0's pooling found goes back to where it was: tap by tap, without a scatter, unless
/// the windows are large.
fn max_pool_backward<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let g = cx.tensor(0)?;
    let size = cx.meta(1)?.dims.clone();
    let slides = slides(cx, 2, Some(5), spatial, &size, &g.dims())?;
    let taps: i64 = slides.iter().map(|slide| slide.kernel).product();
    if taps > 32 {
        return scatter_to_indices(cx, spatial, 7);
    }
    let element = cx.compute_element();
    let index = cx.tensor(7)?.convert(ElementType::I32);
    // The index along each dimension, outermost first.
    let mut rest = index;
    let mut coordinates = Vec::new();
    for slide in slides.iter().rev() {
        let length = rest.like(slide.size);
        coordinates.insert(0, rest % length);
        rest = rest / length;
    }
    Ok(vec![Some(unpool(g.convert(element), &slides, &coordinates))])
}

/// Sums `g` into the source dimensions of `slides`, each element where its coordinates say.
fn unpool<'f>(g: Value<'f>, slides: &[Slide], coordinates: &[Value<'f>]) -> Value<'f> {
    let (Some((slide, slides)), Some((coordinate, coordinates))) = (slides.split_first(), coordinates.split_first()) else {
        return g;
    };
    let dims = g.dims();
    let taps: Vec<Value<'f>> = (0..slide.kernel)
        .map(|tap| {
            let sources: Vec<f64> = (0..slide.positions).map(|position| (slide.start(position) + tap * slide.dilation) as f64).collect();
            let here = coordinate.eq(along(*coordinate, &dims, slide.axis, &sources));
            unpool(here.select(g, g.like(0.0)), slides, coordinates)
        })
        .collect();
    slide.put(&taps).unwrap_or(g)
}

/// Adds gradient 0 into a result at the flat indices of argument `index`, which count inside the last `spatial` dimensions.
fn scatter_to_indices<'f>(cx: &Lowering<'f, '_>, spatial: usize, index: usize) -> Lowered<'f> {
    let element = cx.compute_element();
    let g = cx.tensor(0)?.convert(element);
    let sums = scatter_planes(cx, g, cx.tensor(index)?, spatial, |old, new| old + new);
    Ok(vec![Some(sums)])
}

fn max_unpool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let (x, index) = (cx.tensor(0)?, cx.tensor(1)?);
    let dims = cx.out_dims();
    let plane: i64 = dims[dims.len() - spatial..].iter().product();
    let failed = index.lt(index.like(0i64)) | index.ge(index.like(plane));
    let size = format!("{:?}", &dims[dims.len() - spatial..]);
    cx.check(failed, index, format!("Found an invalid max index: {{}} (output volumes are of size {size})"));
    Ok(vec![Some(scatter_planes(cx, x, index, spatial, |_, new| new))])
}

/// Scatters `updates` into zeros of the result's dims; indices count inside the last `spatial` dimensions.
pub(super) fn scatter_planes<'f>(
    cx: &Lowering<'f, '_>,
    updates: Value<'f>,
    index: Value<'f>,
    spatial: usize,
    combine: fn(Value<'f>, Value<'f>) -> Value<'f>,
) -> Value<'f> {
    let dims = cx.out_dims();
    let (outer, inner) = dims.split_at(dims.len() - spatial);
    let (planes, plane): (i64, i64) = (outer.iter().product(), inner.iter().product());
    let zeros = cx.func.zero(TensorType::new(updates.element(), &[planes, plane]));
    if planes * plane == 0 || updates.numel() == 0 {
        return zeros.reshape(dims);
    }
    let points = updates.numel() / planes;
    let index = index.convert(ElementType::I32).reshape(&[planes, points, 1]);
    let numbers = ScatterDims {
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: vec![1],
        index_vector_dim: 2,
        ..ScatterDims::default()
    };
    let updates = updates.reshape(&[planes, points]);
    let scattered = cx.func.scatter(&[zeros], index, &[updates], &numbers, |old, new| vec![combine(old[0], new[0])]);
    scattered.first().copied().unwrap_or(zeros).reshape(dims)
}

/// By what each window sum is divided, along each dimension: the divisor of a box is the product.
fn divisors(slide: &Slide, count_include_pad: bool) -> Vec<f64> {
    (0..slide.positions)
        .map(|position| {
            let start = slide.start(position);
            let end = (start + slide.kernel).min(slide.size + slide.padding);
            let counted = if count_include_pad { end - start } else { end.min(slide.size) - start.max(0) };
            counted as f64
        })
        .collect()
}

/// Divides the window sums (or the gradient of the averages) by the number of elements of each window.
fn divide_by_counts<'f>(cx: &Lowering<'f, '_>, sums: Value<'f>, slides: &[Slide], include_pad: usize) -> Result<Value<'f>, LowerError> {
    if let Some(divisor) = cx.optional_int(include_pad + 1)? {
        return Ok(sums / sums.like(divisor));
    }
    let include = cx.bool(include_pad)?;
    let dims = sums.dims();
    let counts = slides.iter().map(|slide| along(sums, &dims, slide.axis, &divisors(slide, include)));
    Ok(counts.reduce(|a, b| a * b).map_or(sums, |count| sums / count))
}

fn avg_pool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let slides = slides(cx, 1, None, spatial, &x.dims(), cx.out_dims())?;
    let sums = slides.iter().rev().fold(x, |x, slide| slide.sum(x));
    Ok(vec![Some(divide_by_counts(cx, sums, &slides, 5)?)])
}

fn avg_pool_backward<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let g = cx.operand(0, cx.compute_element())?;
    let slides = slides(cx, 2, None, spatial, cx.out_dims(), &g.dims())?;
    let shares = divide_by_counts(cx, g, &slides, 6)?;
    Ok(vec![Some(slides.iter().fold(shares, |g, slide| slide.spread(g)))])
}

/// Where window `position` of `count` adaptive windows over `size` elements starts and ends.
fn adaptive_window(position: i64, count: i64, size: i64) -> (i64, i64) {
    (position * size / count, ((position + 1) * size + count - 1) / count)
}

/// The average over each adaptive window as weighted taps.
fn adaptive_taps(count: i64, size: i64) -> Taps {
    let taps = (0..count).map(|position| {
        let (start, end) = adaptive_window(position, count, size);
        (start..end).map(|source| (source, 1.0 / (end - start) as f64)).collect()
    });
    Taps { source: size, taps: taps.collect() }
}

fn adaptive_avg_pool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let mut x = cx.operand(0, cx.compute_element())?;
    let dims = cx.out_dims();
    for axis in (dims.len() - spatial..dims.len()).rev() {
        let (count, size) = (dims[axis], x.dims()[axis]);
        x = if count > 0 && size % count == 0 && size > 0 {
            let width = size / count;
            let split = splice(&x.dims(), axis, &[count, width]);
            x.reshape(&split).reduce_add(&[axis as i64 + 1]).over(width as f64)
        } else {
            adaptive_taps(count, size).apply(x, axis)
        };
    }
    Ok(vec![Some(x)])
}

fn adaptive_avg_pool_backward<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let mut g = cx.operand(0, cx.compute_element())?;
    let dims = cx.out_dims();
    for (axis, &size) in dims.iter().enumerate().skip(dims.len() - spatial) {
        g = adaptive_taps(g.dims()[axis], size).transposed().apply(g, axis);
    }
    Ok(vec![Some(g)])
}

fn adaptive_max_pool<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let dims = cx.out_dims();
    let mut best: Option<Best<'f>> = None;
    let mut inner = 1;
    for axis in (dims.len() - spatial..dims.len()).rev() {
        let count = dims[axis];
        let source = best.map_or(x, |(value, _)| value);
        let size = source.dims()[axis];
        let windows: Vec<(i64, i64)> = (0..count).map(|position| adaptive_window(position, count, size)).collect();
        let width = windows.iter().map(|(start, end)| end - start).max().unwrap_or(1).max(1);
        let inner_index = best.map(|(_, index)| index);
        let candidates = (0..width).map(|tap| {
            // Shorter windows see their last element again, which changes nothing.
            let sources: Vec<i64> = windows.iter().map(|&(start, end)| (start + tap).min(end - 1)).collect();
            let value = take(source, axis, &sources);
            let numbers: Vec<f64> = sources.iter().map(|&source| (source * inner) as f64).collect();
            let own = along(cx.func.zero(ElementType::I32), &value.dims(), axis, &numbers);
            let index = inner_index.map_or(own, |index| own + take(index, axis, &sources));
            (value, index)
        });
        best = candidates.reduce(better);
        inner *= size;
    }
    let (value, index) = best.unzip();
    Ok(vec![value, index])
}
