//! Chebyshev series: how the special functions without a StableHLO op are approximated.
//!
//! The coefficients in `bessel` and `special` were computed with mpmath at 40 digits, as the discrete
//! cosine transform of the named function at Chebyshev nodes, and cut below 2e-17 of the largest.

use stablehlo::{ElementType, Value};

/// The series at `t` in [-1, 1], by Clenshaw's recurrence. Terms below the precision of f32 are left out of f32.
pub(super) fn series<'f>(t: Value<'f>, coefficients: &[f64]) -> Value<'f> {
    let largest = coefficients.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    let negligible = if t.element() == ElementType::F64 { 0.0 } else { largest * 1e-9 };
    let kept = coefficients.iter().rposition(|c| c.abs() > negligible).map_or(0, |last| last + 1);
    let double = t.times(2.0);
    let (mut ahead, mut current) = (t.like(0.0), t.like(0.0));
    for c in coefficients[..kept].iter().skip(1).rev() {
        (ahead, current) = (current, (double * current - ahead).plus(*c));
    }
    (t * current - ahead).plus(coefficients.first().copied().unwrap_or(0.0))
}

/// The series in `x` that runs over `low..high`.
pub(super) fn series_over<'f>(x: Value<'f>, low: f64, high: f64, coefficients: &[f64]) -> Value<'f> {
    series(x.minus((low + high) / 2.0).times(2.0 / (high - low)), coefficients)
}
