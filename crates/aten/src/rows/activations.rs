//! Activation functions and their derivatives.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use stablehlo::Value;

use super::unary::conjugate;
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::unary("aten::relu", |x| x.maximum(x.like(0))),
    Row::custom("aten::threshold", threshold),
    Row::custom("aten::threshold_backward", threshold_backward),
    Row::custom("aten::leaky_relu", |cx| leaky_relu(cx, 0, 0, 1)),
    Row::custom("aten::leaky_relu_backward", |cx| leaky_relu(cx, 0, 1, 2)),
    Row::binary("aten::_prelu_kernel", |x, weight| x.gt(x.like(0.0)).select(x, weight * x)),
    Row::custom("aten::_prelu_kernel_backward", prelu_backward),
    Row::custom("aten::elu", elu),
    Row::custom("aten::elu_backward", elu_backward),
    Row::custom("aten::gelu", gelu),
    Row::custom("aten::gelu_backward", gelu_backward),
    Row::unary("aten::silu", |x| x * x.logistic()),
    Row::binary("aten::silu_backward", silu_backward),
    Row::unary("aten::mish", |x| x * x.exp().log_plus_one().tanh()),
    Row::binary("aten::mish_backward", mish_backward),
    Row::custom("aten::hardtanh", |cx| one(cx.result_operand(0)?.maximum(cx.result_operand(1)?).minimum(cx.result_operand(2)?))),
    Row::custom("aten::hardtanh_backward", hardtanh_backward),
    Row::unary("aten::hardsigmoid", |x| relu6(x.plus(3.0)).over(6.0)),
    Row::binary("aten::hardsigmoid_backward", hardsigmoid_backward),
    Row::unary("aten::hardswish", |x| (x * relu6(x.plus(3.0))).over(6.0)),
    Row::binary("aten::hardswish_backward", hardswish_backward),
    Row::custom("aten::hardshrink", |cx| shrunk(cx, 0, 0, 1)),
    Row::custom("aten::hardshrink_backward", |cx| shrunk(cx, 0, 1, 2)),
    Row::custom("aten::softshrink", softshrink),
    Row::custom("aten::softshrink_backward", |cx| shrunk(cx, 0, 1, 2)),
    Row::custom("aten::softplus", softplus),
    Row::custom("aten::softplus_backward", softplus_backward),
    Row::custom("aten::log_sigmoid_forward", log_sigmoid),
    Row::custom("aten::log_sigmoid_backward", log_sigmoid_backward).shape_only(&[2]),
    Row::binary("aten::sigmoid_backward", |grad, y| grad * conjugate((y.like(1.0) - y) * y)),
    Row::binary("aten::tanh_backward", |grad, y| grad * conjugate(y.like(1.0) - y * y)),
    Row::custom("aten::logit", logit).baked(&[1]),
    Row::custom("aten::logit_backward", logit_backward).baked(&[2]),
    Row::custom("aten::glu", glu),
    Row::custom("aten::glu_backward", glu_backward),
];

fn one<'f>(value: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(value)])
}

/// `value` where `x <= threshold`.
fn threshold<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    one(x.le(cx.result_operand(1)?).select(cx.result_operand(2)?, x))
}

fn threshold_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    one(x.le(cx.result_operand(2)?).select(grad.like(0), grad))
}

/// Argument `value` where argument `x` is positive, elsewhere times the slope.
fn leaky_relu<'f>(cx: &Lowering<'f, '_>, value: usize, x: usize, slope: usize) -> Lowered<'f> {
    let (value, x, slope) = (cx.result_operand(value)?, cx.result_operand(x)?, cx.result_operand(slope)?);
    one(x.gt(x.like(0.0)).select(value, value * slope))
}

fn prelu_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x, weight) = (cx.result_operand(0)?, cx.result_operand(1)?, cx.result_operand(2)?);
    let positive = x.gt(x.like(0.0));
    let grad_x = positive.select(grad, weight * grad);
    Ok(vec![Some(grad_x), Some(positive.select(x.like(0.0), x * grad))])
}

/// Coefficients of `elu`, from (alpha, scale, input_scale) at `first`: of the negative side, of the
/// positive side, and inside the exponential.
fn elu_coefficients<'f>(cx: &Lowering<'f, '_>, first: usize) -> Result<[Value<'f>; 3], LowerError> {
    let element = cx.compute_element();
    let (alpha, scale) = (cx.scalar(first, element)?, cx.scalar(first + 1, element)?);
    let spread = |value: Value<'f>| value.broadcast_to(cx.out_dims());
    Ok([spread(alpha * scale), spread(scale), spread(cx.scalar(first + 2, element)?)])
}

fn elu<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    let [negative, positive, inside] = elu_coefficients(cx, 1)?;
    one(x.le(x.like(0.0)).select((x * inside).exponential_minus_one() * negative, x * positive))
}

fn elu_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(5)?);
    let [negative, positive, inside] = elu_coefficients(cx, 1)?;
    let slope = if cx.bool(4)? { x + negative } else { negative * (x * inside).exp() };
    one(x.le(x.like(0.0)).select(grad * inside * slope, grad * positive))
}

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
const GELU_CUBIC: f64 = 0.044715;

fn gelu<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    one(x.times(0.5) * gelu_gate(x, cx.text(1)?).plus(1.0))
}

/// The function whose sum with 1 weighs `x / 2`.
fn gelu_gate<'f>(x: Value<'f>, approximate: &str) -> Value<'f> {
    if approximate == "tanh" {
        return ((x + (x * x * x).times(GELU_CUBIC)).times(SQRT_2_OVER_PI)).tanh();
    }
    x.times(FRAC_1_SQRT_2).erf()
}

fn gelu_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    let approximate = cx.text(2)?;
    let gate = gelu_gate(x, approximate);
    let left = gate.plus(1.0).times(0.5);
    let slope = if approximate == "tanh" {
        let inner = (x * x).times(3.0 * GELU_CUBIC).plus(1.0).times(SQRT_2_OVER_PI);
        (gate.like(1.0) - gate * gate) * inner * x.times(0.5)
    } else {
        x * (x * x).times(-0.5).exp().times((2.0 * PI).sqrt().recip())
    };
    one(grad * (left + slope))
}

fn silu_backward<'f>(grad: Value<'f>, x: Value<'f>) -> Value<'f> {
    let gate = x.logistic();
    grad * gate * (x * (gate.like(1.0) - gate)).plus(1.0)
}

fn mish_backward<'f>(grad: Value<'f>, x: Value<'f>) -> Value<'f> {
    let gate = x.exp().log_plus_one().tanh();
    grad * (gate + x * x.logistic() * (gate.like(1.0) - gate * gate))
}

fn hardtanh_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    let outside = x.le(cx.result_operand(2)?).or(x.ge(cx.result_operand(3)?));
    one(outside.select(grad.like(0.0), grad))
}

fn relu6(x: Value<'_>) -> Value<'_> {
    x.maximum(x.like(0.0)).minimum(x.like(6.0))
}

fn hardsigmoid_backward<'f>(grad: Value<'f>, x: Value<'f>) -> Value<'f> {
    x.gt(x.like(-3.0)).and(x.lt(x.like(3.0))).select(grad.over(6.0), grad.like(0.0))
}

fn hardswish_backward<'f>(grad: Value<'f>, x: Value<'f>) -> Value<'f> {
    let middle = x.lt(x.like(3.0)).select(grad * x.over(3.0).plus(0.5), grad);
    x.le(x.like(-3.0)).select(grad.like(0.0), middle)
}

/// Argument `value`, but 0 where argument `x` lies in [-lambda, lambda].
fn shrunk<'f>(cx: &Lowering<'f, '_>, value: usize, x: usize, lambda: usize) -> Lowered<'f> {
    let (value, x, lambda) = (cx.result_operand(value)?, cx.result_operand(x)?, cx.result_operand(lambda)?);
    let inside = x.ge(lambda.neg()).and(x.le(lambda));
    one(inside.select(value.like(0.0), value))
}

fn softshrink<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, lambda) = (cx.result_operand(0)?, cx.result_operand(1)?);
    // `x * 0` keeps NaN.
    let below = x.lt(lambda.neg()).select(x + lambda, x.times(0.0));
    one(x.gt(lambda).select(x - lambda, below))
}

fn softplus<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, beta) = (cx.result_operand(0)?, cx.result_operand(1)?);
    let scaled = x * beta;
    one(scaled.gt(cx.result_operand(2)?).select(x, scaled.exp().log_plus_one() / beta))
}

fn softplus_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    let scaled = x * cx.result_operand(2)?;
    let exp = scaled.exp();
    one(scaled.gt(cx.result_operand(3)?).select(grad, grad * exp / exp.plus(1.0)))
}

/// The value, and the buffer `exp(-|x|)` where the meta kernel announces one of this shape.
fn log_sigmoid<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    let decay = x.abs().neg().exp();
    let result = x.minimum(x.like(0.0)) - decay.log_plus_one();
    let buffer = cx.output(1)?;
    let saved = if buffer.dims == decay.dims() { decay } else { cx.func.zero(buffer.element).broadcast_to(&buffer.dims) };
    Ok(vec![Some(result), Some(saved)])
}

fn log_sigmoid_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    one(grad * x.neg().logistic())
}

/// `eps` of `logit`, none when absent or negative.
fn logit_eps(cx: &Lowering<'_, '_>, index: usize) -> Result<Option<f64>, LowerError> {
    if !cx.is_present(index) {
        return Ok(None);
    }
    Ok(Some(cx.float(index)?).filter(|eps| *eps >= 0.0))
}

fn logit<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let mut x = cx.result_operand(0)?;
    if let Some(eps) = logit_eps(cx, 1)? {
        // The bounds cross when eps is above 1/2; the lower one wins then.
        let (low, high) = (x.like(eps), x.like(1.0).minus(eps));
        x = x.lt(low).select(low, x.gt(high).select(high, x));
    }
    one((x / (x.like(1.0) - x)).log())
}

/// `grad / (x (1 - x))`, infinite at the ends; outside of the domain 0 with `eps` and NaN without.
fn logit_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (grad, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    let eps = logit_eps(cx, 2)?;
    let one_like = x.like(1.0);
    let (low, high) = (x.like(eps.unwrap_or(0.0)), one_like.minus(eps.unwrap_or(0.0)));
    let outside = x.lt(low).or(x.gt(high));
    let at_end = x.eq(x.like(0.0)).or(x.eq(one_like));
    let inside = at_end.select(grad.times(f64::INFINITY), grad / (x * (one_like - x)));
    one(outside.select(x.like(if eps.is_some() { 0.0 } else { f64::NAN }), inside))
}

/// The two halves of `x` along `dim`.
fn halves<'f>(x: Value<'f>, dim: i64) -> (Value<'f>, Value<'f>) {
    let size = x.dims()[dim as usize];
    (x.slice_dim(dim, 0, size / 2), x.slice_dim(dim, size / 2, size))
}

fn glu<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let (value, gate) = halves(x, cx.dim(1, x.rank())?);
    one(value * gate.logistic())
}

fn glu_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(1)?;
    let grad = cx.operand(0, x.element())?;
    let dim = cx.dim(2, x.rank())?;
    let (value, gate) = halves(x, dim);
    let gate = gate.logistic();
    let grad_value = gate * grad;
    let grad_gate = grad_value * (gate.like(1.0) - gate) * value;
    one(cx.func.concatenate(&[grad_value, grad_gate], dim))
}
