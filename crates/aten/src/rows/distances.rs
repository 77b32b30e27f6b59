//! Pairwise p-norm distances between the rows of matrices, and their gradients.

use stablehlo::Value;

use super::matmul::matrix_product;
use super::norms::norm;
use super::positions::{Combine, gather_slices, position_element, scatter_flat};
use super::reductions::one;
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_cdist_forward", distances).baked(&[2]),
    Row::custom("aten::_cdist_backward", distances_backward).baked(&[3]),
    Row::custom("aten::_euclidean_dist", |cx| one(euclidean(cx)?)),
    Row::custom("aten::_pdist_forward", pair_distances).baked(&[1]),
    Row::custom("aten::_pdist_backward", pair_distances_backward).baked(&[2]),
];

/// From how many rows on ATen multiplies matrices for Euclidean distances when the caller leaves it open.
const MANY_ROWS: i64 = 25;

/// Argument `index` as `[batch.., rows, columns]` with the batch dims of all operands.
fn with_batch<'f>(cx: &Lowering<'f, '_>, index: usize, batch: &[i64]) -> Result<Value<'f>, LowerError> {
    let x = cx.operand(index, cx.compute_element())?;
    let dims = x.dims();
    Ok(x.broadcast_to(&[batch, &dims[dims.len() - 2..]].concat()))
}

/// `a[.., p, m] - b[.., r, m]` as `[.., p, r, m]`.
fn differences<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    let (a_dims, b_dims) = (a.dims(), b.dims());
    let row = a_dims.len() - 2;
    let dims = [&a_dims[..row], &[a_dims[row], b_dims[row], a_dims[row + 1]]].concat();
    let axes = |skipped: usize| (0..dims.len()).filter(|axis| *axis != skipped).map(|axis| axis as i64).collect::<Vec<i64>>();
    a.broadcast_in_dim(&dims, &axes(row + 1)) - b.broadcast_in_dim(&dims, &axes(row))
}

fn distances<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let p = cx.float(2)?;
    let (rows, columns) = match cx.out_dims() {
        [.., rows, columns] => (*rows, *columns),
        _ => return Err(LowerError::unsupported("cdist of vectors")),
    };
    let by_products = match cx.optional_int(3)?.unwrap_or(0) {
        0 => rows > MANY_ROWS || columns > MANY_ROWS,
        mode => mode == 1,
    };
    if p == 2.0 && by_products {
        return one(euclidean(cx)?);
    }
    let batch = &cx.out_dims()[..cx.out_dims().len() - 2];
    let all = differences(with_batch(cx, 0, batch)?, with_batch(cx, 1, batch)?);
    one(norm(cx, all.abs(), &[all.rank() as i64 - 1], p))
}

/// `sqrt(|a|^2 + |b|^2 - 2 a b)` with one matrix product.
fn euclidean<'f>(cx: &Lowering<'f, '_>) -> Result<Value<'f>, LowerError> {
    let out = cx.out_dims();
    let batch = &out[..out.len() - 2];
    let flat = |x: Value<'f>| {
        let dims = x.dims();
        x.reshape(&[batch.iter().product(), dims[dims.len() - 2], dims[dims.len() - 1]])
    };
    let (a, b) = (flat(with_batch(cx, 0, batch)?), flat(with_batch(cx, 1, batch)?));
    let product = matrix_product(cx, a, b.transpose(&[0, 2, 1]), a.element());
    let dims = product.dims();
    let of_a = (a * a).reduce_add(&[2]).broadcast_in_dim(&dims, &[0, 1]);
    let of_b = (b * b).reduce_add(&[2]).broadcast_in_dim(&dims, &[0, 2]);
    let squares = of_a + of_b - product.times(2.0);
    Ok(squares.maximum(squares.like(0.0)).sqrt().reshape(out))
}

/// What a difference adds to the gradient, given the distance and the gradient at it.
fn slope<'f>(difference: Value<'f>, distance: Value<'f>, gradient: Value<'f>, p: f64) -> Value<'f> {
    let zero = difference.like(0.0);
    let size = difference.abs();
    if p == 0.0 {
        return zero;
    }
    if p == 1.0 {
        return difference.sign() * gradient;
    }
    if p == f64::INFINITY {
        return size.eq(distance).select(difference.sign() * gradient, zero);
    }
    let at_distance = if p == 2.0 { gradient / distance } else { gradient / distance.power(distance.like(p - 1.0)) };
    let along = if p == 2.0 {
        difference * at_distance
    } else if p < 2.0 {
        difference.sign() * size.power(size.like(p - 1.0)) * at_distance
    } else {
        difference * size.power(size.like(p - 2.0)) * at_distance
    };
    let flat = if p < 1.0 { distance.eq(zero) | difference.eq(zero) } else { distance.eq(zero) };
    flat.select(zero, along)
}

fn distances_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.operand(0, cx.compute_element())?;
    let dims = gradient.dims();
    let batch = &dims[..dims.len() - 2];
    let all = differences(with_batch(cx, 1, batch)?, with_batch(cx, 2, batch)?);
    let axes: Vec<i64> = (0..dims.len() as i64).collect();
    let stretch = |x: Value<'f>| x.broadcast_in_dim(&all.dims(), &axes);
    let distance = with_batch(cx, 4, batch)?;
    let slopes = slope(all, stretch(distance), stretch(gradient), cx.float(3)?);
    one(slopes.reduce_add(&[all.rank() as i64 - 2]).reshape(cx.out_dims()))
}

/// For each pair (i, j) of `n` rows with i < j its place among such pairs, as `[n, n]`, and whether i < j.
fn places<'f>(cx: &Lowering<'f, '_>, n: i64) -> (Value<'f>, Value<'f>) {
    let element = position_element(n * n);
    let (i, j) = (cx.func.iota(element, &[n, n], 0), cx.func.iota(element, &[n, n], 1));
    let (low, high) = (i.minimum(j), i.maximum(j));
    let one = low.like(1);
    let place = low * low.like(n) - low * (low + one) / low.like(2) + high - low - one;
    (place, i.lt(j))
}

fn pair_distances<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let n = x.dims()[0];
    if n < 2 {
        return one(cx.out_splat(0.0));
    }
    let distances = norm(cx, differences(x, x).abs(), &[2], cx.float(1)?);
    let (place, upper) = places(cx, n);
    let outside = place.like(n * n);
    let results = cx.func.splat(x.element(), cx.out_dims(), 0.0);
    one(scatter_flat(results, upper.select(place, outside).reshape(&[n * n]), distances.reshape(&[n * n]), Combine::Set))
}

fn pair_distances_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(1, cx.compute_element())?;
    let n = x.dims()[0];
    if n < 2 {
        return one(cx.out_splat(0.0));
    }
    let (place, _) = places(cx, n);
    let all = differences(x, x);
    let diagonal = place.lt(place.like(0)) | cx.func.iota(place.element(), &[n, n], 0).eq(cx.func.iota(place.element(), &[n, n], 1));
    let place = diagonal.select(place.like(0), place).reshape(&[n * n]);
    let full = |index: usize| {
        let pairs = gather_slices(cx.operand(index, x.element())?, place, 0).reshape(&[n, n]);
        Ok::<_, LowerError>(diagonal.select(pairs.like(0.0), pairs).broadcast_in_dim(&all.dims(), &[0, 1]))
    };
    one(slope(all, full(3)?, full(0)?, cx.float(2)?).reduce_add(&[1]))
}
