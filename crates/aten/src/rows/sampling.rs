//! `grid_sampler` in 2 and 3 dimensions: values of an image at the points of a grid, and the gradients.

use stablehlo::{ElementType, GatherDims, ScatterDims, TensorType, Value};

use super::window::along;
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

/// The source positions of every point along one dimension, one row a tap: all `[N, taps, points]`.
struct Taps<'f> {
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

/// What taps at these offsets from the floor weigh: a polynomial of their distance, highest power first, one a tap.
struct Kernel {
    offsets: &'static [f64],
    polynomials: &'static [&'static [f64]],
}

/// Keys' cubic with a = -0.75.
const CUBIC_NEAR: &[f64] = &[1.25, -2.25, 0.0, 1.0];
const CUBIC_FAR: &[f64] = &[-0.75, 3.75, -6.0, 3.0];
const TENT: &[f64] = &[-1.0, 1.0];

impl Kernel {
    fn of(interpolation: Interpolation) -> Self {
        match interpolation {
            Interpolation::Linear => Self { offsets: &[0.0, 1.0], polynomials: &[TENT, TENT] },
            Interpolation::Nearest => Self { offsets: &[0.0], polynomials: &[&[1.0]] },
            Interpolation::Cubic => Self { offsets: &[-1.0, 0.0, 1.0, 2.0], polynomials: &[CUBIC_FAR, CUBIC_NEAR, CUBIC_NEAR, CUBIC_FAR] },
        }
    }

    /// The polynomials at `distance [N, taps, points]`, and their derivatives.
    fn weights<'f>(&self, distance: Value<'f>) -> (Value<'f>, Value<'f>) {
        let dims = distance.dims();
        let powers = self.polynomials.iter().map(|coefficients| coefficients.len()).max().unwrap_or(1);
        let coefficient = |power: usize, scale: f64| -> Value<'f> {
            let of_tap: Vec<f64> = self.polynomials.iter().map(|list| list.get(power).copied().unwrap_or(0.0) * scale).collect();
            along(distance, &dims, 1, &of_tap)
        };
        let mut value = coefficient(0, 1.0);
        let mut slope = distance.like(0.0);
        for power in 1..powers {
            value = value * distance + coefficient(power, 1.0);
            let degree = (powers - power) as f64;
            slope = slope * distance + coefficient(power - 1, degree);
        }
        (value, slope)
    }
}

/// The taps of one dimension of `size` for coordinates `[N, points]`.
fn taps<'f>(coordinate: Value<'f>, size: i64, options: Options) -> Taps<'f> {
    let kernel = Kernel::of(options.interpolation);
    let moved = to_position(coordinate, size, options.align_corners);
    // The cubic's taps are padded one by one, what the others have between is a padded position.
    let cubic = options.interpolation == Interpolation::Cubic;
    let (position, slope) = if cubic { moved } else { pad(moved, size, options) };
    let first = match options.interpolation {
        Interpolation::Nearest => position.round_nearest_even(),
        _ => position.floor(),
    };
    let dims = coordinate.dims();
    let all = [dims[0], kernel.offsets.len() as i64, dims[1]];
    let spread = |value: Value<'f>| value.broadcast_in_dim(&all, &[0, 2]);
    let offsets = along(position, &all, 1, kernel.offsets);
    // Taps up to the floor lie before the position, the others after it.
    let sides: Vec<f64> = kernel.offsets.iter().map(|&offset| if offset <= 0.0 { 1.0 } else { -1.0 }).collect();
    let side = along(position, &all, 1, &sides);
    let (weight, by_distance) = kernel.weights((spread(position - first) - offsets) * side);
    let sources = spread(first) + offsets;
    let sources = if cubic { pad((sources, sources), size, options).0.round_nearest_even() } else { sources };
    let (low, high) = (sources.like(0.0), sources.like((size - 1) as f64));
    Taps {
        index: sources.maximum(low).minimum(high).convert(ElementType::I32),
        inside: sources.ge(low) & sources.le(high),
        weight,
        slope: by_distance * side * spread(slope),
    }
}

/// Every combination of one tap a dimension: `[N, corners, points]`.
struct Corners<'f> {
    /// i32 into the flattened image.
    index: Value<'f>,
    inside: Value<'f>,
    /// Of each dimension, spread over the corners.
    weights: Vec<Value<'f>>,
    slopes: Vec<Value<'f>>,
}

impl<'f> Corners<'f> {
    /// Of a grid `[N, ..., spatial]`, whose innermost dimension lists x first.
    fn of(grid: Value<'f>, size: &[i64], options: Options) -> Self {
        let dims = grid.dims();
        let (spatial, rank) = (size.len(), dims.len());
        let (batch, points) = (dims[0], dims[1..rank - 1].iter().product::<i64>());
        let taps: Vec<Taps<'f>> = (size.iter().enumerate())
            .map(|(dimension, &length)| {
                let entry = (spatial - 1 - dimension) as i64;
                taps(grid.slice_dim(rank as i64 - 1, entry, entry + 1).reshape(&[batch, points]), length, options)
            })
            .collect();
        let count = Kernel::of(options.interpolation).offsets.len() as i64;
        let all: Vec<i64> = [batch].into_iter().chain(size.iter().map(|_| count)).chain([points]).collect();
        let corners = [batch, all[1..=spatial].iter().product(), points];
        let spread = |dimension: usize, value: Value<'f>| {
            value.broadcast_in_dim(&all, &[0, 1 + dimension as i64, 1 + spatial as i64]).reshape(&corners)
        };
        let each = |part: fn(&Taps<'f>) -> Value<'f>| -> Vec<Value<'f>> {
            taps.iter().enumerate().map(|(dimension, taps)| spread(dimension, part(taps))).collect()
        };
        let index =
            each(|taps| taps.index).into_iter().zip(size).reduce(|(flat, _), (index, length)| (flat * flat.like(*length) + index, length));
        let inside = each(|taps| taps.inside).into_iter().reduce(|a, b| a & b);
        let nowhere = grid.func().zero(TensorType::new(ElementType::I32, &corners));
        Corners {
            index: index.map_or(nowhere, |(index, _)| index),
            inside: inside.unwrap_or_else(|| nowhere.convert(ElementType::I1)),
            weights: each(|taps| taps.weight),
            slopes: each(|taps| taps.slope),
        }
    }

    /// The product of the weights, with dimension `slope` contributing its slope instead; 0 outside.
    fn weight(&self, slope: Option<usize>) -> Value<'f> {
        let factors = (0..self.weights.len()).map(|d| if Some(d) == slope { self.slopes[d] } else { self.weights[d] });
        let product = factors.reduce(|a, b| a * b).unwrap_or(self.index);
        self.inside.select(product, product.like(0.0))
    }

    /// Values `[N, C, corners, points]` of an image `[N, C, S]`; 0 outside, even if what stands in is not finite.
    fn values(&self, image: Value<'f>) -> Value<'f> {
        let (dims, own) = (image.dims(), self.index.dims());
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
        let gathered = image.gather(self.index.reshape(&[own[0], own[1] * own[2], 1]), &numbers);
        let all = [dims[0], dims[1], own[1], own[2]];
        self.inside
            .broadcast_in_dim(&all, &[0, 2, 3])
            .select(gathered.reshape(&all), image.func().zero(TensorType::new(image.element(), &all)))
    }
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
    let corners = Corners::of(cx.operand(1, element)?, size, Options::read(cx, 2)?);
    let values = corners.values(flattened(image));
    let weights = corners.weight(None).broadcast_in_dim(&values.dims(), &[0, 2, 3]);
    Ok(vec![Some((values * weights).reduce_add(&[2]).reshape(cx.out_dims()))])
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
    let corners = Corners::of(grid, size, Options::read(cx, 3)?);
    let (g, flat) = (flattened(g), flattened(image));
    let (g_dims, own) = (g.dims(), corners.index.dims());
    // [N, C, corners, points]
    let all = [g_dims[0], g_dims[1], own[1], own[2]];
    let g = g.broadcast_in_dim(&all, &[0, 1, 3]);
    let grad_image = cx.wants(0).then(|| {
        let updates = g * corners.weight(None).broadcast_in_dim(&all, &[0, 2, 3]);
        let count = own[1] * own[2];
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
        let index = corners.index.reshape(&[own[0], count, 1]);
        let updates = updates.reshape(&[all[0], all[1], count]);
        let sums = cx.func.scatter(&[zeros], index, &[updates], &numbers, |old, new| vec![old[0] + new[0]]);
        sums.first().copied().unwrap_or(zeros).reshape(&image_dims)
    });
    let grad_grid = cx.wants(1).then(|| {
        let products = (corners.values(flat) * g).reduce_add(&[1]);
        // The grid lists x first.
        let parts: Vec<Value<'f>> = (0..spatial)
            .rev()
            .map(|dimension| (products * corners.weight(Some(dimension))).reduce_add(&[1]).reshape(&[own[0], own[2], 1]))
            .collect();
        cx.func.concatenate(&parts, 2).reshape(&grid_dims)
    });
    Ok(vec![grad_image, grad_grid])
}
