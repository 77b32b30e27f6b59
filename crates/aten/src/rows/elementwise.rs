//! Arithmetic of two and three operands; fills and copies.

use stablehlo::{ElementType, Value};

use super::unary::{hypotenuse, magnitude, sign_bit, truncate};
use crate::{HostScalar, LowerError, Lowered, Lowering, Row, Target};

pub const ROWS: &[Row] = &[
    Row::custom("aten::add.Tensor", add),
    Row::custom("aten::add.Scalar", add),
    Row::custom("aten::sub.Tensor", sub),
    Row::custom("aten::sub.Scalar", sub),
    Row::custom("aten::rsub.Tensor", reverse_sub),
    Row::custom("aten::rsub.Scalar", reverse_sub),
    Row::binary("aten::mul.Tensor", |a, b| a * b),
    Row::binary("aten::mul.Scalar", |a, b| a * b),
    Row::binary("aten::div.Tensor", |a, b| a / b),
    Row::binary("aten::div.Scalar", |a, b| a / b),
    Row::custom("aten::div.Tensor_mode", divide_mode),
    Row::custom("aten::div.Scalar_mode", divide_mode),
    Row::custom("aten::floor_divide", |cx| nonzero_divisor(cx, floor_divide)),
    Row::custom("aten::floor_divide.Scalar", |cx| nonzero_divisor(cx, floor_divide)),
    Row::custom("aten::remainder.Tensor", |cx| nonzero_divisor(cx, remainder)),
    Row::custom("aten::remainder.Scalar", |cx| nonzero_divisor(cx, remainder)),
    Row::custom("aten::remainder.Scalar_Tensor", |cx| nonzero_divisor(cx, remainder)),
    Row::custom("aten::fmod.Tensor", |cx| nonzero_divisor(cx, |a, b| a % b)),
    Row::custom("aten::fmod.Scalar", |cx| nonzero_divisor(cx, |a, b| a % b)),
    Row::custom("aten::pow.Tensor_Scalar", power_of_tensor).baked(&[1]),
    Row::binary("aten::pow.Tensor_Tensor", power),
    Row::binary("aten::pow.Scalar", power),
    Row::binary("aten::maximum", larger),
    Row::binary("aten::minimum", smaller),
    Row::binary("aten::fmax", |a, b| ignoring_nan(a, b, a.maximum(b))),
    Row::binary("aten::fmin", |a, b| ignoring_nan(a, b, a.minimum(b))),
    Row::custom("aten::clamp", clamp),
    Row::custom("aten::clamp.Tensor", clamp),
    Row::binary("aten::clamp_min", larger),
    Row::binary("aten::clamp_min.Tensor", larger),
    Row::binary("aten::clamp_max", smaller),
    Row::binary("aten::clamp_max.Tensor", smaller),
    Row::custom("aten::atan2", arc_tangent_of_two),
    Row::binary("aten::copysign.Tensor", copy_sign),
    Row::binary("aten::copysign.Scalar", copy_sign),
    Row::binary("aten::hypot", |a, b| hypotenuse(a.abs(), b.abs())),
    Row::custom("aten::nextafter", next_after),
    Row::binary("aten::logaddexp", |a, b| log_add(a, b, |x| x.exp(), |x| x.log_plus_one())),
    Row::binary("aten::logaddexp2", log_add_2),
    Row::binary("aten::heaviside", heaviside),
    Row::binary("aten::xlogy.Tensor", |x, y| times_log(x, y, y.log())),
    Row::binary("aten::xlogy.Scalar_Self", |x, y| times_log(x, y, y.log())),
    Row::binary("aten::xlogy.Scalar_Other", |x, y| times_log(x, y, y.log())),
    Row::binary("aten::special_xlog1py", |x, y| times_log(x, y, y.log_plus_one())),
    Row::binary("aten::special_xlog1py.self_scalar", |x, y| times_log(x, y, y.log_plus_one())),
    Row::binary("aten::special_xlog1py.other_scalar", |x, y| times_log(x, y, y.log_plus_one())),
    Row::binary("aten::gcd", greatest_common_divisor),
    Row::binary("aten::lcm", least_common_multiple),
    Row::binary("aten::ldexp.Tensor", |x, exponent| x * x.like(2.0).power(exponent)),
    Row::custom("aten::addcmul", |cx| scaled_pair(cx, |scaled, b| scaled * b)),
    Row::custom("aten::addcdiv", |cx| scaled_pair(cx, |scaled, b| scaled / b)),
    Row::custom("aten::lerp.Scalar", lerp),
    Row::custom("aten::lerp.Tensor", lerp),
    Row::custom("aten::fill.Scalar", |cx| one(cx.operand(1, cx.out_element())?.broadcast_to(cx.out_dims()))).shape_only(&[0]),
    Row::custom("aten::zero", |cx| one(cx.out_splat(0.0))).shape_only(&[0]),
    Row::custom("aten::copy", copy).shape_only(&[0]),
];

fn one<'f>(value: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(value)])
}

fn add<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    one(cx.result_operand(0)? + scaled(cx, 1)?)
}

fn sub<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    one(cx.result_operand(0)? - scaled(cx, 1)?)
}

fn reverse_sub<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    one(cx.result_operand(1)? - scaled(cx, 0)?)
}

/// Operand `index` times alpha, which is argument 2.
fn scaled<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Value<'f>, LowerError> {
    let x = cx.result_operand(index)?;
    if cx.is_known(2, 1.0) { Ok(x) } else { Ok(x * cx.scalar_like(2, x)?) }
}

fn divide_mode<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    if !cx.is_present(2) {
        return one(cx.result_operand(0)? / cx.result_operand(1)?);
    }
    match cx.text(2)? {
        // ATen rounds the quotient of narrow floats before it truncates.
        "trunc" => nonzero_divisor(
            cx,
            match cx.out_element() {
                ElementType::BF16 => |a, b| truncate((a / b).reduce_precision(8, 7)),
                ElementType::F16 => |a, b| truncate((a / b).reduce_precision(5, 10)),
                _ => |a, b| truncate(a / b),
            },
        ),
        _ => nonzero_divisor(cx, floor_divide),
    }
}

/// `rule(argument 0, argument 1)`; an integer division by zero is an error, as on the CPU.
fn nonzero_divisor<'f>(cx: &Lowering<'f, '_>, rule: fn(Value<'f>, Value<'f>) -> Value<'f>) -> Lowered<'f> {
    let divisor = cx.operand(1, cx.compute_element())?;
    if divisor.element().is_integer() && cx.known_scalar(1).is_none_or(|known| known.as_i64() == 0) {
        cx.check_data(divisor.eq(divisor.like(0)), divisor, "ZeroDivisionError");
    }
    one(rule(cx.result_operand(0)?, divisor.broadcast_to(cx.out_dims())))
}

/// The quotient rounded down; through the exact remainder for floats, so that 1 // 0.1 is 9.
fn floor_divide<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let rest = a % b;
    let zero = a.like(0);
    if a.element().is_unsigned() {
        return a / b;
    }
    let rounds_down = rest.ne(zero).and(b.lt(zero).ne(rest.lt(zero)));
    if !a.element().is_float() {
        let quotient = a / b;
        return quotient - rounds_down.convert(a.element());
    }
    let near = (a - rest) / b;
    let near = rounds_down.select(near.minus(1.0), near);
    let down = near.floor();
    let rounded = (near - down).gt(near.like(0.5)).select(down.plus(1.0), down);
    let quotient = near.ne(zero).select(rounded, copy_sign(zero, a / b));
    b.eq(zero).select(a / b, quotient)
}

/// The remainder with the sign of the divisor.
fn remainder<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let rest = a % b;
    if a.element().is_unsigned() {
        return rest;
    }
    let zero = a.like(0);
    let other_sign = rest.ne(zero).and(b.lt(zero).ne(rest.lt(zero)));
    other_sign.select(rest + b, rest)
}

/// Exponents with an exact or a shorter form; the exponent is part of the program.
fn power_of_tensor<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.result_operand(0)?;
    let exponent = match cx.known_scalar(1) {
        None | Some(HostScalar::Complex(..)) => None,
        Some(known) => Some(known.as_f64()),
    };
    if x.element().is_integer() && exponent.is_some_and(|exponent| exponent < 0.0) {
        return Err(LowerError::refused("Integers to negative integer powers are not allowed."));
    }
    let reciprocal = |x: Value<'f>| x.like(1.0) / x;
    one(match exponent {
        Some(0.0) => x.like(1),
        Some(1.0) => x,
        Some(2.0) => x * x,
        Some(3.0) => x * x * x,
        Some(0.5) => x.sqrt(),
        Some(-0.5) => x.rsqrt(),
        Some(-1.0) => reciprocal(x),
        Some(-2.0) => reciprocal(x * x),
        _ => power(x, cx.result_operand(1)?),
    })
}

fn power<'f>(base: Value<'f>, exponent: Value<'f>) -> Value<'f> {
    if base.element().is_bool() {
        return base.or(exponent.not());
    }
    if base.element().is_integer() { integer_power(base, exponent) } else { base.power(exponent) }
}

/// By repeated squaring, modulo the width; a negative exponent leaves only the powers of 1 and -1.
/// (XLA:CPU's own looks at the low bits of the exponent only.)
fn integer_power<'f>(base: Value<'f>, exponent: Value<'f>) -> Value<'f> {
    let (zero, one) = (base.like(0), base.like(1));
    let all: Vec<i64> = (0..base.rank() as i64).collect();
    let odd = |value: Value<'f>| value.and(one).eq(one);
    let powers = base.func().while_loop(
        &[one, base, exponent],
        |state| state[2].gt(zero).reduce_or(&all),
        |state| {
            let [result, square, left] = [state[0], state[1], state[2]];
            let taken = odd(left).and(left.gt(zero)).select(result * square, result);
            vec![taken, square * square, left.gt(zero).select(left.shift_right_logical(one), left)]
        },
    );
    let power = powers.first().copied().unwrap_or(base);
    if base.element().is_unsigned() {
        return power;
    }
    let minus_one = base.like(-1);
    let alternating = odd(exponent).select(minus_one, one);
    let inverse = base.eq(one).select(one, base.eq(minus_one).select(alternating, zero));
    exponent.lt(zero).select(inverse, power)
}

/// Factors other than 1 keep XLA:CPU from its vector `atan`, which permutes its results.
fn arc_tangent_of_two<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (y, x) = (cx.result_operand(0)?, cx.result_operand(1)?);
    one(if cx.environment.target == Target::Cpu { y.times(0.75).atan2(x.times(0.75)) } else { y.atan2(x) })
}

/// The maximum, NaN if either is NaN: XLA:CPU's own drops a NaN on the right.
pub(super) fn larger<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.element().is_float() { a.ge(b).or(a.ne(a)).select(a, b) } else { a.maximum(b) }
}

/// The minimum, NaN if either is NaN.
pub(super) fn smaller<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.element().is_float() { a.le(b).or(a.ne(a)).select(a, b) } else { a.minimum(b) }
}

/// The operand that is a number where the other one is NaN.
fn ignoring_nan<'f>(a: Value<'f>, b: Value<'f>, both: Value<'f>) -> Value<'f> {
    if !a.element().is_float() {
        return both;
    }
    a.ne(a).select(b, b.ne(b).select(a, both))
}

/// Lower bound first, so that the upper one wins when they cross; NaN in any of the three gives NaN.
fn clamp<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let mut x = cx.result_operand(0)?;
    if cx.is_present(1) {
        x = larger(x, cx.result_operand(1)?);
    }
    if cx.is_present(2) {
        x = smaller(x, cx.result_operand(2)?);
    }
    one(x)
}

fn copy_sign<'f>(size: Value<'f>, sign: Value<'f>) -> Value<'f> {
    let size = size.abs();
    sign_bit(sign).select(size.neg(), size)
}

/// In the result's own dtype: the neighbour of a bf16 number is a bf16 number.
fn next_after<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let operand = |index| Ok::<_, LowerError>(cx.operand(index, cx.out_element())?.broadcast_to(cx.out_dims()));
    one(operand(0)?.next_after(operand(1)?))
}

/// `max + log1p(exp(-|a - b|))`; equal infinities give themselves.
fn log_add<'f>(a: Value<'f>, b: Value<'f>, exp: fn(Value<'f>) -> Value<'f>, log_plus_one: fn(Value<'f>) -> Value<'f>) -> Value<'f> {
    if a.element().is_complex() {
        return complex_log_add(a, b);
    }
    let sum = a.maximum(b) + log_plus_one(exp((a - b).abs().neg()));
    let same_infinity = a.eq(b).and(a.abs().eq(a.like(f64::INFINITY)));
    same_infinity.select(a, sum)
}

/// Around the operand with the larger real part.
fn complex_log_add<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let first = a.real().ge(b.real());
    let (large, small) = (first.select(a, b), first.select(b, a));
    let sum = large + (small - large).exp().log_plus_one();
    let infinite = large.real().abs().eq(large.real().like(f64::INFINITY));
    infinite.and(a.eq(b)).select(a, sum)
}

fn log_add_2<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    log_add(a, b, |x| x.times(std::f64::consts::LN_2).exp(), |x| x.log_plus_one().over(std::f64::consts::LN_2))
}

/// `values` at 0, else 0 or 1 by the sign; 0 for NaN.
fn heaviside<'f>(x: Value<'f>, values: Value<'f>) -> Value<'f> {
    let zero = x.like(0);
    x.eq(zero).select(values, x.gt(zero).convert(x.element()))
}

/// `x * log` with 0 at `x == 0`, but NaN where `y` is NaN.
fn times_log<'f>(x: Value<'f>, y: Value<'f>, log: Value<'f>) -> Value<'f> {
    let product = x.eq(x.like(0.0)).select(x.like(0.0), x * log);
    y.ne(y).select(y, product)
}

/// Euclid's algorithm on all elements until no remainder is left.
fn greatest_common_divisor<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let all: Vec<i64> = (0..a.rank() as i64).collect();
    let pair = a.func().while_loop(
        &[a.abs(), b.abs()],
        |pair| pair[1].ne(pair[1].like(0)).reduce_or(&all),
        |pair| {
            let (large, small) = (pair[0], pair[1]);
            let done = small.eq(small.like(0));
            vec![done.select(large, small), done.select(small, large % done.select(small.like(1), small))]
        },
    );
    pair.first().copied().unwrap_or(a)
}

fn least_common_multiple<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let divisor = greatest_common_divisor(a, b);
    let zero = divisor.eq(divisor.like(0));
    let multiple = (a / zero.select(divisor.like(1), divisor) * b).abs();
    zero.select(divisor, multiple)
}

/// `self + rule(value * tensor1, tensor2)`.
fn scaled_pair<'f>(cx: &Lowering<'f, '_>, rule: fn(Value<'f>, Value<'f>) -> Value<'f>) -> Lowered<'f> {
    let mut first = cx.result_operand(1)?;
    if !cx.is_known(3, 1.0) {
        first = cx.scalar_like(3, first)? * first;
    }
    one(cx.result_operand(0)? + rule(first, cx.result_operand(2)?))
}

/// From the nearer end, so that weight 1 gives `end` exactly.
fn lerp<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (start, end, weight) = (cx.result_operand(0)?, cx.result_operand(1)?, cx.result_operand(2)?);
    let size = magnitude(weight);
    let span = end - start;
    let from_start = start + weight * span;
    let from_end = end - span * (weight.like(1.0) - weight);
    one(size.lt(size.like(0.5)).select(from_start, from_end))
}

/// Floats become narrow integers modulo their width, as in C with a wider intermediate.
fn copy<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let target = cx.out_element();
    let wraps = matches!(target, ElementType::U8 | ElementType::I8 | ElementType::I16 | ElementType::U16);
    let source = match cx.argument(1) {
        crate::CallArgument::Tensor(tensor) if wraps && tensor.host.is_none() && tensor.meta.element.is_float() => {
            cx.tensor(1)?.convert(ElementType::I32).convert(target)
        }
        _ => cx.operand(1, target)?,
    };
    one(source.broadcast_to(cx.out_dims()))
}
