//! Gradients of samples with respect to the parameters that they were drawn with: the derivative of the cumulative
//! distribution over the density (M. Figurnov, S. Mohamed, A. Mnih, "Implicit reparameterization gradients", 2018).

use stablehlo::{ElementType, Value};

use super::compaction::meta_of;
use crate::{Infer, LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_standard_gamma_grad", standard_gamma_grad).infer(Infer::Rule(|call| Ok(vec![Some(meta_of(call, 1)?.clone())]))),
    Row::custom("aten::_dirichlet_grad", dirichlet_grad).infer(Infer::Rule(|call| Ok(vec![Some(meta_of(call, 0)?.clone())]))),
];

/// More terms are not summed: what is left is below the precision except for extreme parameters.
const MOST_TERMS: i64 = 2000;

/// A sum of terms and of their derivatives, until no term counts any more. `next` gives the ratio of term `n + 1` to
/// term `n` and the derivative of its logarithm, for a 0-dim `n`.
fn sum_with_derivative<'f>(
    cx: &Lowering<'f, '_>,
    like: Value<'f>,
    next: impl Fn(Value<'f>) -> (Value<'f>, Value<'f>),
) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let element = like.element();
    let all: Vec<i64> = (0..like.rank() as i64).collect();
    let precision = if element == ElementType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let (one, zero) = (like.like(1.0), like.like(0.0));
    let start = [cx.func.constant_f64(element, 0.0), one, zero, one, zero];
    let sums = cx.func.while_loop(
        &start,
        |state| {
            let (n, term, slope, sum, sum_slope) = (state[0], state[1], state[2], state[3], state[4]);
            let counts = term.abs().gt(sum.abs().times(precision)) | slope.abs().gt(sum_slope.abs().times(precision));
            counts.reduce_or(&all) & n.lt(n.like(MOST_TERMS as f64))
        },
        |state| {
            let (n, term, slope) = (state[0], state[1], state[2]);
            let (ratio, logarithmic) = next(n);
            let new_term = term * ratio;
            let new_slope = slope * ratio + new_term * logarithmic;
            vec![n.plus(1.0), new_term, new_slope, state[3] + new_term, state[4] + new_slope]
        },
    );
    match (sums.get(3), sums.get(4)) {
        (Some(sum), Some(slope)) => Ok((*sum, *slope)),
        _ => Err(LowerError::unsupported("a loop without results")),
    }
}

/// Below the shape the power series of the lower incomplete gamma function, above it the continued fraction of the
/// upper one: on its own side neither cancels.
fn standard_gamma_grad<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.out_element());
    let (a, x) = (cx.tensor(0)?.convert(element), cx.tensor(1)?.convert(element));
    let below = x.le(a.plus(1.0));

    let low = below.select(x, a.times(0.5));
    let over = |n: Value<'f>| a + n.plus(1.0).broadcast_to(&a.dims());
    let (sum, slope) = sum_with_derivative(cx, a, |n| (low / over(n), -(over(n).like(1.0) / over(n))))?;
    let series = -(low / a) * (sum * (low.log() - a.plus(1.0).digamma()) + slope);

    let high = below.select(a.times(2.0).plus(2.0), x);
    let (fraction, slope) = upper_fraction(cx, a, high)?;
    let tail = high * (fraction * (high.log() - a.digamma()) + slope);
    Ok(vec![Some(below.select(series, tail))])
}

/// `f` and `df/da` where the upper incomplete gamma function is `x^a e^-x f`: Legendre's continued fraction
/// `1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))`, evaluated forwards by Lentz's method.
fn upper_fraction<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, x: Value<'f>) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let element = a.element();
    let all: Vec<i64> = (0..a.rank() as i64).collect();
    let precision = if element == ElementType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let (one, zero) = (a.like(1.0), a.like(0.0));
    // d and f = c d ..., each with its derivative; b starts at x + 1 - a.
    let b = x + one - a;
    let tiny = a.like(1e-30);
    let (c, c_slope) = (one / tiny, zero);
    let (d, d_slope) = (one / b, one / (b * b));
    let start = [cx.func.constant_f64(element, 1.0), c, c_slope, d, d_slope, d, d_slope, cx.func.constant(ElementType::I1, true)];
    let found = cx.func.while_loop(
        &start,
        |state| state[7] & state[0].lt(state[0].like(MOST_TERMS as f64)),
        |state| {
            let (n, c, c_slope, d, d_slope, f, f_slope) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6]);
            let step = n.broadcast_to(&a.dims());
            // Numerator -n (n - a), whose derivative is n; denominator b + 2n, whose derivative is -1.
            let (p, p_slope) = (-(step * (step - a)), step);
            let q = b + step.times(2.0);
            let (under, under_slope) = (q + p * d, p_slope * d + p * d_slope - one);
            let (new_d, new_d_slope) = (one / under, -(under_slope / (under * under)));
            let (new_c, new_c_slope) = (q + p / c, p_slope / c - p * c_slope / (c * c) - one);
            let (ratio, ratio_slope) = (new_c * new_d, new_c_slope * new_d + new_c * new_d_slope);
            let moves = ratio.minus(1.0).abs().gt(one.times(precision)) | (f * ratio_slope).abs().gt(f_slope.abs().times(precision));
            vec![n.plus(1.0), new_c, new_c_slope, new_d, new_d_slope, f * ratio, f_slope * ratio + f * ratio_slope, moves.reduce_or(&all)]
        },
    );
    match (found.get(5), found.get(6)) {
        (Some(f), Some(slope)) => Ok((*f, *slope)),
        _ => Err(LowerError::unsupported("a loop without results")),
    }
}

/// The derivative of a Beta(alpha, total - alpha) sample by alpha, over `1 - x`: series of the incomplete beta
/// function from the nearer end.
fn dirichlet_grad<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.out_element());
    let (x, a, total) = (cx.tensor(0)?.convert(element), cx.tensor(1)?.convert(element), cx.tensor(2)?.convert(element));
    let b = total - a;
    let one = a.like(1.0);
    let below = x.le(a / total) & x.le(x.like(0.9));
    let slant = total.digamma() - a.digamma();
    let spread = |n: Value<'f>| n.broadcast_to(&a.dims());

    let low = below.select(x, x.like(0.0));
    let (sum, slope) = sum_with_derivative(cx, a, |n| {
        let (over, under) = (total + spread(n), a + spread(n).plus(1.0));
        (low * over / under, one / over - one / under)
    })?;
    let low_safe = below.select(x, x.like(0.5));
    let from_below = -(low_safe / a) * (sum * (low_safe.log() - one / a + slant) + slope);

    let high = below.select(x.like(0.0), one - x);
    let (sum, slope) = sum_with_derivative(cx, a, |n| {
        let (over, under) = (total + spread(n), b + spread(n).plus(1.0));
        (high * over / under, one / over)
    })?;
    let from_above = (x / b) * (sum * (x.log() + slant) + slope);
    Ok(vec![Some(below.select(from_below, from_above))])
}
