//! Orthogonal polynomials of a degree that varies by element, by their three-term recurrences (DLMF 18.9).

use stablehlo::{ElementType, Value};

use crate::Row;

pub const ROWS: &[Row] = &[
    Row::binary("aten::special_chebyshev_polynomial_t", |x, n| chebyshev(x, n, x)),
    Row::binary("aten::special_chebyshev_polynomial_t.x_scalar", |x, n| chebyshev(x, n, x)),
    Row::binary("aten::special_chebyshev_polynomial_t.n_scalar", |x, n| chebyshev(x, n, x)),
    Row::binary("aten::special_chebyshev_polynomial_u", |x, n| chebyshev(x, n, x.times(2.0))),
    Row::binary("aten::special_chebyshev_polynomial_u.x_scalar", |x, n| chebyshev(x, n, x.times(2.0))),
    Row::binary("aten::special_chebyshev_polynomial_u.n_scalar", |x, n| chebyshev(x, n, x.times(2.0))),
    Row::binary("aten::special_chebyshev_polynomial_v", |x, n| chebyshev(x, n, x.times(2.0).minus(1.0))),
    Row::binary("aten::special_chebyshev_polynomial_v.x_scalar", |x, n| chebyshev(x, n, x.times(2.0).minus(1.0))),
    Row::binary("aten::special_chebyshev_polynomial_v.n_scalar", |x, n| chebyshev(x, n, x.times(2.0).minus(1.0))),
    Row::binary("aten::special_chebyshev_polynomial_w", |x, n| chebyshev(x, n, x.times(2.0).plus(1.0))),
    Row::binary("aten::special_chebyshev_polynomial_w.x_scalar", |x, n| chebyshev(x, n, x.times(2.0).plus(1.0))),
    Row::binary("aten::special_chebyshev_polynomial_w.n_scalar", |x, n| chebyshev(x, n, x.times(2.0).plus(1.0))),
    Row::binary("aten::special_shifted_chebyshev_polynomial_t", |x, n| shifted(x, n, 1.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_t.x_scalar", |x, n| shifted(x, n, 1.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_t.n_scalar", |x, n| shifted(x, n, 1.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_u", |x, n| shifted(x, n, 2.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_u.x_scalar", |x, n| shifted(x, n, 2.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_u.n_scalar", |x, n| shifted(x, n, 2.0, 0.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_v", |x, n| shifted(x, n, 2.0, -1.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_v.x_scalar", |x, n| shifted(x, n, 2.0, -1.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_v.n_scalar", |x, n| shifted(x, n, 2.0, -1.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_w", |x, n| shifted(x, n, 2.0, 1.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_w.x_scalar", |x, n| shifted(x, n, 2.0, 1.0)),
    Row::binary("aten::special_shifted_chebyshev_polynomial_w.n_scalar", |x, n| shifted(x, n, 2.0, 1.0)),
    Row::binary("aten::special_hermite_polynomial_h", hermite),
    Row::binary("aten::special_hermite_polynomial_h.x_scalar", hermite),
    Row::binary("aten::special_hermite_polynomial_h.n_scalar", hermite),
    Row::binary("aten::special_hermite_polynomial_he", probabilist_hermite),
    Row::binary("aten::special_hermite_polynomial_he.x_scalar", probabilist_hermite),
    Row::binary("aten::special_hermite_polynomial_he.n_scalar", probabilist_hermite),
    Row::binary("aten::special_laguerre_polynomial_l", laguerre),
    Row::binary("aten::special_laguerre_polynomial_l.x_scalar", laguerre),
    Row::binary("aten::special_laguerre_polynomial_l.n_scalar", laguerre),
    Row::binary("aten::special_legendre_polynomial_p", legendre),
    Row::binary("aten::special_legendre_polynomial_p.x_scalar", legendre),
    Row::binary("aten::special_legendre_polynomial_p.n_scalar", legendre),
];

/// The polynomial of degree `n` (truncated; 0 below 0) from 1 and `first`, where `next(k, p, q)` gives degree k + 1 from
/// degrees k - 1 and k.
fn polynomial<'f>(n: Value<'f>, first: Value<'f>, next: impl Fn(Value<'f>, Value<'f>, Value<'f>) -> Value<'f>) -> Value<'f> {
    let all: Vec<i64> = (0..n.rank() as i64).collect();
    let n = super::unary::truncate(n);
    let (zero, one) = (n.like(0.0), n.like(1.0));
    let func = n.func();
    // A maximum that drops NaN is right here: such degrees give 0.
    let highest = n.ge(zero).select(n, zero).reduce_max(&all);
    let values = func.while_loop(
        &[func.one(n.element()), one, first],
        |state| state[0].lt(highest),
        |state| {
            let k = state[0].broadcast_to(&n.dims());
            let goes_on = k.lt(n);
            let value = next(k, state[1], state[2]);
            vec![state[0].plus(1.0), goes_on.select(state[2], state[1]), goes_on.select(value, state[2])]
        },
    );
    let value = n.ge(one).select(values[2], zero);
    n.eq(zero).select(one, value)
}

/// The four kinds differ in degree 1.
fn chebyshev<'f>(x: Value<'f>, n: Value<'f>, first: Value<'f>) -> Value<'f> {
    polynomial(n, first, |_, p, q| x.times(2.0) * q - p)
}

/// Chebyshev in `2x - 1`, with degree 1 `slope` times that plus `offset`.
fn shifted<'f>(x: Value<'f>, n: Value<'f>, slope: f64, offset: f64) -> Value<'f> {
    let x = x.times(2.0).minus(1.0);
    chebyshev(x, n, x.times(slope).plus(offset))
}

/// Degrees beyond which ATen gives NaN.
fn within_hermite_limit<'f>(n: Value<'f>, value: Value<'f>) -> Value<'f> {
    let limit = if n.element() == ElementType::F64 { 512.0 } else { 128.0 };
    n.gt(n.like(limit)).select(n.like(f64::NAN), value)
}

fn hermite<'f>(x: Value<'f>, n: Value<'f>) -> Value<'f> {
    let double = x.times(2.0);
    let bounded = n.minimum(n.like(513.0));
    within_hermite_limit(n, polynomial(bounded, double, |k, p, q| double * q - k.times(2.0) * p))
}

fn probabilist_hermite<'f>(x: Value<'f>, n: Value<'f>) -> Value<'f> {
    let bounded = n.minimum(n.like(513.0));
    within_hermite_limit(n, polynomial(bounded, x, |k, p, q| x * q - k * p))
}

fn laguerre<'f>(x: Value<'f>, n: Value<'f>) -> Value<'f> {
    polynomial(n, x.like(1.0) - x, |k, p, q| ((k.times(2.0).plus(1.0) - x) * q - k * p) / k.plus(1.0))
}

fn legendre<'f>(x: Value<'f>, n: Value<'f>) -> Value<'f> {
    polynomial(n, x, |k, p, q| (k.times(2.0).plus(1.0) * x * q - k * p) / k.plus(1.0))
}
