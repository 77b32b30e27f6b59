//! Looking values up in sorted or unsorted sequences, and counting them into bins.

use stablehlo::{Dims, ElementType, Value};

use super::positions::{Combine, gather_along, position_element, scatter_flat};
use crate::{CallArgument, Lowered, Lowering, Row, compute_element, promote};

pub const ROWS: &[Row] = &[
    Row::custom("aten::searchsorted.Tensor", |cx| {
        searchsorted(cx, &SearchArguments { sequence: 0, values: 1, right: 3, side: Some(4), sorter: Some(5) })
    }),
    Row::custom("aten::searchsorted.Scalar", |cx| {
        searchsorted(cx, &SearchArguments { sequence: 0, values: 1, right: 3, side: Some(4), sorter: Some(5) })
    }),
    Row::custom("aten::bucketize.Tensor", |cx| {
        searchsorted(cx, &SearchArguments { sequence: 1, values: 0, right: 3, side: None, sorter: None })
    }),
    Row::custom("aten::bucketize.Scalar", |cx| {
        searchsorted(cx, &SearchArguments { sequence: 1, values: 0, right: 3, side: None, sorter: None })
    }),
    Row::custom("aten::histc", histc),
    Row::custom("aten::isin.Tensor_Tensor", isin),
    Row::custom("aten::isin.Tensor_Scalar", isin),
    Row::custom("aten::isin.Scalar_Tensor", isin),
];

/// Where the two overloads of the search have their arguments.
struct SearchArguments {
    sequence: usize,
    values: usize,
    right: usize,
    side: Option<usize>,
    sorter: Option<usize>,
}

/// The first place where a value could be inserted, or with `right` the last.
fn searchsorted<'f>(cx: &Lowering<'f, '_>, arguments: &SearchArguments) -> Lowered<'f> {
    let sequence = cx.tensor(arguments.sequence)?;
    let element = match cx.argument(arguments.values) {
        CallArgument::Tensor(t) if !t.wrapped => promote(sequence.element(), t.meta.element),
        _ => sequence.element(),
    };
    let right = match arguments.side {
        Some(side) if cx.is_present(side) => cx.text(side)? == "right",
        _ => cx.bool(arguments.right)?,
    };
    let mut sequence = sequence.convert(element);
    if let Some(sorter) = arguments.sorter
        && let Some(sorter) = cx.optional_tensor(sorter)?
    {
        let last = sequence.rank() as i64 - 1;
        sequence = gather_along(sequence, sorter, last);
    }
    let dims = cx.out_dims();
    let values = cx.operand(arguments.values, element)?.reshape(dims);
    Ok(vec![Some(search(sequence, values, right))])
}

/// A comparison of every pair up to this many elements of the sequence, a bisection beyond.
const MOST_PAIRS: i64 = 32;

/// How many elements of the last dimension of `sequence` (1-dimensional, or with the leading sizes of `values`) come
/// before each value. The comparisons are such that NaN sorts last.
pub(super) fn search<'f>(sequence: Value<'f>, values: Value<'f>, right: bool) -> Value<'f> {
    let func = values.func();
    let size = sequence.dims().last().copied().unwrap_or(0);
    let element = position_element(size);
    let dims = values.dims();
    let comes_before = |x: Value<'f>, value: Value<'f>| if right { !x.gt(value) } else { !x.ge(value) };
    if size == 0 || values.numel() == 0 {
        return func.splat(element, &dims, 0i64);
    }
    let shared = sequence.rank() == 1;
    if size <= MOST_PAIRS {
        let mut pairs = dims.clone();
        pairs.push(size);
        let rank = dims.len() as i64;
        let axes: Dims = (0..rank).collect();
        let sequence_axes: Dims = if shared { Dims::from_slice(&[rank]) } else { (0..rank - 1).chain([rank]).collect() };
        let before = comes_before(sequence.broadcast_in_dim(&pairs, &sequence_axes), values.broadcast_in_dim(&pairs, &axes));
        return before.convert(element).reduce_add(&[rank]);
    }
    // Rows of a matrix, or one row for all values.
    let rows = if shared { 1 } else { sequence.numel() / size };
    let matrix = sequence.reshape(&[rows, size]);
    let wanted = values.reshape(&[rows, values.numel() / rows]);
    let low = func.splat(element, &wanted.dims(), 0i64);
    let high = low.like(size);
    let steps = i64::from(64 - size.leading_zeros());
    let step = func.constant_i64(ElementType::I32, 0);
    let found = func.while_loop(
        &[step, low, high],
        |state| state[0].lt(state[0].like(steps)),
        |state| {
            let (step, low, high) = (state[0], state[1], state[2]);
            let middle = (low + high).shift_right_logical(low.like(1i64));
            let before = comes_before(gather_along(matrix, middle, 1), wanted);
            let open = low.lt(high);
            let low_next = (open & before).select(middle + middle.like(1i64), low);
            let high_next = (open & !before).select(middle, high);
            vec![step + step.like(1i64), low_next, high_next]
        },
    );
    found.get(1).copied().unwrap_or(low).reshape(&dims)
}

/// Counts elements into equal bins between `min` and `max`, or between the smallest and the largest element when
/// the two are equal; elements outside are not counted. Integers, which CUDA takes and the CPU does not, divide exactly.
fn histc<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = if cx.out_element().is_float() { cx.compute_element() } else { ElementType::I64 };
    let x = cx.operand(0, element)?;
    let bins = cx.int(1)?;
    let size = x.numel();
    if size == 0 {
        return Ok(vec![Some(cx.out_splat(0.0))]);
    }
    let x = x.reshape(&[size]);
    let (mut low, mut high) = (cx.scalar(2, element)?, cx.scalar(3, element)?);
    let given = low.ne(high);
    low = given.select(low, x.reduce_min(&[0]));
    high = given.select(high, x.reduce_max(&[0]));
    let flat = low.eq(high);
    low = flat.select(low.minus(1.0), low);
    high = flat.select(high.plus(1.0), high);
    if element.is_float() {
        let infinite = !(low.is_finite() & high.is_finite());
        cx.check_data(infinite, low.convert(ElementType::I64), "histc: the range of the elements is not finite");
    }
    let (low, high) = (low.broadcast_to(&[size]), high.broadcast_to(&[size]));
    let inside = x.ge(low) & x.le(high);
    let place = (x - low) * x.like(bins as f64) / (high - low);
    let place = if element.is_float() { place.floor() } else { place };
    let last = place.like((bins - 1) as f64);
    let place = place.clamp(place.like(0.0), last).convert(position_element(bins + 1));
    let place = inside.select(place, place.like(bins));
    let counts = scatter_flat(cx.func.splat(element, &[bins], 0i64), place, x.like(1.0), Combine::Add);
    Ok(vec![Some(counts.convert(cx.out_element()))])
}

fn isin<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.promoted(&[0, 1]));
    let dims = cx.out_dims();
    let values = cx.operand(0, element)?.reshape(dims);
    let tests = cx.operand(1, element)?;
    let size = tests.numel();
    let tests = tests.reshape(&[size]);
    let found = if size == 0 || values.numel() == 0 {
        cx.func.splat(ElementType::I1, dims, false)
    } else if size <= MOST_PAIRS {
        let rank = dims.len() as i64;
        let mut pairs = Dims::from_slice(dims);
        pairs.push(size);
        let axes: Dims = (0..rank).collect();
        values.broadcast_in_dim(&pairs, &axes).eq(tests.broadcast_in_dim(&pairs, &[rank])).reduce_or(&[rank])
    } else {
        let tests = if element.is_bool() { tests.convert(ElementType::I32) } else { tests };
        let values = values.convert(tests.element());
        let sorted = cx.func.sort(&[tests], 0, false, |pairs| super::unique::sorts_before(pairs[0].0, pairs[0].1));
        let sorted = sorted.first().copied().unwrap_or(tests);
        let place = search(sorted, values, false);
        super::positions::gather_slices(sorted, place, 0).eq(values)
    };
    Ok(vec![Some(if cx.bool(3)? { !found } else { found })])
}
