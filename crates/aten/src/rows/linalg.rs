//! Cholesky factors, triangular systems and the matrix exponential.

use stablehlo::{ElementType, TensorType, Transpose, Value};

use super::lu::{adjoint, check_info, exact_product, flat, identity_like, part};
use super::matrices::{Triangle, keep_triangle};
use crate::{Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::linalg_cholesky_ex", cholesky),
    Row::custom("aten::cholesky_solve", cholesky_solve),
    Row::custom("aten::cholesky_inverse", cholesky_inverse),
    Row::custom("aten::linalg_solve_triangular", solve_triangular),
    Row::custom("aten::triangular_solve", triangular_solve),
    Row::custom("aten::linalg_matrix_exp", matrix_exp),
];

/// Columns that are factored in one loop.
const BLOCK: i64 = 64;

/// The lower factor of `[b, n, n]` from its lower triangle, and where it failed: the order of the first leading
/// minor that is not positive-definite, or 0, i32 `[b]`.
fn factor(a: Value<'_>) -> (Value<'_>, Value<'_>) {
    let func = a.func();
    let (b, n) = (a.dims()[0], a.dims()[1]);
    let mut info = func.zero(TensorType::new(ElementType::I32, &[b]));
    if a.numel() == 0 {
        return (a, info);
    }
    // Finished columns, each from its diagonal down, and what is left to factor.
    let mut done: Vec<Value<'_>> = Vec::new();
    let mut rest = a;
    for start in (0..n).step_by(BLOCK as usize) {
        let width = BLOCK.min(n - start);
        let left = n - start;
        let (square, failed) = factor_unblocked(part(rest, 0..width, 0..width));
        let failed = failed.eq(failed.like(0i64)).select(failed, failed + failed.like(start));
        info = info.eq(info.like(0i64)).select(failed, info);
        let above = func.zero(TensorType::new(a.element(), &[b, start, width]));
        if width == left {
            done.push(func.concatenate(&[above, square], 1));
            break;
        }
        let below = square.triangular_solve(part(rest, width..left, 0..width), false, true, false, Transpose::Adjoint);
        rest = part(rest, width..left, width..left) - exact_product(below, adjoint(below));
        done.push(func.concatenate(&[above, square, below], 1));
    }
    (keep_triangle(func.concatenate(&done, 2), Triangle::Lower, 0), info)
}

fn factor_unblocked<'f>(a: Value<'f>) -> (Value<'f>, Value<'f>) {
    let func = a.func();
    let dims = a.dims();
    let (b, n) = (dims[0], dims[1]);
    let index = |value: i64| func.constant_i64(ElementType::I32, value);
    let zero = index(0);
    let info = func.zero(TensorType::new(ElementType::I32, &[b]));
    let end = func.while_loop(
        &[zero, a, info],
        |state| state[0].lt(index(n)),
        |state| {
            let (j, a, info) = (state[0], state[1], state[2]);
            let (flat_dims, whole) = ([b, n], [b, n, n]);
            let pivot = a.dynamic_slice(&[zero, j, j], &[b, 1, 1]).reshape(&[b]);
            let pivot = if pivot.element().is_complex() { pivot.real() } else { pivot };
            let positive = pivot.gt(pivot.like(0.0));
            let failed_here = info.eq(info.like(0i64)) & !positive;
            let info = failed_here.select((j + index(1)).broadcast_to(&[b]), info);
            let root = pivot.sqrt();
            let as_element = |x: Value<'f>| if a.element().is_complex() { x.convert(a.element()) } else { x };
            let column = a.dynamic_slice(&[zero, zero, j], &[b, n, 1]).reshape(&flat_dims);
            let scaled = column / as_element(root).broadcast_in_dim(&flat_dims, &[0]);
            let row_number = func.iota(ElementType::I32, &flat_dims, 1);
            let j_flat = j.broadcast_to(&flat_dims);
            let column = row_number.eq(j_flat).select(as_element(root).broadcast_in_dim(&flat_dims, &[0]), scaled);
            let conjugate = if column.element().is_complex() { column.real().complex(-column.imag()) } else { column };
            let product = column.broadcast_in_dim(&whole, &[0, 1]) * conjugate.broadcast_in_dim(&whole, &[0, 2]);
            let (row, other) = (func.iota(ElementType::I32, &whole, 1), func.iota(ElementType::I32, &whole, 2));
            let j_whole = j.broadcast_to(&whole);
            let next = (row.gt(j_whole) & other.gt(j_whole)).select(a - product, a);
            let next = (row.ge(j_whole) & other.eq(j_whole)).select(column.broadcast_in_dim(&whole, &[0, 1]), next);
            vec![j + index(1), next, info]
        },
    );
    (keep_triangle(end[1], Triangle::Lower, 0), end[2])
}

fn cholesky<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let upper = cx.bool(1)?;
    let a = flat(cx.tensor(0)?);
    let (lower, info) = factor(if upper { adjoint(a) } else { a });
    check_info(
        cx,
        2,
        info,
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not positive-definite).",
    )?;
    let result = if upper { adjoint(lower) } else { lower };
    Ok(vec![Some(result.reshape(cx.out_dims())), Some(info.reshape(&cx.output(1)?.dims))])
}

/// `A X = rhs` for `A = L L^H` (or `U^H U`), `[b, n, n]` and `[b, n, k]`.
fn solve_by_cholesky<'f>(factor: Value<'f>, rhs: Value<'f>, upper: bool) -> Value<'f> {
    if rhs.numel() == 0 {
        return rhs;
    }
    let (first, second) = if upper { (Transpose::Adjoint, Transpose::NoTranspose) } else { (Transpose::NoTranspose, Transpose::Adjoint) };
    let half = factor.triangular_solve(rhs, true, !upper, false, first);
    factor.triangular_solve(half, true, !upper, false, second)
}

fn cholesky_solve<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let out = cx.out_dims();
    let n = out[out.len() - 2];
    let rhs = flat(cx.tensor(0)?.broadcast_to(out));
    let factor = flat(cx.tensor(1)?.broadcast_to(&[&out[..out.len() - 2], &[n, n]].concat()));
    Ok(vec![Some(solve_by_cholesky(factor, rhs, cx.bool(2)?).reshape(out))])
}

fn cholesky_inverse<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let factor = flat(cx.tensor(0)?);
    Ok(vec![Some(solve_by_cholesky(factor, identity_like(factor), cx.bool(1)?).reshape(cx.out_dims()))])
}

/// `(A, B, upper, left, unitriangular)`.
fn solve_triangular<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (upper, left, unit) = (cx.bool(2)?, cx.bool(3)?, cx.bool(4)?);
    let out = cx.out_dims();
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let n = a.dims()[a.rank() - 1];
    let a = flat(a.broadcast_to(&[&out[..out.len() - 2], &[n, n]].concat()));
    let b = flat(b.broadcast_to(out));
    if b.numel() == 0 {
        return Ok(vec![Some(b.reshape(out))]);
    }
    Ok(vec![Some(a.triangular_solve(b, left, !upper, unit, Transpose::NoTranspose).reshape(out))])
}

/// `(B, A, upper, transpose, unitriangular)`; also returns A.
fn triangular_solve<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (upper, transposed, unit) = (cx.bool(2)?, cx.bool(3)?, cx.bool(4)?);
    let out = cx.out_dims();
    let copy = cx.tensor(1)?.broadcast_to(&cx.output(1)?.dims);
    let (a, b) = (flat(copy), flat(cx.tensor(0)?.broadcast_to(out)));
    let transpose = if transposed { Transpose::Transpose } else { Transpose::NoTranspose };
    let solution = if b.numel() == 0 { b } else { a.triangular_solve(b, true, !upper, unit, transpose) };
    Ok(vec![Some(solution.reshape(out)), Some(copy)])
}

/// Scaling and squaring: a Taylor polynomial of degree 18 of A / 2^s, whose norm is below 1, squared s times.
fn matrix_exp<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let a = cx.tensor(0)?;
    let element = a.element();
    let compute = cx.compute_element();
    let a = flat(a.convert(compute));
    let dims = a.dims();
    if a.numel() == 0 {
        return Ok(vec![Some(cx.tensor(0)?.convert(element))]);
    }
    let func = cx.func;
    let real = compute.real();
    // The 1-norm of each matrix: its largest column sum.
    let norm = a.abs().reduce_add(&[1]).reduce_max(&[1]);
    let exponent = norm.log().over(std::f64::consts::LN_2).ceil().plus(1.0);
    let most = norm.like(if real == ElementType::F64 { 1024.0 } else { 128.0 });
    // A norm of 0 needs none, one that is not finite as many as there are.
    let squarings = exponent.maximum(norm.like(0.0)).minimum(most);
    let squarings = norm.is_finite().select(squarings, norm.like(0.0));
    let scale = norm.like(2.0).power(-squarings).convert(compute);
    let scaled = a * scale.broadcast_in_dim(&dims, &[0]);
    // Horner's rule: I + X (I + X / 2 (I + X / 3 (...))).
    let identity = identity_like(a);
    let mut sum = identity;
    for degree in (1..=18).rev() {
        sum = identity + exact_product(scaled, sum).over(f64::from(degree));
    }
    let squarings = squarings.convert(ElementType::I32);
    let largest = squarings.reduce_max(&[0]);
    let end = func.while_loop(
        &[func.constant_i64(ElementType::I32, 0), sum],
        |state| state[0].lt(largest),
        |state| {
            let squared = exact_product(state[1], state[1]);
            let wanted = state[0].broadcast_to(&dims[..1]).lt(squarings).broadcast_in_dim(&dims, &[0]);
            vec![state[0] + func.constant_i64(ElementType::I32, 1), wanted.select(squared, state[1])]
        },
    );
    Ok(vec![Some(end[1].reshape(cx.out_dims()))])
}
