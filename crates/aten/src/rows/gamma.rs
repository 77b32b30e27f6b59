//! The regularized incomplete gamma functions, by series and continued fraction (DLMF 8.7, 8.9, 8.11).

use std::f64::consts::PI;

use stablehlo::{ElementType, Value};

use crate::Row;

pub const ROWS: &[Row] =
    &[Row::binary("aten::igamma", |a, x| incomplete_gamma(a, x).0), Row::binary("aten::igammac", |a, x| incomplete_gamma(a, x).1)];

/// Terms after which a series is given up.
const MOST_TERMS: f64 = 2000.0;

/// Above this `a`, and near `x = a`, where the series are slow, one term of the uniform expansion is enough.
const LARGE: f64 = 1e5;

/// P(a, x) and Q(a, x) = 1 - P(a, x), each computed where it is the smaller one.
fn incomplete_gamma<'f>(a: Value<'f>, x: Value<'f>) -> (Value<'f>, Value<'f>) {
    let (zero, one, infinity) = (a.like(0.0), a.like(1.0), a.like(f64::INFINITY));
    let fraction_area = x.gt(x.like(1.1)).and(x.ge(a));
    let few = x.le(x.like(0.5)).select(a.le(x.like(-0.4) / x.log()), a.le(x.times(1.1)));
    let complement_area = x.le(x.like(1.1)).and(few);
    let series_area = fraction_area.or(complement_area).not();
    let inside = |area: Value<'f>, value: Value<'f>, other: f64| area.select(value, value.like(other));

    let excess = (x - a) / a;
    let large = a.gt(a.like(LARGE)).and(excess.abs().lt(a.like(0.1)));
    let series_area = series_area.and(large.not());
    let fraction_area = fraction_area.and(large.not());

    let p_series = lower_series(inside(series_area, a, 1.0), inside(series_area, x, 0.5));
    let q_fraction = upper_fraction(inside(fraction_area, a, 1.0), inside(fraction_area, x, 2.0));
    let q_series = upper_series(inside(complement_area, a, 0.5), inside(complement_area, x, 0.5));
    let q_direct = fraction_area.select(q_fraction, q_series);
    let p = series_area.select(p_series, one - q_direct);
    let q = series_area.select(one - p_series, q_direct);
    let (p_large, q_large) = uniform_expansion(a, excess);
    let (p, q) = (large.select(p_large, p), large.select(q_large, q));

    let undefined = x.lt(zero).or(a.lt(zero));
    let both_special = a.eq(zero).and(x.eq(zero)).or(a.eq(infinity).and(x.eq(infinity)));
    let all_below = a.eq(zero).and(x.gt(zero)).or(x.eq(infinity));
    let none_below = x.eq(zero).or(a.eq(infinity));
    let ends = |value: Value<'f>, below: f64| {
        let value = all_below.select(value.like(below), value);
        let value = none_below.select(value.like(1.0 - below), value);
        undefined.or(both_special).select(value.like(f64::NAN), value)
    };
    (ends(p, 1.0), ends(q, 0.0))
}

/// `x^a exp(-x) / gamma(a + 1)`; for large `a` by Stirling's series, whose logarithms do not cancel.
fn prefactor<'f>(a: Value<'f>, x: Value<'f>) -> Value<'f> {
    let direct = (a * x.log() - x - a.plus(1.0).lgamma()).exp();
    let inverse = a.like(1.0) / a;
    let square = inverse * inverse;
    let terms = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0];
    let stirling = terms.iter().rev().fold(a.like(0.0), |sum, c| (sum * square).plus(*c)) * inverse;
    let excess = (x - a) / a;
    let near = excess.abs().lt(a.like(0.4));
    let log = near.select(excess.log_plus_one(), (x / a).log());
    let large = (a * (log - excess) - stirling).exp() * a.times(2.0 * PI).rsqrt();
    a.lt(a.like(20.0)).select(direct, large)
}

/// `m - log(1 + m)` for `|m| < 0.1`, whose leading terms cancel when subtracted.
fn log_defect(m: Value<'_>) -> Value<'_> {
    let sum = (2..18).rev().fold(m.like(0.0), |sum, k| (sum * m.neg()).plus(1.0 / f64::from(k)));
    sum * m * m
}

/// P and Q from erfc and the first correction (DLMF 8.12.3 and 8.12.9) at `x = a (1 + excess)`.
fn uniform_expansion<'f>(a: Value<'f>, excess: Value<'f>) -> (Value<'f>, Value<'f>) {
    let defect = log_defect(excess);
    let size = defect.times(2.0).sqrt();
    let eta = excess.lt(a.like(0.0)).select(size.neg(), size);
    let terms = [-1.0 / 3.0, 1.0 / 12.0, -2.0 / 135.0, 1.0 / 864.0, 1.0 / 2835.0, -139.0 / 777_600.0, 1.0 / 25_515.0];
    let correction = terms.iter().rev().fold(a.like(0.0), |sum, c| (sum * eta).plus(*c));
    let rest = (a * defect).neg().exp() * a.times(2.0 * PI).rsqrt() * correction;
    let t = eta * a.times(0.5).sqrt();
    (t.neg().erfc().times(0.5) - rest, t.erfc().times(0.5) + rest)
}

fn precision(element: ElementType) -> f64 {
    if element == ElementType::F64 { f64::EPSILON / 2.0 } else { f64::from(f32::EPSILON) / 2.0 }
}

fn any(x: Value<'_>) -> Value<'_> {
    let all: Vec<i64> = (0..x.rank() as i64).collect();
    x.reduce_or(&all)
}

/// Repeats `step(k, state)` for k = 1, 2, ... while `open(state)` holds for any element.
fn iterate<'f>(
    state: &[Value<'f>],
    open: impl Fn(&[Value<'f>]) -> Value<'f>,
    step: impl Fn(Value<'f>, &[Value<'f>]) -> Vec<Value<'f>>,
) -> Vec<Value<'f>> {
    let func = state[0].func();
    let element = state[0].element();
    let dims = state[0].dims();
    let counted: Vec<Value<'f>> = std::iter::once(func.one(element)).chain(state.iter().copied()).collect();
    let results = func.while_loop(
        &counted,
        |values| any(open(&values[1..])).and(values[0].lt(values[0].like(MOST_TERMS))),
        |values| {
            let (count, state) = (values[0], &values[1..]);
            let (still, next) = (open(state), step(count.broadcast_to(&dims), state));
            // An element that has converged stays as it is, whatever the others need.
            let kept = next.into_iter().zip(state).map(|(new, old)| still.select(new, *old));
            std::iter::once(count.plus(1.0)).chain(kept).collect()
        },
    );
    results[1..].to_vec()
}

/// P by the sum of `x^k / ((a + 1) ... (a + k))`.
fn lower_series<'f>(a: Value<'f>, x: Value<'f>) -> Value<'f> {
    let one = a.like(1.0);
    let results = iterate(
        &[one, one],
        |state| state[0].gt(state[1].times(precision(a.element()))),
        |k, state| {
            let term = state[0] * x / (a + k);
            vec![term, state[1] + term]
        },
    );
    results[1] * prefactor(a, x)
}

/// Q by the continued fraction, in the modified form of Lentz.
fn upper_fraction<'f>(a: Value<'f>, x: Value<'f>) -> Value<'f> {
    let one = a.like(1.0);
    let smallest = a.like(1e-30);
    let away_from_zero = |value: Value<'f>| value.abs().lt(smallest).select(smallest, value);
    let first = x - a + one;
    let inverse = one / first;
    let results = iterate(
        &[first, one / smallest, inverse, inverse, one.times(2.0)],
        |state| (state[4] - one).abs().gt(one.times(2.0 * precision(a.element()))),
        |k, state| {
            let numerator = k * (a - k);
            let b = state[0].plus(2.0);
            let d = one / away_from_zero(numerator * state[2] + b);
            let c = away_from_zero(b + numerator / state[1]);
            let change = c * d;
            vec![b, c, d, state[3] * change, change]
        },
    );
    results[3] * a * prefactor(a, x)
}

/// Q for small `a` and `x`: `1 - x^a / gamma(a + 1)` without cancellation, less the rest of the series.
fn upper_series<'f>(a: Value<'f>, x: Value<'f>) -> Value<'f> {
    let (zero, one) = (a.like(0.0), a.like(1.0));
    let results = iterate(
        &[one, zero, one],
        |state| state[2].abs().gt(state[1].abs().times(precision(a.element()))),
        |k, state| {
            let factor = state[0] * x.neg() / k;
            let term = factor / (a + k);
            vec![factor, state[1] + term, term]
        },
    );
    let log = a * x.log();
    let leading = (log - a.plus(1.0).lgamma()).exponential_minus_one().neg();
    leading - (log - a.lgamma()).exp() * results[1]
}
