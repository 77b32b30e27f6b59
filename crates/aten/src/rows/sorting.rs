//! Stable sorts and what is read off a sorted dim: top k, k-th value, medians, mode. NaN counts as the largest.

use stablehlo::{BackendConfig, CustomCall, ElementType, TensorType, Value};

use super::cumulative::scan;
use super::positions::{gather_along, position_element};
use super::reductions::{Side, extreme_at, shaped};
use crate::{LowerError, Lowered, Lowering, Row, Target};

pub const ROWS: &[Row] = &[
    Row::custom("aten::sort", |cx| sorted_results(cx, 1, cx.bool(2)?)),
    Row::custom("aten::sort.stable", |cx| sorted_results(cx, 2, cx.bool(3)?)),
    Row::custom("aten::topk", top_k),
    Row::custom("aten::kthvalue", kth_value),
    Row::custom("aten::median", |cx| median_of_all(cx, Missing::Wins)),
    Row::custom("aten::nanmedian", |cx| median_of_all(cx, Missing::Ignored)),
    Row::custom("aten::median.dim", |cx| median(cx, Missing::Wins)),
    Row::custom("aten::nanmedian.dim", |cx| median(cx, Missing::Ignored)),
    Row::custom("aten::mode", mode),
];

/// A sorted dim: its values, and the position that each had before.
struct Sorted<'f> {
    values: Value<'f>,
    positions: Value<'f>,
    dim: i64,
}

impl<'f> Sorted<'f> {
    /// Value and position at `index`, which has size 1 in the sorted dim.
    fn at(&self, index: Value<'f>) -> (Value<'f>, Value<'f>) {
        (gather_along(self.values, index, self.dim), gather_along(self.positions, index, self.dim))
    }

    fn size(&self) -> i64 {
        self.values.dims()[self.dim as usize]
    }
}

/// Whether `a` goes before `b`; NaN goes last in ascending and first in descending order.
fn goes_before<'f>(a: Value<'f>, b: Value<'f>, descending: bool) -> Value<'f> {
    let float = a.element().is_float();
    match (descending, float) {
        (false, false) => a.lt(b),
        (true, false) => a.gt(b),
        (false, true) => a.lt(b) | (b.ne(b) & a.eq(a)),
        (true, true) => a.gt(b) | (a.ne(a) & b.eq(b)),
    }
}

/// Equal elements keep their order.
fn sort<'f>(x: Value<'f>, dim: i64, descending: bool) -> Sorted<'f> {
    let element = x.element();
    let keys = match element {
        ElementType::I1 => x.convert(ElementType::U8),
        ElementType::F16 | ElementType::BF16 => x.convert(ElementType::F32),
        _ => x,
    };
    let positions = x.func().iota(position_element(x.dims()[dim as usize]), &x.dims(), dim);
    let sorted = x.func().sort(&[keys, positions], dim, true, |pairs| match pairs {
        [(a, b), ..] => goes_before(*a, *b, descending),
        [] => x.func().constant_i64(ElementType::I1, 0),
    });
    match sorted[..] {
        [values, positions] => Sorted { values: values.convert(element), positions, dim },
        _ => Sorted { values: x, positions, dim },
    }
}

/// Argument 0 with a dim to sort, and that dim.
fn sortable<'f>(cx: &Lowering<'f, '_>, dim: usize) -> Result<(Value<'f>, i64), LowerError> {
    let x = cx.tensor(0)?;
    Ok(if x.rank() == 0 { (x.reshape(&[1]), 0) } else { (x, cx.dim(dim, x.rank())?) })
}

/// Values and positions, reshaped to the announced results.
fn pair<'f>(cx: &Lowering<'f, '_>, values: Value<'f>, positions: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(shaped(cx, values)), Some(shaped(cx, positions))])
}

fn sorted_results<'f>(cx: &Lowering<'f, '_>, dim: usize, descending: bool) -> Lowered<'f> {
    let (x, dim) = sortable(cx, dim)?;
    let sorted = sort(x, dim, descending);
    pair(cx, sorted.values, sorted.positions)
}

fn top_k<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dim) = sortable(cx, 2)?;
    let k = cx.int(1)?;
    let largest = cx.bool(3)?;
    // NaN is the extreme of either side, but only the largest of a sorted dim.
    if k == 1 && x.numel() > 0 && (largest || !x.element().is_float()) {
        let (value, position) = extreme_at(cx, x, dim, if largest { Side::Largest } else { Side::Smallest });
        return pair(cx, value, position);
    }
    if largest && let Some((values, positions)) = selected(cx, x, dim, k) {
        return pair(cx, values, positions);
    }
    let sorted = sort(x, dim, largest);
    pair(cx, sorted.values.slice_dim(dim, 0, k), sorted.positions.slice_dim(dim, 0, k))
}

/// The `k` largest of a long last dim without sorting it, by XLA:CPU's own partial sort. That orders the bits of
/// f32 numbers, in which only a positive NaN is the largest, and takes the first of equal ones.
fn selected<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, dim: i64, k: i64) -> Option<(Value<'f>, Value<'f>)> {
    let (element, dims) = (x.element(), x.dims());
    let size = dims[dim as usize];
    let exact = matches!(element, ElementType::F32 | ElementType::F16 | ElementType::BF16);
    let short = k == 0 || size < 256 || k > size / 4;
    if cx.environment.target != Target::Cpu || !exact || short || dim + 1 != dims.len() as i64 || x.numel() == 0 {
        return None;
    }
    let rows = x.convert(ElementType::F32).reshape(&[x.numel() / size, size]);
    let rows = rows.ne(rows).select(rows.like(f64::NAN), rows);
    let results = [ElementType::F32, ElementType::I32].map(|e| TensorType::new(e, &[x.numel() / size, k]));
    let call = CustomCall { api_version: 1, backend_config: BackendConfig::None, ..CustomCall::default() };
    match cx.func.custom_call("TopK", &[rows], &results, &call)[..] {
        [values, positions] => Some((values.convert(element), positions)),
        _ => None,
    }
}

fn kth_value<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dim) = sortable(cx, 2)?;
    let k = cx.int(1)?;
    let sorted = sort(x, dim, false);
    pair(cx, sorted.values.slice_dim(dim, k - 1, k), sorted.positions.slice_dim(dim, k - 1, k))
}

/// What NaN does to a median.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Wins,
    Ignored,
}

/// The lower one of the two middle elements when their number is even; the first NaN when NaN wins.
fn middle<'f>(x: Value<'f>, dim: i64, missing: Missing) -> (Value<'f>, Value<'f>) {
    let sorted = sort(x, dim, false);
    let size = sorted.size();
    if !x.element().is_float() {
        let at = (size - 1) / 2;
        return (sorted.values.slice_dim(dim, at, at + 1), sorted.positions.slice_dim(dim, at, at + 1));
    }
    let mut kept = x.dims();
    kept[dim as usize] = 1;
    let numbers = x.eq(x).convert(sorted.positions.element()).reduce_add(&[dim]).reshape(&kept);
    let (zero, one) = (numbers.like(0), numbers.like(1));
    let index = match missing {
        Missing::Wins => numbers.lt(numbers.like(size)).select(numbers, numbers.like((size - 1) / 2)),
        Missing::Ignored => (numbers - one).maximum(zero) / numbers.like(2),
    };
    sorted.at(index)
}

fn median<'f>(cx: &Lowering<'f, '_>, missing: Missing) -> Lowered<'f> {
    let (x, dim) = sortable(cx, 1)?;
    let (value, position) = middle(x, dim, missing);
    pair(cx, value, position)
}

/// Of the flattened tensor; NaN of an empty one.
fn median_of_all<'f>(cx: &Lowering<'f, '_>, missing: Missing) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    if x.numel() == 0 {
        return Ok(vec![Some(if x.element().is_float() { cx.out_splat(f64::NAN) } else { cx.func.lowest(x.element()) })]);
    }
    Ok(vec![Some(shaped(cx, middle(x.reshape(&[x.numel()]), 0, missing).0))])
}

/// The smallest of the most frequent values, at its last position.
fn mode<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dim) = sortable(cx, 1)?;
    if x.numel() == 0 {
        return pair(cx, cx.out_splat(0.0), cx.func.zero(ElementType::I64).broadcast_to(cx.out_dims()));
    }
    let sorted = sort(x, dim, false);
    let size = sorted.size();
    let place = cx.func.iota(sorted.positions.element(), &x.dims(), dim);
    let before = sorted.values.slice_dim(dim, 0, size - 1);
    let after = sorted.values.slice_dim(dim, 1, size);
    let mut first = x.dims();
    first[dim as usize] = 1;
    let starts_group = cx.func.concatenate(&[cx.func.splat(ElementType::I1, &first, true), before.ne(after)], dim);
    let group_starts =
        scan(&[starts_group.select(place, place.like(0))], dim, &|a, b| a.iter().zip(b).map(|(a, b)| a.maximum(*b)).collect());
    let Some(start) = group_starts.first() else { return Err(LowerError::unsupported("mode of nothing")) };
    let index = extreme_at(cx, place - *start, dim, Side::Largest).1.reshape(&first);
    let (value, position) = sorted.at(index);
    pair(cx, value, position)
}
