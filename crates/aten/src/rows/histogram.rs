//! Histograms over one or several dimensions: elements, or their weights, counted between edges. The last bin holds its
//! upper edge; elements outside are not counted.

use stablehlo::{Dims, ElementType, Value};

use super::positions::{Combine, position_element, scatter_flat};
use super::searching::search;
use crate::{Call, CallArgument, Infer, LowerError, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    Row::custom("aten::histogram.bin_ct", |cx| {
        let x = Elements::flat(cx)?;
        let edges = edges_between(cx, x, &[cx.int(1)?], 2)?;
        let counts = count(cx, x, &edges, 3, cx.bool(4)?)?;
        Ok(vec![Some(counts), edges.first().copied()])
    })
    .infer(Infer::Rule(|call| {
        let bins = int(call, 1)?;
        Ok(vec![meta(call, &[bins])?, meta(call, &[bins + 1])?])
    })),
    Row::custom("aten::histogram.bins_tensor", |cx| {
        let x = Elements::flat(cx)?;
        let edges = cx.operand(1, x.0.element())?;
        let counts = count(cx, x, &[edges], 2, cx.bool(3)?)?;
        Ok(vec![Some(counts), Some(edges)])
    })
    .infer(Infer::Rule(|call| {
        let edges = tensor(call, 1)?.dims.first().copied().unwrap_or(0);
        Ok(vec![meta(call, &[edges - 1])?, meta(call, &[edges])?])
    })),
    Row::custom("aten::_histogramdd_bin_edges", |cx| {
        let x = Elements::of_points(cx)?;
        Ok(edges_between(cx, x, cx.ints(1)?, 2)?.into_iter().map(Some).collect())
    })
    .infer(Infer::Rule(|call| ints(call, 1)?.iter().map(|bins| meta(call, &[bins + 1])).collect())),
    Row::custom("aten::_histogramdd_from_bin_cts", |cx| {
        let x = Elements::of_points(cx)?;
        let edges = edges_between(cx, x, cx.ints(1)?, 2)?;
        Ok(vec![Some(count(cx, x, &edges, 3, cx.bool(4)?)?)])
    })
    .infer(Infer::Rule(|call| Ok(vec![meta(call, ints(call, 1)?)?]))),
    Row::custom("aten::_histogramdd_from_bin_tensors", |cx| {
        let x = Elements::of_points(cx)?;
        let edges: Vec<Value<'_>> = cx.tensors(1)?.into_iter().map(|edges| edges.convert(x.0.element())).collect();
        Ok(vec![Some(count(cx, x, &edges, 2, cx.bool(3)?)?)])
    })
    .infer(Infer::Rule(|call| {
        let Some(CallArgument::Tensors(edges)) = call.arguments.get(1) else { return Err(wrong(1)) };
        let bins: Dims = edges.iter().flatten().map(|edges| edges.meta.dims.first().map_or(0, |edges| edges - 1)).collect();
        Ok(vec![meta(call, &bins)?])
    })),
];

fn wrong(index: usize) -> LowerError {
    LowerError::unsupported(format!("argument {index} of another kind"))
}

fn tensor(call: &Call, index: usize) -> Result<&TensorMeta, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(tensor)) => Ok(&tensor.meta),
        _ => Err(wrong(index)),
    }
}

fn int(call: &Call, index: usize) -> Result<i64, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Int(value)) => Ok(*value),
        _ => Err(wrong(index)),
    }
}

fn ints(call: &Call, index: usize) -> Result<&[i64], LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Ints(values)) => Ok(values),
        _ => Err(wrong(index)),
    }
}

/// A result of `dims` in the dtype of argument 0.
fn meta(call: &Call, dims: &[i64]) -> Result<Option<TensorMeta>, LowerError> {
    Ok(Some(TensorMeta { dims: dims.into(), element: tensor(call, 0)?.element }))
}

/// The counted points: `[points, dimensions]`.
#[derive(Clone, Copy)]
struct Elements<'f>(Value<'f>);

impl<'f> Elements<'f> {
    fn flat(cx: &Lowering<'f, '_>) -> Result<Self, LowerError> {
        let x = cx.operand(0, cx.compute_element())?;
        Ok(Self(x.reshape(&[x.numel(), 1])))
    }

    fn of_points(cx: &Lowering<'f, '_>) -> Result<Self, LowerError> {
        let element = crate::compute_element(cx.meta(0)?.element);
        let x = cx.operand(0, element)?;
        let dimensions = x.dims().last().copied().unwrap_or(1);
        Ok(Self(x.reshape(&[x.numel() / dimensions.max(1), dimensions])))
    }

    fn points(self) -> i64 {
        self.0.dims()[0]
    }

    fn along(self, dimension: i64) -> Value<'f> {
        self.0.slice_dim(1, dimension, dimension + 1).reshape(&[self.points()])
    }
}

/// Equally spaced edges of `bins[d]` bins along each dimension: between the bounds of argument `range` if it is given, else
/// between the smallest and the largest element. Equal bounds move apart by a half on each side.
fn edges_between<'f>(cx: &Lowering<'f, '_>, x: Elements<'f>, bins: &[i64], range: usize) -> Result<Vec<Value<'f>>, LowerError> {
    let element = x.0.element();
    let given = if cx.is_present(range) { cx.floats(range)? } else { &[] };
    bins.iter()
        .enumerate()
        .map(|(dimension, &bins)| {
            let number = |value: f64| cx.func.constant_f64(element, value);
            let (low, high) = match given.get(2 * dimension..2 * dimension + 2) {
                Some(bounds) => (number(bounds[0]), number(bounds[1])),
                None if x.points() == 0 => (number(0.0), number(1.0)),
                None => (x.along(dimension as i64).reduce_min(&[0]), x.along(dimension as i64).reduce_max(&[0])),
            };
            let failed = !(low.is_finite() & high.is_finite());
            cx.check_data(failed, low.convert(ElementType::I64), "histogram: the range of the elements is not finite");
            let flat = low.eq(high);
            let (low, high) = (flat.select(low.minus(0.5), low), flat.select(high.plus(0.5), high));
            let step = (high - low).over(bins as f64);
            let size = [bins + 1];
            let place = cx.func.iota(element, &size, 0);
            // From the nearer end, as linspace does, so that the last edge is exact.
            let from_low = low.broadcast_to(&size) + step.broadcast_to(&size) * place;
            let from_high = high.broadcast_to(&size) - step.broadcast_to(&size) * (place.like(bins as f64) - place);
            Ok(place.lt(place.like(((bins + 1) / 2) as f64)).select(from_low, from_high))
        })
        .collect()
}

/// Adds up the points, or argument `weight`, between `edges`; with `density` the histogram's integral becomes 1.
fn count<'f>(cx: &Lowering<'f, '_>, x: Elements<'f>, edges: &[Value<'f>], weight: usize, density: bool) -> Result<Value<'f>, LowerError> {
    let (element, points) = (x.0.element(), x.points());
    if edges.len() as i64 != x.0.dims()[1] {
        let words = "histogramdd: The size of bins must be equal to the innermost dimension of the input tensor";
        return Err(LowerError::refused(words));
    }
    let bins: Vec<i64> = edges.iter().map(|edges| edges.numel() - 1).collect();
    let cells: i64 = bins.iter().product();
    let index = position_element(cells + 1);
    let mut place = cx.func.splat(index, &[points], 0i64);
    let mut inside = cx.func.splat(ElementType::I1, &[points], true);
    for (dimension, (&edges, &bins)) in edges.iter().zip(&bins).enumerate() {
        let values = x.along(dimension as i64);
        let bound = |at: i64| edges.slice_dim(0, at, at + 1).reshape(&[]).broadcast_to(&[points]);
        inside = inside & values.ge(bound(0)) & values.le(bound(bins));
        let found = search(edges, values, true).convert(index);
        let found = found - found.like(1i64);
        place = place * place.like(bins) + found.clamp(found.like(0i64), found.like(bins - 1));
    }
    let place = inside.select(place, place.like(cells));
    let weights = match cx.optional_tensor(weight)? {
        Some(weights) => weights.convert(element).reshape(&[points]),
        None => cx.func.splat(element, &[points], 1.0),
    };
    let mut counts = scatter_flat(cx.func.splat(element, &[cells], 0.0), place, weights, Combine::Add).reshape(&bins);
    if density {
        counts = counts / counts.reduce_add(&(0..bins.len() as i64).collect::<Vec<_>>()).broadcast_to(&bins);
        for (dimension, (&edges, &size)) in edges.iter().zip(&bins).enumerate() {
            let widths = edges.slice_dim(0, 1, size + 1) - edges.slice_dim(0, 0, size);
            counts = counts / widths.broadcast_in_dim(&bins, &[dimension as i64]);
        }
    }
    Ok(counts)
}
