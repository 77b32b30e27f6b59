//! Vector norms and what is scaled by them: renorm, weight norm.

use stablehlo::Value;

use super::reductions::{Side, extreme, listed, one, shaped, stretched};
use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::linalg_vector_norm", |cx| norm_of_first(cx, Some(1), Some(2))).baked(&[1]),
    Row::custom("aten::norm.Scalar", |cx| norm_of_first(cx, Some(1), None)).baked(&[1]),
    Row::custom("aten::norm.ScalarOpt_dtype", |cx| norm_of_first(cx, Some(1), None)).baked(&[1]),
    Row::custom("aten::norm.ScalarOpt_dim", |cx| norm_of_first(cx, Some(1), Some(2))).baked(&[1]),
    Row::custom("aten::norm.ScalarOpt_dim_dtype", |cx| norm_of_first(cx, Some(1), Some(2))).baked(&[1]),
    Row::custom("aten::renorm", renorm).baked(&[1]),
    Row::custom("aten::_weight_norm_interface", weight_norm),
    Row::custom("aten::_weight_norm_interface_backward", weight_norm_backward),
];

/// `(sum |x|^p)^(1/p)` of the absolute values `sizes`; p = 0 counts those that are not 0.
pub(super) fn norm<'f>(cx: &Lowering<'f, '_>, sizes: Value<'f>, dims: &[i64], p: f64) -> Value<'f> {
    if p == f64::INFINITY {
        return extreme(cx, sizes, dims, Side::Largest).maximum(zero_without(sizes, dims));
    }
    if p == f64::NEG_INFINITY {
        return extreme(cx, sizes, dims, Side::Smallest);
    }
    if p == 0.0 {
        return sizes.ne(sizes.like(0.0)).convert(sizes.element()).reduce_add(dims);
    }
    if p == 1.0 {
        return sizes.reduce_add(dims);
    }
    if p == 2.0 {
        return (sizes * sizes).reduce_add(dims).sqrt();
    }
    let sum = sizes.power(sizes.like(p)).reduce_add(dims);
    sum.power(sum.like(1.0 / p))
}

/// Zeros in the shape that `x` is reduced to: the largest of no absolute values is 0.
fn zero_without<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    let kept: Vec<i64> = (0i64..).zip(x.dims()).filter(|(d, _)| !dims.contains(d)).map(|(_, size)| size).collect();
    x.func().splat(x.element(), &kept, 0.0)
}

fn order(cx: &Lowering<'_, '_>, p: Option<usize>) -> Result<f64, LowerError> {
    match p {
        Some(p) if cx.is_present(p) => cx.float(p),
        _ => Ok(2.0),
    }
}

/// The norm of argument 0 in the compute dtype of the result, to which a `dtype` argument converts it first.
fn norm_of_first<'f>(cx: &Lowering<'f, '_>, p: Option<usize>, dim: Option<usize>) -> Lowered<'f> {
    let dims = listed(cx, dim.unwrap_or(usize::MAX))?;
    let element = cx.compute_element();
    let x = cx.tensor(0)?;
    let sizes = match element.complex() {
        Some(complex) if x.element().is_complex() => x.convert(complex).abs(),
        _ => x.convert(element).abs(),
    };
    one(shaped(cx, norm(cx, sizes, &dims, order(cx, p)?)))
}

/// Slices along a dim are scaled down to the norm `maxnorm`.
fn renorm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let over = x.dims();
    let kept = cx.dim(2, x.rank())?;
    let dims: Vec<i64> = (0..x.rank() as i64).filter(|d| *d != kept).collect();
    let norm = norm(cx, x.abs(), &dims, cx.float(1)?);
    let limit = cx.scalar_like(3, norm)?;
    let factor = norm.gt(limit).select(limit / norm.plus(1e-7), norm.like(1.0));
    let factor = if x.element().is_complex() { factor.complex(factor.like(0.0)) } else { factor };
    one(x * stretched(factor, &over, &dims))
}

/// Every dim but the one that a weight norm keeps.
fn others(cx: &Lowering<'_, '_>, dim: usize, rank: usize) -> Result<Vec<i64>, LowerError> {
    let kept = cx.dim(dim, rank)?;
    Ok((0..rank as i64).filter(|d| *d != kept).collect())
}

/// `v g / |v|` and the norms, over every dim but one.
fn weight_norm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.meta(0)?.element);
    let (v, g) = (cx.operand(0, element)?, cx.operand(1, element)?);
    let (over, dims) = (v.dims(), others(cx, 2, v.rank())?);
    let norms = norm(cx, v.abs(), &dims, 2.0);
    let scale = g.reshape(&norms.dims()) / norms;
    Ok(vec![Some(v * stretched(scale, &over, &dims)), Some(norms.reshape(&cx.output(1)?.dims))])
}

fn weight_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.meta(0)?.element);
    let (gradient, v) = (cx.operand(0, element)?, cx.operand(1, element)?);
    let (over, dims) = (v.dims(), others(cx, 4, v.rank())?);
    let along = (gradient * v).reduce_add(&dims);
    let g = cx.operand(2, element)?.reshape(&along.dims());
    let norms = cx.operand(3, element)?.reshape(&along.dims());
    let rest = gradient - v * stretched(along / (norms * norms), &over, &dims);
    let of_g = (along / norms).reshape(&cx.output(1)?.dims);
    Ok(vec![Some(stretched(g / norms, &over, &dims) * rest), Some(of_g)])
}
