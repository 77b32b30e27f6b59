//! Variances (two-pass), log-sum-exp.

use stablehlo::Value;

use super::reductions::{centered, count, listed, one, shaped, stretched};
use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::var.correction", |cx| Ok(vec![Some(variance_and_mean(cx)?.0)])).baked(&[2]),
    Row::custom("aten::std.correction", |cx| Ok(vec![Some(variance_and_mean(cx)?.0.sqrt())])).baked(&[2]),
    Row::custom("aten::var_mean.correction", |cx| variance_and_mean(cx).map(|(variance, mean)| vec![Some(variance), Some(mean)]))
        .baked(&[2]),
    Row::custom("aten::std_mean.correction", |cx| variance_and_mean(cx).map(|(variance, mean)| vec![Some(variance.sqrt()), Some(mean)]))
        .baked(&[2]),
    Row::custom("aten::logsumexp", log_sum_exp),
];

/// The sum of squared deviations over max(0, n - correction), and the mean, both in the announced shape. The
/// variance of complex numbers is that of both parts together.
fn variance_and_mean<'f>(cx: &Lowering<'f, '_>) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let dims = listed(cx, 1)?;
    let x = cx.operand(0, compute_element(cx.meta(0)?.element))?;
    let (mean, deviations) = centered(x, &dims);
    let squares = if x.element().is_complex() {
        let (re, im) = (deviations.real(), deviations.imag());
        re * re + im * im
    } else {
        deviations * deviations
    };
    let correction = if cx.is_present(2) { cx.float(2)? } else { 1.0 };
    let degrees = (count(x, &dims) as f64 - correction).max(0.0);
    let sum = squares.reduce_add(&dims);
    Ok((shaped(cx, sum / sum.like(degrees)), shaped(cx, mean)))
}

/// `log(sum(exp(x - m))) + m` with the finite largest element m. The reduction may drop NaN, the sum does not.
fn log_sum_exp<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = listed(cx, 1)?;
    let x = cx.operand(0, cx.compute_element())?;
    let real = if x.element().is_complex() { x.real() } else { x };
    let largest = real.reduce_max(&dims);
    let largest = largest.is_finite().select(largest, largest.like(0.0));
    let largest = if x.element().is_complex() { largest.complex(largest.like(0.0)) } else { largest };
    let sum = (x - stretched(largest, &x.dims(), &dims)).exp().reduce_add(&dims);
    one(shaped(cx, sum.log() + largest))
}
