//! Elementwise functions of one operand: rounding, exponentials, trigonometry, signs and parts.

use std::f64::consts::{LN_2, LN_10, LOG10_2, PI};

use stablehlo::{ElementType, Value};

use super::elementwise::{larger, smaller};
use crate::{Lowered, Lowering, Row, Target};

pub const ROWS: &[Row] = &[
    Row::custom("aten::abs", |cx| one(magnitude(cx.tensor(0)?))),
    Row::unary("aten::neg", |x| x.neg()),
    Row::unary("aten::sign", sign),
    Row::unary("aten::sgn", sign),
    Row::predicate("aten::signbit", sign_bit),
    Row::unary("aten::reciprocal", |x| x.like(1.0) / x),
    Row::unary("aten::floor", |x| if x.element().is_float() { x.floor() } else { x }),
    Row::unary("aten::ceil", |x| if x.element().is_float() { x.ceil() } else { x }),
    Row::unary("aten::round", |x| if x.element().is_float() { x.round_nearest_even() } else { x }),
    Row::custom("aten::round.decimals", round_decimals),
    Row::unary("aten::trunc", truncate),
    Row::unary("aten::frac", |x| x - truncate(x)),
    Row::unary("aten::sqrt", |x| x.sqrt()),
    Row::unary("aten::rsqrt", |x| x.rsqrt()),
    Row::unary("aten::exp", |x| x.exp()),
    Row::unary("aten::exp2", |x| x.like(2.0).power(x)),
    Row::unary("aten::expm1", |x| x.exponential_minus_one()),
    Row::unary("aten::log", |x| x.log()),
    Row::custom("aten::log2", |cx| one(log2(cx, cx.result_operand(0)?))),
    Row::custom("aten::log10", |cx| one(log10(cx, cx.result_operand(0)?))),
    Row::unary("aten::log1p", |x| x.log_plus_one()),
    Row::unary("aten::sin", |x| x.sine()),
    Row::unary("aten::cos", |x| x.cosine()),
    Row::unary("aten::tan", |x| x.tan()),
    Row::unary("aten::asin", |x| x.asin()),
    Row::unary("aten::acos", |x| x.acos()),
    Row::unary("aten::atan", arc_tangent),
    Row::unary("aten::sinh", hyperbolic_sine),
    Row::unary("aten::cosh", hyperbolic_cosine),
    Row::unary("aten::tanh", |x| x.tanh()),
    Row::unary("aten::asinh", |x| x.asinh()),
    Row::unary("aten::acosh", |x| x.acosh()),
    Row::unary("aten::atanh", |x| x.atanh()),
    Row::unary("aten::sigmoid", |x| x.logistic()),
    Row::unary("aten::sinc", sinc),
    Row::unary("aten::deg2rad", |x| x.times(PI / 180.0)),
    Row::unary("aten::rad2deg", |x| x.times(180.0 / PI)),
    Row::custom("aten::frexp.Tensor", frexp),
    Row::custom("aten::nan_to_num", nan_to_num),
    Row::custom("aten::angle", |cx| one(angle(cx.tensor(0)?.convert(phase_element(cx))))),
    Row::unary("aten::_conj_physical", conjugate),
    // Its in-place and out= overloads: the functional one is a composite of the row above.
    Row::unary("aten::conj_physical", conjugate),
    Row::custom("aten::complex", |cx| {
        let (real, imaginary) = (cx.meta(0)?.element, cx.meta(1)?.element);
        if real != imaginary {
            return Err(crate::LowerError::refused(format!(
                "Expected object of scalar type {real} but got scalar type {imaginary} for second argument"
            )));
        }
        one(part(cx, 0)?.complex(part(cx, 1)?))
    }),
    Row::custom("aten::polar", polar),
];

fn one<'f>(value: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(value)])
}

/// Absolute value; of a boolean the value itself, of a complex number a real one.
pub(super) fn magnitude(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() {
        return hypotenuse(x.real().abs(), x.imag().abs());
    }
    if x.element().is_bool() { x } else { x.abs() }
}

/// `sqrt(a^2 + b^2)` of non-negative values, without overflow; infinite if either is, else NaN if either is.
pub(super) fn hypotenuse<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let (zero, infinity) = (a.like(0.0), a.like(f64::INFINITY));
    let (large, small) = (larger(a, b), smaller(a, b));
    let ratio = small / large;
    let length = large * (ratio * ratio).plus(1.0).sqrt();
    let length = large.eq(zero).select(zero, length);
    a.eq(infinity).or(b.eq(infinity)).select(infinity, length)
}

/// -1, 0 or 1, and 0 for NaN as ATen gives; `x / |x|` for complex numbers.
fn sign(x: Value<'_>) -> Value<'_> {
    let element = x.element();
    if element.is_complex() {
        let size = magnitude(x);
        let zero = size.like(0.0);
        return size.eq(zero).select(x.like(0.0), x / size.complex(zero));
    }
    if element.is_bool() {
        return x;
    }
    if element.is_unsigned() {
        return x.ne(x.like(0)).convert(element);
    }
    if element.is_integer() {
        return x.sign();
    }
    x.gt(x.like(0.0)).convert(element) - x.lt(x.like(0.0)).convert(element)
}

/// True where the sign is negative; of -0.0 and of NaN too.
pub(super) fn sign_bit(x: Value<'_>) -> Value<'_> {
    let element = x.element();
    if element.is_bool() || element.is_unsigned() {
        return x.ne(x);
    }
    if element.is_float() {
        // f64 has no bitcast on a TPU; the conversion keeps the sign.
        let bits = x.convert(ElementType::F32).bitcast_convert(ElementType::I32, &x.dims());
        return bits.lt(bits.like(0));
    }
    x.lt(x.like(0))
}

/// Rounds toward zero.
pub(super) fn truncate(x: Value<'_>) -> Value<'_> {
    if !x.element().is_float() {
        return x;
    }
    x.lt(x.like(0.0)).select(x.ceil(), x.floor())
}

/// Scales, rounds half to even and scales back.
fn round_decimals<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    let decimals = cx.int(1)?;
    let scale = 10f64.powf(decimals.unsigned_abs() as f64);
    one(match decimals {
        _ if !x.element().is_float() => x,
        0 => x.round_nearest_even(),
        1.. => x.times(scale).round_nearest_even().over(scale),
        _ => x.over(scale).round_nearest_even().times(scale),
    })
}

/// Against 1/2 instead of 1, which XLA:CPU turns into a vector `atan` that permutes its results.
fn arc_tangent(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() { x.atan() } else { x.times(0.5).atan2(x.like(0.5)) }
}

/// From `exp(x / 2)`, which neither overflows before the result does nor loses the digits that a halved `exp(x)` has.
fn hyperbolic_cosine(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() {
        return x.cosh();
    }
    let root = x.abs().times(0.5).exp();
    let half = root.times(0.5);
    half * root + root.like(0.5) / root / root
}

fn hyperbolic_sine(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() {
        return x.sinh();
    }
    let size = x.abs();
    let root = size.times(0.5).exp();
    let large = root.times(0.5) * root - root.like(0.5) / root / root;
    let large = x.lt(x.like(0.0)).select(large.neg(), large);
    size.lt(x.like(1.0)).select(x.sinh(), large)
}

/// `x = fraction * 2^exponent` with the fraction in [sqrt(1/2), sqrt(2)), for positive normal numbers.
fn split<'f>(x: Value<'f>) -> (Value<'f>, Value<'f>) {
    let (bits, digits, offset): (_, i64, i64) = match x.element() {
        ElementType::F64 => (ElementType::I64, 52, 0x3fe6_a09e_667f_3bcd),
        _ => (ElementType::I32, 23, 0x3f35_04f3),
    };
    let code = x.bitcast_convert(bits, &x.dims());
    let exponent = (code - code.like(offset)).shift_right_arithmetic(code.like(digits));
    let fraction = code - exponent.shift_left(code.like(digits));
    (fraction.bitcast_convert(x.element(), &x.dims()), exponent.convert(x.element()))
}

/// Exact for powers of two.
fn log2<'f>(cx: &Lowering<'f, '_>, x: Value<'f>) -> Value<'f> {
    if let Some(value) = log_by_parts(cx, x, LN_2) {
        return value;
    }
    let (fraction, exponent) = split(x);
    let value = exponent + fraction.log().over(LN_2);
    splittable(x).select(value, x.log())
}

/// With log10(2) in two parts, of which the first times an exponent is exact.
fn log10<'f>(cx: &Lowering<'f, '_>, x: Value<'f>) -> Value<'f> {
    if let Some(value) = log_by_parts(cx, x, LN_10) {
        return value;
    }
    let (fraction, exponent) = split(x);
    let high = if x.element() == ElementType::F64 { f64::from_bits(LOG10_2.to_bits() & !0xff_ffff) } else { LOG10_2_SHORT };
    let value = exponent.times(high) + (exponent.times(LOG10_2 - high) + fraction.log().over(LN_10));
    splittable(x).select(value, x.log())
}

/// log10(2) to 12 bits.
const LOG10_2_SHORT: f64 = 1233.0 / 4096.0;

/// `log(x) / base` for complex numbers, each part by itself, and for f64 on a TPU, which cannot read its bits.
fn log_by_parts<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, base: f64) -> Option<Value<'f>> {
    let log = x.log();
    if x.element().is_complex() {
        return Some(log.real().over(base).complex(log.imag().over(base)));
    }
    (x.element() == ElementType::F64 && cx.environment.target == Target::Tpu).then(|| log.over(base))
}

/// Positive, normal and finite.
fn splittable(x: Value<'_>) -> Value<'_> {
    let smallest = if x.element() == ElementType::F64 { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    x.ge(x.like(smallest)).and(x.lt(x.like(f64::INFINITY)))
}

/// `sin(pi x) / (pi x)`, 1 at 0.
fn sinc(x: Value<'_>) -> Value<'_> {
    let scaled = x.times(PI);
    x.eq(x.like(0.0)).select(x.like(1.0), scaled.sine() / scaled)
}

/// Mantissa in [0.5, 1) and exponent, read from the bits, so that denormals are exact.
fn frexp<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    let (bits, digits, bias): (_, i64, i64) = match x.element() {
        ElementType::F64 => (ElementType::I64, 52, 1022),
        _ => (ElementType::I32, 23, 126),
    };
    let code = x.bitcast_convert(bits, &x.dims());
    let highest = bits.bit_width() as i64 - 1;
    let field = |value: Value<'f>| value.shift_right_logical(value.like(digits)).and(value.like((1i64 << (highest - digits)) - 1));
    let sign = code.and(code.like(i64::MIN >> (63 - highest)));
    let fraction = code.and(code.like((1i64 << digits) - 1));
    let exponent = field(code);
    // A denormal is shifted up until its leading one takes the place of the implicit bit.
    let shift = fraction.count_leading_zeros() - fraction.like(highest - digits);
    let normalised = fraction.shift_left(shift).and(fraction.like((1i64 << digits) - 1));
    let zero = code.like(0);
    let denormal = exponent.eq(zero);
    let is_zero = denormal.and(fraction.eq(zero));
    let special = exponent.eq(exponent.like((1i64 << (highest - digits)) - 1)).or(is_zero);
    let mantissa = denormal.select(normalised, fraction).or(sign).or(code.like(bias << digits));
    let power = denormal.select(exponent.like(1) - shift, exponent) - exponent.like(bias);
    let mantissa = special.select(code, mantissa).bitcast_convert(x.element(), &x.dims());
    Ok(vec![Some(mantissa), Some(special.select(zero, power))])
}

/// NaN becomes 0, infinities the largest finite values, unless the call names others.
fn nan_to_num<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    if x.element().is_complex() {
        return one(finite(cx, x.real())?.complex(finite(cx, x.imag())?));
    }
    one(finite(cx, x)?)
}

fn finite<'f>(cx: &Lowering<'f, '_>, x: Value<'f>) -> Result<Value<'f>, crate::LowerError> {
    if !x.element().is_float() {
        return Ok(x);
    }
    let largest = match x.element() {
        ElementType::F16 => 65504.0,
        ElementType::BF16 => f64::from(f32::from_bits(0x7f7f_0000)),
        ElementType::F64 => f64::MAX,
        _ => f64::from(f32::MAX),
    };
    let replacement = |index: usize, default: f64| {
        if cx.is_present(index) { cx.scalar_like(index, x) } else { Ok(x.like(default)) }
    };
    let without_nan = x.ne(x).select(replacement(1, 0.0)?, x);
    let without_positive = x.eq(x.like(f64::INFINITY)).select(replacement(2, largest)?, without_nan);
    Ok(x.eq(x.like(f64::NEG_INFINITY)).select(replacement(3, -largest)?, without_positive))
}

/// The dtype of the operand of `angle`: its own when complex, else the result's.
fn phase_element(cx: &Lowering<'_, '_>) -> ElementType {
    match cx.meta(0) {
        Ok(meta) if meta.element.is_complex() => meta.element,
        _ => cx.compute_element(),
    }
}

/// The argument of a complex number; of a real one 0 or pi, NaN for NaN.
fn angle(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() {
        return x.imag().atan2(x.real());
    }
    let half_turn = x.lt(x.like(0.0)).select(x.like(PI), x.like(0.0));
    x.ne(x).select(x, half_turn)
}

pub(super) fn conjugate(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() { x.real().complex(x.imag().neg()) } else { x }
}

/// Argument `index` in the real dtype of the complex result.
fn part<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Value<'f>, crate::LowerError> {
    Ok(cx.operand(index, cx.out_element().real())?.broadcast_to(cx.out_dims()))
}

fn polar<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (radius, angle) = (part(cx, 0)?, part(cx, 1)?);
    one((radius * angle.cosine()).complex(radius * angle.sine()))
}
