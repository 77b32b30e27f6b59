//! `grid_sampler` in 2 and 3 dimensions: values of an image at the points of a grid, and the gradients.

use stablehlo::{ElementType, GatherDims, ScatterDims, TensorType, Value};

use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::grid_sampler_2d", |cx| sample(cx, 2)),
    Row::custom("aten::grid_sampler_3d", |cx| sample(cx, 3)),
    Row::custom("aten::grid_sampler_2d_backward", |cx| sample_backward(cx, 2)),
    Row::custom("aten::grid_sampler_3d_backward", |cx| sample_backward(cx, 3)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interpolation {
    Linear,
    Nearest,
    Cubic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

#[derive(Debug, Clone, Copy)]
struct Options {
    interpolation: Interpolation,
    padding: Padding,
    align_corners: bool,
}

impl Options {
    /// `first` is the position of interpolation_mode.
    fn read(cx: &Lowering<'_, '_>, first: usize) -> Result<Self, LowerError> {
        Ok(Self {
            interpolation: match cx.int(first)? {
                0 => Interpolation::Linear,
                1 => Interpolation::Nearest,
                _ => Interpolation::Cubic,
            },
            padding: match cx.int(first + 1)? {
                0 => Padding::Zeros,
                1 => Padding::Border,
                _ => Padding::Reflection,
            },
            align_corners: cx.bool(first + 2)?,
        })
    }
}

/// One source position along one dimension for every point: all `[N, points]`.
#[derive(Clone, Copy)]
struct Tap<'f> {
    /// i32, inside the dimension.
    index: Value<'f>,
    /// Whether the position was inside; outside counts as 0.
    inside: Value<'f>,
    weight: Value<'f>,
    /// Of the weight by the grid's coordinate.
    slope: Value<'f>,
}

/// A position and its derivative by the grid's coordinate.
type Moved<'f> = (Value<'f>, Value<'f>);

/// From [-1, 1] to positions in a dimension of `size`.
fn to_position<'f>(coordinate: Value<'f>, size: i64, align_corners: bool) -> Moved<'f> {
    let size = size as f64;
    if align_corners {
        let half = (size - 1.0) / 2.0;
        return (coordinate.plus(1.0).over(2.0).times(size - 1.0), coordinate.like(half));
    }
    (coordinate.plus(1.0).times(size).minus(1.0).over(2.0), coordinate.like(size / 2.0))
}

fn pad<'f>((position, slope): Moved<'f>, size: i64, options: Options) -> Moved<'f> {
    match options.padding {
        Padding::Zeros => (position, slope),
        Padding::Border => clip((position, slope), size),
        Padding::Reflection if options.align_corners => clip(reflect((position, slope), 0, 2 * (size - 1)), size),
        Padding::Reflection => clip(reflect((position, slope), -1, 2 * size - 1), size),
    }
}

fn clip<'f>((position, slope): Moved<'f>, size: i64) -> Moved<'f> {
    let (low, high) = (position.like(0.0), position.like((size - 1) as f64));
    let moves = position.gt(low) & position.lt(high);
    (position.maximum(low).minimum(high), moves.select(slope, slope.like(0.0)))
}

/// Reflects at `low / 2` and `high / 2`.
fn reflect<'f>((position, slope): Moved<'f>, low: i64, high: i64) -> Moved<'f> {
    if low == high {
        return (position.like(0.0), slope.like(0.0));
    }
    let (start, span) = (low as f64 / 2.0, (high - low) as f64 / 2.0);
    let shifted = position.minus(start);
    let negative = shifted.lt(shifted.like(0.0));
    let distance = shifted.abs();
    let extra = distance % distance.like(span);
    let flips = distance.over(span).floor();
    let even = (flips % flips.like(2.0)).eq(flips.like(0.0));
    let reflected = even.select(extra.plus(start), extra.like(span + start) - extra);
    let flipped = negative.ne(!even);
    (reflected, flipped.select(-slope, slope))
}

/// The taps of one dimension of `size` for coordinates `[N, points]`.
fn taps<'f>(coordinate: Value<'f>, size: i64, options: Options) -> Vec<Tap<'f>> {
    let moved = to_position(coordinate, size, options.align_corners);
    let tap = |position: Value<'f>, weight: Value<'f>, slope: Value<'f>| {
        let (low, high) = (position.like(0.0), position.like((size - 1) as f64));
        let inside = position.ge(low) & position.le(high);
        Tap { index: position.maximum(low).minimum(high).convert(ElementType::I32), inside, weight, slope }
    };
    match options.interpolation {
        Interpolation::Linear => {
            let (position, slope) = pad(moved, size, options);
            let floor = position.floor();
            let fraction = position - floor;
            vec![tap(floor, fraction.like(1.0) - fraction, -slope), tap(floor.plus(1.0), fraction, slope)]
        }
        Interpolation::Nearest => {
            let (position, slope) = pad(moved, size, options);
            vec![tap(position.round_nearest_even(), position.like(1.0), slope.like(0.0))]
        }
        Interpolation::Cubic => {
            let (position, slope) = moved;
            let floor = position.floor();
            let fraction = position - floor;
            (-1..=2)
                .map(|offset| {
                    let offset = f64::from(offset);
                    let (weight, by_fraction) = cubic(fraction, offset);
                    let (source, _) = pad((floor.plus(offset), slope), size, options);
                    tap(source.round_nearest_even(), weight, by_fraction * slope)
                })
                .collect()
        }
    }
}

/// Keys' cubic weight (a = -0.75) of the tap at `offset` from the floor, and its derivative by the fraction.
fn cubic<'f>(fraction: Value<'f>, offset: f64) -> (Value<'f>, Value<'f>) {
    const A: f64 = -0.75;
    // Distance from the tap, and its derivative by the fraction.
    let (x, sign) = if offset <= 0.0 { (fraction.minus(offset), 1.0) } else { (fraction.like(offset) - fraction, -1.0) };
    if offset.abs() < 0.5 || offset == 1.0 {
        let weight = (x.times(A + 2.0).minus(A + 3.0)) * x * x;
        (weight.plus(1.0), (x.times(3.0 * (A + 2.0)).minus(2.0 * (A + 3.0)) * x).times(sign))
    } else {
        let weight = ((x.minus(5.0) * x).plus(8.0) * x).minus(4.0);
        (weight.times(A), (x.times(3.0).minus(10.0) * x).plus(8.0).times(A * sign))
    }
}

/// A combination of one tap a dimension.
struct Corner<'f> {
    /// i32 `[N, points]` into the flattened image.
    index: Value<'f>,
    inside: Value<'f>,
    taps: Vec<Tap<'f>>,
}

impl<'f> Corner<'f> {
    /// The product of the weights, with dimension `slope` contributing its slope instead; 0 outside.
    fn weight(&self, slope: Option<usize>) -> Value<'f> {
        let factor = |(dimension, tap): (usize, &Tap<'f>)| if Some(dimension) == slope { tap.slope } else { tap.weight };
        let product = self.taps.iter().enumerate().map(factor).reduce(|a, b| a * b).unwrap_or(self.taps[0].weight);
        self.inside.select(product, product.like(0.0))
    }
}

/// Every combination of taps for a grid `[N, ..., spatial]`, whose innermost dimension lists x first.
fn corners<'f>(grid: Value<'f>, size: &[i64], options: Options) -> Vec<Corner<'f>> {
    let dims = grid.dims();
    let spatial = size.len();
    let rank = dims.len();
    let (batch, points) = (dims[0], dims[1..rank - 1].iter().product::<i64>());
    let mut corners: Vec<Corner<'f>> = Vec::new();
    for (dimension, &length) in size.iter().enumerate() {
        let entry = (spatial - 1 - dimension) as i64;
        let coordinate = grid.slice_dim(rank as i64 - 1, entry, entry + 1).reshape(&[batch, points]);
        let taps = taps(coordinate, length, options);
        corners = if dimension == 0 {
            taps.into_iter().map(|tap| Corner { index: tap.index, inside: tap.inside, taps: vec![tap] }).collect()
        } else {
            let join = |corner: &Corner<'f>, tap: &Tap<'f>| Corner {
                index: corner.index * corner.index.like(length) + tap.index,
                inside: corner.inside & tap.inside,
                taps: [corner.taps.as_slice(), &[*tap]].concat(),
            };
            corners.iter().flat_map(|corner| taps.iter().map(move |tap| join(corner, tap))).collect()
        };
    }
    corners
}

/// Values `[N, C, points]` of an image `[N, C, S]` at a corner.
fn values_at<'f>(image: Value<'f>, corner: &Corner<'f>) -> Value<'f> {
    let (dims, index) = (image.dims(), corner.index.dims());
    let numbers = GatherDims {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![2],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![2],
        index_vector_dim: 2,
        slice_sizes: vec![1, dims[1], 1],
        ..GatherDims::default()
    };
    image.gather(corner.index.reshape(&[index[0], index[1], 1]), &numbers)
}

/// `[N, points]` spread over the channels of `dims` `[N, C, points]`.
fn over_channels<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    x.broadcast_in_dim(dims, &[0, 2])
}

fn flattened<'f>(image: Value<'f>) -> Value<'f> {
    let dims = image.dims();
    image.reshape(&[dims[0], dims[1], dims[2..].iter().product()])
}

fn sample<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let element = cx.compute_element();
    let image = cx.operand(0, element)?;
    let size = &image.dims()[2..2 + spatial];
    if cx.out_dims().contains(&0) || size.contains(&0) {
        return Ok(vec![Some(cx.out_splat(0.0))]);
    }
    let corners = corners(cx.operand(1, element)?, size, Options::read(cx, 2)?);
    let flat = flattened(image);
    let terms = corners.iter().map(|corner| {
        let values = values_at(flat, corner);
        let dims = values.dims();
        // A value outside counts as 0 even if what stands in for it is not finite.
        let inside = over_channels(corner.inside, &dims);
        inside.select(values, values.like(0.0)) * over_channels(corner.weight(None), &dims)
    });
    Ok(vec![terms.reduce(|a, b| a + b).map(|sum| sum.reshape(cx.out_dims()))])
}

fn sample_backward<'f>(cx: &Lowering<'f, '_>, spatial: usize) -> Lowered<'f> {
    let element = compute_element(cx.meta(1)?.element);
    let (g, image, grid) = (cx.operand(0, element)?, cx.operand(1, element)?, cx.operand(2, element)?);
    let (image_dims, grid_dims) = (image.dims(), grid.dims());
    let size = &image_dims[2..2 + spatial];
    if g.numel() == 0 || image.numel() == 0 {
        let zeros = |index: usize, dims: &[i64]| cx.wants(index).then(|| cx.func.zero(TensorType::new(element, dims)));
        return Ok(vec![zeros(0, &image_dims), zeros(1, &grid_dims)]);
    }
    let corners = corners(grid, size, Options::read(cx, 3)?);
    let (g, flat) = (flattened(g), flattened(image));
    let g_dims = g.dims();
    let grad_image = cx.wants(0).then(|| {
        let updates: Vec<Value<'f>> =
            corners.iter().map(|corner| g * over_channels(corner.weight(None), &g_dims)).collect();
        let indices: Vec<Value<'f>> = corners.iter().map(|corner| corner.index).collect();
        let (updates, indices) = (cx.func.concatenate(&updates, 2), cx.func.concatenate(&indices, 1));
        let numbers = ScatterDims {
            update_window_dims: vec![1],
            inserted_window_dims: vec![2],
            input_batching_dims: vec![0],
            scatter_indices_batching_dims: vec![0],
            scatter_dims_to_operand_dims: vec![2],
            index_vector_dim: 2,
            ..ScatterDims::default()
        };
        let zeros = flat.like(0.0);
        let count = indices.dims()[1];
        let sums = cx.func.scatter(&[zeros], indices.reshape(&[g_dims[0], count, 1]), &[updates], &numbers, |old, new| vec![old[0] + new[0]]);
        sums.first().copied().unwrap_or(zeros).reshape(&image_dims)
    });
    let grad_grid = cx.wants(1).then(|| {
        let mut slopes: Vec<Option<Value<'f>>> = vec![None; spatial];
        for corner in &corners {
            let values = values_at(flat, corner);
            let inside = over_channels(corner.inside, &g_dims);
            let product = (inside.select(values, values.like(0.0)) * g).reduce_add(&[1]);
            for (dimension, slope) in slopes.iter_mut().enumerate() {
                let term = product * corner.weight(Some(dimension));
                *slope = Some(slope.map_or(term, |sum| sum + term));
            }
        }
        // The grid lists x first.
        let parts: Vec<Value<'f>> =
            slopes.into_iter().rev().flatten().map(|slope| slope.reshape(&[g_dims[0], g_dims[2], 1])).collect();
        cx.func.concatenate(&parts, 2).reshape(&grid_dims)
    });
    Ok(vec![grad_image, grad_grid])
}
