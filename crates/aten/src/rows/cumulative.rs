//! Running sums, products and extremes along one dim.

use stablehlo::{ElementType, Value};

use super::positions::position_element;
use super::reductions::{Side, one};
use crate::{Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::cumsum", |cx| running(cx, |a, b| a + b)),
    Row::custom("aten::cumprod", |cx| running(cx, |a, b| a * b)),
    Row::custom("aten::logcumsumexp", |cx| running(cx, log_add)),
    Row::custom("aten::_logcumsumexp", |cx| running(cx, log_add)).infer(crate::Infer::Rule(super::reductions::like_first)),
    Row::custom("aten::cummax", |cx| running_extreme(cx, Side::Largest)),
    Row::custom("aten::cummin", |cx| running_extreme(cx, Side::Smallest)),
];

/// Joins slices of the scanned values: (earlier, later).
type Joins<'j, 'f> = dyn Fn(&[Value<'f>], &[Value<'f>]) -> Vec<Value<'f>> + 'j;

/// Combines every element along `dim` with all before it; `combine(earlier, later)` is associative and works on
/// whole slices of the values. Pairs are combined first and the scan of the pairs gives every second result, so the
/// work is linear and the sums are as exact as in a tree.
pub(super) fn scan<'f>(values: &[Value<'f>], dim: i64, combine: &Joins<'_, 'f>) -> Vec<Value<'f>> {
    let Some(first) = values.first() else { return Vec::new() };
    let size = first.dims()[dim as usize];
    if size < 2 || first.numel() == 0 {
        return values.to_vec();
    }
    let every_second = |from: &[Value<'f>], start: i64| -> Vec<Value<'f>> { from.iter().map(|x| every_second(*x, dim, start)).collect() };
    let cut =
        |from: &[Value<'f>], start: i64, limit: i64| -> Vec<Value<'f>> { from.iter().map(|x| x.slice_dim(dim, start, limit)).collect() };
    let (even, odd) = (every_second(values, 0), every_second(values, 1));
    let pairs = size / 2;
    let odd_results = scan(&combine(&cut(&even, 0, pairs), &odd), dim, combine);
    let rest = (size + 1) / 2 - 1;
    let later = cut(&even, 1, rest + 1);
    let even_results = if rest > 0 { combine(&cut(&odd_results, 0, rest), &later) } else { later };
    let heads = cut(&even, 0, 1);
    (0..values.len())
        .map(|k| {
            let func = values[k].func();
            let evens = if rest > 0 { func.concatenate(&[heads[k], even_results[k]], dim) } else { heads[k] };
            interleaved(evens, odd_results[k], dim)
        })
        .collect()
}

fn every_second<'f>(x: Value<'f>, dim: i64, start: i64) -> Value<'f> {
    let limits = x.dims();
    let mut starts = vec![0; limits.len()];
    let mut strides = vec![1; limits.len()];
    (starts[dim as usize], strides[dim as usize]) = (start, 2);
    x.slice(&starts, &limits, &strides)
}

/// evens\[0\], odds\[0\], evens\[1\], ...; as many evens as odds, or one more.
fn interleaved<'f>(evens: Value<'f>, odds: Value<'f>, dim: i64) -> Value<'f> {
    let axis = dim as usize;
    let (count, pairs) = (evens.dims()[axis], odds.dims()[axis]);
    let paired = |x: Value<'f>, inner: i64| {
        let mut dims: Vec<i64> = x.dims().to_vec();
        dims.insert(axis + 1, inner);
        x.reshape(&dims)
    };
    let func = evens.func();
    let joined = func.concatenate(&[paired(evens.slice_dim(dim, 0, pairs), 1), paired(odds, 1)], dim + 1);
    let mut dims: Vec<i64> = odds.dims().to_vec();
    dims[axis] = 2 * pairs;
    let joined = joined.reshape(&dims);
    if count > pairs { func.concatenate(&[joined, evens.slice_dim(dim, pairs, count)], dim) } else { joined }
}

/// Argument 0 in the compute dtype of the result, scanned along argument 1.
fn running<'f>(cx: &Lowering<'f, '_>, combine: fn(Value<'f>, Value<'f>) -> Value<'f>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    if x.rank() == 0 {
        return one(x);
    }
    let scanned = scan(&[x], cx.dim(1, x.rank())?, &|a, b| a.iter().zip(b).map(|(a, b)| combine(*a, *b)).collect());
    one(scanned.first().copied().unwrap_or(x))
}

/// `log(exp(a) + exp(b))`; equal infinities give themselves.
fn log_add<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.element().is_complex() {
        let first = a.real().ge(b.real()) | a.ne(a);
        let (large, small) = (first.select(a, b), first.select(b, a));
        let sum = large + (small - large).exp().log_plus_one();
        let same_infinity = a.eq(b) & large.real().abs().eq(large.real().like(f64::INFINITY));
        return same_infinity.select(a, sum);
    }
    let first = a.ge(b) | a.ne(a);
    let (large, small) = (first.select(a, b), first.select(b, a));
    let same_infinity = large.eq(small) & large.abs().eq(large.like(f64::INFINITY));
    same_infinity.select(large, large + (small - large).exp().log_plus_one())
}

/// The extreme so far and its last position; the last NaN once there is one.
fn running_extreme<'f>(cx: &Lowering<'f, '_>, side: Side) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    if x.rank() == 0 {
        return Ok(vec![Some(x), Some(cx.func.zero(ElementType::I64))]);
    }
    let dim = cx.dim(1, x.rank())?;
    let x = match x.element() {
        ElementType::I1 => x.convert(ElementType::I8),
        other => x.convert(compute_element(other)),
    };
    let positions = cx.func.iota(position_element(x.dims()[dim as usize]), &x.dims(), dim);
    let scanned = scan(&[x, positions], dim, &|earlier, later| match (earlier, later) {
        (&[a, i], &[b, j]) => {
            let keeps = if b.element().is_float() { b.eq(b) & (a.ne(a) | side.beats(a, b)) } else { side.beats(a, b) };
            vec![keeps.select(a, b), keeps.select(i, j)]
        }
        _ => Vec::new(),
    });
    Ok(scanned.into_iter().map(Some).collect())
}
