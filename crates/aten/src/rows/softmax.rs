//! Softmax along one dim and its gradients, computed in f32 for narrower floats.

use stablehlo::{ElementType, Value};

use super::reductions::{one, stretched};
use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_softmax", |cx| one(softmax(cx.operand(0, cx.compute_element())?, &along(cx, 1)?))),
    Row::custom("aten::_log_softmax", log_softmax),
    Row::custom("aten::_safe_softmax", safe_softmax),
    Row::custom("aten::_softmax_backward_data", softmax_backward),
    Row::custom("aten::_log_softmax_backward_data", log_softmax_backward),
];

/// The dim that argument `index` names of argument 0: none of a 0-dim tensor.
fn along(cx: &Lowering<'_, '_>, index: usize) -> Result<Vec<i64>, LowerError> {
    let rank = cx.meta(0)?.dims.len();
    Ok(if rank == 0 { Vec::new() } else { vec![cx.dim(index, rank)?] })
}

/// Minus the largest element of its row. The reduction may drop NaN: it stays in its own element, and from there
/// in the row's sum.
fn below_largest<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    x - stretched(x.reduce_max(dims), &x.dims(), dims)
}

pub(super) fn softmax<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    let exponentials = below_largest(x, dims).exp();
    exponentials / stretched(exponentials.reduce_add(dims), &x.dims(), dims)
}

fn log_softmax<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims) = (cx.operand(0, cx.compute_element())?, along(cx, 1)?);
    let shifted = below_largest(x, &dims);
    one(shifted - stretched(shifted.exp().reduce_add(&dims).log(), &x.dims(), &dims))
}

/// Softmax that is 0 in rows of nothing but -inf.
fn safe_softmax<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims) = (cx.operand(0, cx.compute_element())?, along(cx, 1)?);
    let masked = x.eq(x.like(f64::NEG_INFINITY)).reduce_and(&dims);
    one(stretched(masked, &x.dims(), &dims).select(x.like(0.0), softmax(x, &dims)))
}

/// The gradient at the input of a softmax that gave `output`.
fn backward<'f>(gradient: Value<'f>, output: Value<'f>, dims: &[i64]) -> Value<'f> {
    let weighted = gradient * output;
    weighted - output * stretched(weighted.reduce_add(dims), &output.dims(), dims)
}

/// Gradient and output in their compute dtype.
fn gradient_and_output<'f>(cx: &Lowering<'f, '_>) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let element: ElementType = compute_element(cx.meta(0)?.element);
    Ok((cx.operand(0, element)?, cx.operand(1, element)?))
}

fn softmax_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (gradient, output) = gradient_and_output(cx)?;
    one(backward(gradient, output, &along(cx, 2)?))
}

fn log_softmax_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let ((gradient, output), dims) = (gradient_and_output(cx)?, along(cx, 2)?);
    let sum = stretched(gradient.reduce_add(&dims), &output.dims(), &dims);
    one(gradient - output.exp() * sum)
}
