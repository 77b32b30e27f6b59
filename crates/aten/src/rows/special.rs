//! Error, gamma and related special functions.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

use stablehlo::Value;

use super::chebyshev::{series, series_over};
use crate::{Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::unary("aten::erf", |x| x.erf()),
    Row::unary("aten::erfc", |x| x.erfc()),
    Row::unary("aten::erfinv", erf_inverse),
    Row::unary("aten::special_erfcx", scaled_erfc),
    Row::unary("aten::special_ndtri", ndtri),
    Row::unary("aten::special_log_ndtr", log_ndtr),
    Row::unary("aten::special_entr", entropy),
    Row::unary("aten::lgamma", |x| x.lgamma()),
    Row::unary("aten::digamma", digamma),
    Row::custom("aten::polygamma", polygamma),
    Row::binary("aten::special_zeta", zeta),
    Row::binary("aten::special_zeta.self_scalar", zeta),
    Row::binary("aten::special_zeta.other_scalar", zeta),
];

/// One Newton step sharpens what the plugins compute: on erf near 0 and on erfc near 1, where the other cancels.
fn erf_inverse(x: Value<'_>) -> Value<'_> {
    let first = x.erf_inv();
    let slope = (first * first).neg().exp().times(FRAC_2_SQRT_PI);
    let (size, place) = (x.abs(), first.abs());
    let beyond = place.erfc() - (x.like(1.0) - size);
    let beyond = x.lt(x.like(0.0)).select(beyond.neg(), beyond);
    let residual = size.lt(x.like(0.5)).select(first.erf() - x, beyond.neg());
    let better = first - residual / slope;
    let inside = x.abs().lt(x.like(1.0)).and(slope.gt(x.like(1e-30)));
    inside.select(better, first)
}

/// `exp(x^2) erfc(x)`; the series is that of `(1 + 2x) exp(x^2) erfc(x)` in `(x - 3.75) / (x + 3.75)`
/// (Shepherd and Laframboise, 1981).
fn scaled_erfc(x: Value<'_>) -> Value<'_> {
    let size = x.abs();
    let t = x.like(1.0) - x.like(7.5) / size.plus(3.75);
    let positive = series(t, &ERFCX) / size.times(2.0).plus(1.0);
    x.lt(x.like(0.0)).select((x * x).exp().times(2.0) - positive, positive)
}

/// The normal quantile. The tails are `z - log(z) / z` with `z = sqrt(-2 log p)`, corrected by a series in `1 / z`.
fn ndtri(p: Value<'_>) -> Value<'_> {
    let one = p.like(1.0);
    let upper = p.gt(p.like(0.5));
    let tail = upper.select(one - p, p);
    let z = tail.log().times(-2.0).sqrt();
    let inverse = one / z;
    let near = series_over(inverse, 0.125, 0.5, &NDTRI_NEAR);
    let far = series_over(inverse, 0.025, 0.125, &NDTRI_FAR);
    let size = z - z.log() / z - z.lt(z.like(8.0)).select(near, far);
    let in_tail = upper.select(size, size.neg());
    let central = erf_inverse(p.times(2.0).minus(1.0)).times(SQRT_2);
    let value = tail.gt(p.like((-2f64).exp())).select(central, in_tail);
    let value = p.eq(p.like(0.0)).select(p.like(f64::NEG_INFINITY), value);
    let value = p.eq(one).select(p.like(f64::INFINITY), value);
    p.lt(p.like(0.0)).or(p.gt(one)).select(p.like(f64::NAN), value)
}

fn log_ndtr(x: Value<'_>) -> Value<'_> {
    let t = x.times(FRAC_1_SQRT_2);
    let tail = scaled_erfc(t.neg()).over(2.0).log() - t * t;
    let body = t.erfc().times(-0.5).log_plus_one();
    x.lt(x.like(-1.0)).select(tail, body)
}

/// `-x log(x)`, 0 at 0, negative infinity below.
fn entropy(x: Value<'_>) -> Value<'_> {
    let zero = x.like(0.0);
    let below = x.lt(zero).select(x.like(f64::NEG_INFINITY), x.neg() * x.log());
    x.eq(zero).select(zero, below)
}

/// With ATen's poles: an infinity of the opposite sign at zero, NaN at the negative integers.
fn digamma(x: Value<'_>) -> Value<'_> {
    let zero = x.like(0.0);
    let pole = x.lt(zero).and(x.eq(x.floor()));
    let value = pole.select(x.like(f64::NAN), x.digamma());
    let negative = super::unary::sign_bit(x);
    let at_zero = negative.select(x.like(f64::INFINITY), x.like(f64::NEG_INFINITY));
    x.eq(zero).select(at_zero, value)
}

/// The derivative of order n of digamma: `(-1)^(n+1) n! zeta(n + 1, x)`; order 1 below 1/2 by reflection.
fn polygamma<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(1)?;
    let order = cx.int(0)?;
    if order == 0 {
        return Ok(vec![Some(digamma(x))]);
    }
    let order_like = x.like(order as f64);
    if order == 1 {
        let one = x.like(1.0);
        let reflected = x.lt(x.like(0.5));
        let value = x.like(2.0).zeta(reflected.select(one - x, x));
        let sine = x.times(PI).sine();
        let mirrored = x.like(PI * PI) / (sine * sine) - value;
        return Ok(vec![Some(reflected.select(mirrored, value))]);
    }
    let factorial: f64 = (2..=order).map(|k| k as f64).product();
    let sign = if order % 2 == 0 { -1.0 } else { 1.0 };
    Ok(vec![Some(zeta(order_like.plus(1.0), x).times(sign * factorial))])
}

/// The Hurwitz zeta function of `x` and `q`, with ATen's values outside of its domain.
fn zeta<'f>(x: Value<'f>, q: Value<'f>) -> Value<'f> {
    let (one, zero) = (x.like(1.0), x.like(0.0));
    let undefined = q.lt(zero).and(q.ne(q.floor())).and(x.ne(x.floor()));
    let pole = q.le(zero).and(q.eq(q.floor()));
    let (shifted, sum) = above_zero(x, pole.select(one, q));
    let value = x.zeta(shifted);
    // Where the second term vanishes beside the first, the plugins' asymptotic tail is 0 times infinity.
    let leading = shifted.power(x.neg());
    let second = shifted.plus(1.0).power(x.neg());
    let negligible = q.ne(q.like(f64::INFINITY)).and(second.le(leading.times(1e-18)));
    let value = sum + negligible.select(leading, value);
    let value = undefined.select(x.like(f64::NAN), value);
    let value = pole.select(x.like(f64::INFINITY), value);
    let value = x.lt(one).select(x.like(f64::NAN), value);
    x.eq(one).select(x.like(f64::INFINITY), value)
}

/// `q` moved up by whole numbers until it is positive, and the sum of `(q + k)^-x` over the steps.
fn above_zero<'f>(x: Value<'f>, q: Value<'f>) -> (Value<'f>, Value<'f>) {
    let all: Vec<i64> = (0..q.rank() as i64).collect();
    let zero = q.like(0.0);
    let moved = q.func().while_loop(
        &[q, zero],
        |state| state[0].lt(zero).reduce_or(&all),
        |state| {
            let negative = state[0].lt(zero);
            let term = negative.select(state[0].power(x.neg()), zero);
            vec![negative.select(state[0].plus(1.0), state[0]), state[1] + term]
        },
    );
    (moved[0], moved[1])
}

const ERFCX: [f64; 25] = [
    1.1775789345674017,
    -0.004590054580646478,
    -0.08424913336651792,
    0.05920993999819189,
    -0.026658668435305753,
    0.009074997670705265,
    -0.002413163540417608,
    0.0004907758365258086,
    -6.916973302501207e-5,
    4.13902798607301e-6,
    7.74038306619849e-7,
    -2.1886401049234397e-7,
    1.076499946567091e-8,
    4.521959811218287e-9,
    -7.754400208831351e-10,
    -6.318088340886684e-11,
    2.86879501093067e-11,
    1.9455868545777405e-13,
    -9.654696748433433e-13,
    3.252548148148796e-14,
    3.347811948286861e-14,
    -1.8645628804187656e-15,
    -1.250795053068326e-15,
    7.418235256676974e-17,
    5.068148904848072e-17,
];

const NDTRI_NEAR: [f64; 25] = [
    0.3294188214147631,
    0.2161455205580251,
    0.00646529583451328,
    -0.0001275183948865302,
    4.575015535276602e-6,
    2.939358237685173e-7,
    -2.836582317468518e-7,
    9.719603487782481e-8,
    -2.5567092436755426e-8,
    5.98066648833639e-9,
    -1.3378085801669526e-9,
    2.998302864072588e-10,
    -6.921743012435546e-11,
    1.661530109989675e-11,
    -4.1307838047637635e-12,
    1.0539637346712683e-12,
    -2.737816270500672e-13,
    7.20616224561919e-14,
    -1.9180256092833572e-14,
    5.1595803578168425e-15,
    -1.4025323822078983e-15,
    3.851335330350926e-16,
    -1.0676960547877132e-16,
    2.985909688358166e-17,
    -8.416552071965353e-18,
];

const NDTRI_FAR: [f64; 25] = [
    0.07097898493759355,
    0.04838600246110755,
    0.0004995861993854362,
    7.066957289847832e-6,
    -1.935918130532574e-6,
    3.233535097480154e-7,
    -5.432310320397832e-8,
    1.0059798493670115e-8,
    -2.065694150824005e-9,
    4.608932306661335e-10,
    -1.0966369274132547e-10,
    2.7459013662068907e-11,
    -7.166144307204213e-12,
    1.9351545513749843e-12,
    -5.377252424043359e-13,
    1.5308788718319836e-13,
    -4.4501096009194134e-14,
    1.3172120330098899e-14,
    -3.961157124889876e-15,
    1.2079972299781973e-15,
    -3.730062167455713e-16,
    1.1646793024842315e-16,
    -3.6732883116455354e-17,
    1.16909195341115e-17,
    -3.751716497750366e-18,
];
