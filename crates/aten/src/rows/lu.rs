//! LU factorization with partial pivoting, and what is computed from it: solutions, inverses, determinants.
//! Blocks of columns are factored one column at a time in a loop; the rest of the matrix is updated by products.

use stablehlo::{DotDims, ElementType, GatherDims, Precision, ScatterDims, TensorType, Transpose, Value};

use super::matrices::{Triangle, diagonal, keep_triangle};
use crate::{CallArgument, LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::linalg_lu_factor_ex", lu_factor),
    Row::custom("aten::linalg_lu", lu),
    Row::custom("aten::lu_unpack", lu_unpack),
    Row::custom("aten::linalg_lu_solve", lu_solve),
    Row::custom("aten::_linalg_solve_ex", solve_ex),
    Row::custom("aten::linalg_inv_ex", inv_ex),
    Row::custom("aten::_linalg_det", det),
    Row::custom("aten::_linalg_slogdet", slogdet),
];

/// Columns that are factored in one loop.
const BLOCK: i64 = 64;

/// The factors of `[b, m, n]` matrices: row `permutation[i]` of the matrix is row `i` of L U.
#[derive(Clone, Copy)]
struct Lu<'f> {
    /// L below the diagonal (its own diagonal is 1), U on and above it.
    factors: Value<'f>,
    /// The row that row i was swapped with, from 0: i32 `[b, min(m, n)]`.
    pivots: Value<'f>,
    /// i32 `[b, m]`.
    permutation: Value<'f>,
}

/// `[.., m, n]` as `[b, m, n]`.
pub(super) fn flat(x: Value<'_>) -> Value<'_> {
    let dims = x.dims();
    let (batch, plane) = dims.split_at(dims.len() - 2);
    x.reshape(&[batch.iter().product(), plane[0], plane[1]])
}

/// `[b, m, k] x [b, k, n]` in full precision.
pub(super) fn exact_product<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.dims()[2] == 0 {
        let dims = [a.dims()[0], a.dims()[1], b.dims()[2]];
        return a.func().zero(TensorType::new(a.element(), &dims));
    }
    let dims = DotDims { lhs_batching: vec![0], rhs_batching: vec![0], lhs_contracting: vec![2], rhs_contracting: vec![1] };
    a.dot_general(b, &dims, Precision::Highest, a.element())
}

/// The conjugate transpose of `[b, m, n]`.
pub(super) fn adjoint(x: Value<'_>) -> Value<'_> {
    let conjugate = if x.element().is_complex() { x.real().complex(-x.imag()) } else { x };
    conjugate.transpose(&[0, 2, 1])
}

/// Ones on the diagonals of the innermost matrices.
pub(super) fn identity_like(x: Value<'_>) -> Value<'_> {
    keep_triangle(keep_triangle(x.like(1i64), Triangle::Lower, 0), Triangle::Upper, 0)
}

/// Part `rows x columns` of `[b, m, n]`.
pub(super) fn part<'f>(x: Value<'f>, rows: std::ops::Range<i64>, columns: std::ops::Range<i64>) -> Value<'f> {
    x.slice(&[0, rows.start, columns.start], &[x.dims()[0], rows.end, columns.end], &[1, 1, 1])
}

/// Rows `index [b, k]` of `[b, m, n]`.
pub(super) fn rows_at<'f>(x: Value<'f>, index: Value<'f>) -> Value<'f> {
    let (dims, count) = (x.dims(), index.dims()[1]);
    let numbers = GatherDims {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![1],
        index_vector_dim: 2,
        slice_sizes: vec![1, 1, dims[2]],
        ..GatherDims::default()
    };
    x.gather(index.reshape(&[dims[0], count, 1]), &numbers)
}

/// What LAPACK compares pivots by.
fn pivot_size(x: Value<'_>) -> Value<'_> {
    if x.element().is_complex() { x.real().abs() + x.imag().abs() } else { x.abs() }
}

/// Position of the largest entry of each row of `[b, m]`, the first of equal ones.
fn largest_position<'f>(x: Value<'f>, otherwise: Value<'f>) -> Value<'f> {
    let func = x.func();
    let positions = func.iota(ElementType::I32, &x.dims(), 1);
    let found = func.reduce(&[x, positions], &[func.constant_f64(x.element(), -2.0), otherwise], &[1], |a, b| {
        let first = a[0].gt(b[0]) | (a[0].eq(b[0]) & a[1].lt(b[1]));
        vec![first.select(a[0], b[0]), first.select(a[1], b[1])]
    });
    found.get(1).copied().unwrap_or(positions)
}

/// Factors the first columns of `[b, m, n]`, as many as it has pivots.
fn factor_unblocked<'f>(a: Value<'f>, steps: i64, pivot: bool) -> Lu<'f> {
    let func = a.func();
    let dims = a.dims();
    let (b, m, n) = (dims[0], dims[1], dims[2]);
    let index = |value: i64| func.constant_i64(ElementType::I32, value);
    let zero = index(0);
    let start = [zero, a, func.zero(TensorType::new(ElementType::I32, &[b, steps])), func.iota(ElementType::I32, &[b, m], 1)];
    let end = func.while_loop(
        &start,
        |state| state[0].lt(index(steps)),
        |state| {
            let (j, a, pivots, permutation) = (state[0], state[1], state[2], state[3]);
            let row_number = func.iota(ElementType::I32, &[b, m], 1);
            let at_row = row_number.eq(j.broadcast_to(&[b, m]));
            let below = row_number.gt(j.broadcast_to(&[b, m]));
            let chosen = if pivot {
                let column = a.dynamic_slice(&[zero, zero, j], &[b, m, 1]).reshape(&[b, m]);
                let size = pivot_size(column);
                largest_position((below | at_row).select(size, size.like(-1.0)), j)
            } else {
                j.broadcast_to(&[b])
            };
            let at_pivot = row_number.eq(chosen.broadcast_in_dim(&[b, m], &[0]));
            // Swap rows j and the chosen one.
            let old_row = a.dynamic_slice(&[zero, j, zero], &[b, 1, n]).reshape(&[b, n]);
            let pivot_row = rows_at(a, chosen.reshape(&[b, 1])).reshape(&[b, n]);
            let whole = [b, m, n];
            let over_columns = |mask: Value<'f>| mask.broadcast_in_dim(&whole, &[0, 1]);
            let over_rows = |row: Value<'f>| row.broadcast_in_dim(&whole, &[0, 2]);
            let swapped = over_columns(at_row).select(over_rows(pivot_row), over_columns(at_pivot).select(over_rows(old_row), a));
            // Subtract multiples of the pivot row from the rows below.
            let pivot_value = pivot_row.dynamic_slice(&[zero, j], &[b, 1]);
            let singular = pivot_value.eq(pivot_value.like(0i64)).reshape(&[b]).broadcast_in_dim(&[b, m], &[0]);
            let column = swapped.dynamic_slice(&[zero, zero, j], &[b, m, 1]).reshape(&[b, m]);
            let quotient = column / pivot_value.reshape(&[b]).broadcast_in_dim(&[b, m], &[0]);
            let factor = singular.select(column, quotient);
            let column_number = func.iota(ElementType::I32, &whole, 2);
            let j_whole = j.broadcast_to(&whole);
            let eliminated = swapped - over_columns(factor) * over_rows(pivot_row);
            let lower = over_columns(below);
            let next = (lower & column_number.gt(j_whole)).select(eliminated, swapped);
            let next = (lower & column_number.eq(j_whole)).select(over_columns(factor), next);

            let old_number = permutation.dynamic_slice(&[zero, j], &[b, 1]);
            let new_number = rows_at(permutation.reshape(&[b, m, 1]), chosen.reshape(&[b, 1])).reshape(&[b, 1]);
            let spread = |number: Value<'f>| number.broadcast_in_dim(&[b, m], &[0, 1]);
            let permutation = at_row.select(spread(new_number), at_pivot.select(spread(old_number), permutation));
            let pivots = pivots.dynamic_update_slice(chosen.reshape(&[b, 1]), &[zero, j]);
            vec![j + index(1), next, pivots, permutation]
        },
    );
    Lu { factors: end[1], pivots: end[2], permutation: end[3] }
}

fn factor<'f>(a: Value<'f>, pivot: bool) -> Lu<'f> {
    let func = a.func();
    let dims = a.dims();
    let (b, m, n) = (dims[0], dims[1], dims[2]);
    let steps = m.min(n);
    if b * steps == 0 {
        return Lu {
            factors: a,
            pivots: func.zero(TensorType::new(ElementType::I32, &[b, steps])),
            permutation: func.iota(ElementType::I32, &[b, m], 1),
        };
    }
    if steps <= 2 * BLOCK {
        return factor_unblocked(a, steps, pivot);
    }
    let mut factors = a;
    let mut permutation = func.iota(ElementType::I32, &[b, m], 1);
    let mut pivots = Vec::new();
    for start in (0..steps).step_by(BLOCK as usize) {
        let end = (start + BLOCK).min(steps);
        let width = end - start;
        let panel = factor_unblocked(part(factors, start..m, start..end), width, pivot);
        pivots.push(panel.pivots + panel.pivots.like(start));
        let lower_numbers = rows_at(permutation.slice_dim(1, start, m).reshape(&[b, m - start, 1]), panel.permutation);
        permutation = func.concatenate(&[permutation.slice_dim(1, 0, start), lower_numbers.reshape(&[b, m - start])], 1);
        // The other columns of these rows follow the swaps; those to the right are eliminated.
        let left = rows_at(part(factors, start..m, 0..start), panel.permutation);
        let mut columns = vec![left, panel.factors];
        if end < n {
            let right = rows_at(part(factors, start..m, end..n), panel.permutation);
            let square = part(panel.factors, 0..width, 0..width);
            let upper = square.triangular_solve(part(right, 0..width, 0..n - end), true, true, true, Transpose::NoTranspose);
            let below = part(panel.factors, width..m - start, 0..width);
            let rest = part(right, width..m - start, 0..n - end) - exact_product(below, upper);
            columns.push(func.concatenate(&[upper, rest], 1));
        }
        factors = func.concatenate(&[part(factors, 0..start, 0..n), func.concatenate(&columns, 2)], 1);
    }
    Lu { factors, pivots: func.concatenate(&pivots, 1), permutation }
}

/// The permutation `[b, m]` that swapping row i with row `pivots[i]` in turn gives.
fn permutation_of<'f>(pivots: Value<'f>, m: i64) -> Value<'f> {
    let func = pivots.func();
    let (b, steps) = (pivots.dims()[0], pivots.dims()[1]);
    let index = |value: i64| func.constant_i64(ElementType::I32, value);
    let zero = index(0);
    let numbers = func.iota(ElementType::I32, &[b, m], 1);
    if b * steps == 0 {
        return numbers;
    }
    let end = func.while_loop(
        &[zero, numbers],
        |state| state[0].lt(index(steps)),
        |state| {
            let (j, permutation) = (state[0], state[1]);
            let position = func.iota(ElementType::I32, &[b, m], 1);
            let chosen = pivots.dynamic_slice(&[zero, j], &[b, 1]);
            let old = permutation.dynamic_slice(&[zero, j], &[b, 1]);
            let new = rows_at(permutation.reshape(&[b, m, 1]), chosen).reshape(&[b, 1]);
            let spread = |value: Value<'f>| value.broadcast_in_dim(&[b, m], &[0, 1]);
            let at_row = position.eq(j.broadcast_to(&[b, m]));
            let next = at_row.select(spread(new), position.eq(spread(chosen)).select(spread(old), permutation));
            vec![j + index(1), next]
        },
    );
    end[1]
}

/// Puts row i of `[b, m, n]` at row `permutation[i]`.
fn unpermute<'f>(x: Value<'f>, permutation: Value<'f>) -> Value<'f> {
    let dims = x.dims();
    let numbers = ScatterDims {
        update_window_dims: vec![2],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: vec![1],
        index_vector_dim: 2,
        unique_indices: true,
        ..ScatterDims::default()
    };
    let index = permutation.reshape(&[dims[0], dims[1], 1]);
    let moved = x.func().scatter(&[x.like(0i64)], index, &[x], &numbers, |_, new| vec![new[0]]);
    moved.first().copied().unwrap_or(x)
}

/// The solution X of `A X = B`, or of `A^H X = B`, for `[b, n, n]` and `[b, n, k]`.
fn solve<'f>(lu: Lu<'f>, rhs: Value<'f>, conjugate_transposed: bool) -> Value<'f> {
    if rhs.numel() == 0 {
        return rhs;
    }
    let solve = |x: Value<'f>, lower: bool, transpose: Transpose| lu.factors.triangular_solve(x, true, lower, lower, transpose);
    if conjugate_transposed {
        let x = solve(solve(rhs, false, Transpose::Adjoint), true, Transpose::Adjoint);
        return unpermute(x, lu.permutation);
    }
    solve(solve(rows_at(rhs, lu.permutation), true, Transpose::NoTranspose), false, Transpose::NoTranspose)
}

/// 1 plus the position of the first zero on U's diagonal, or 0: i32 `[b]`.
fn info<'f>(lu: Lu<'f>) -> Value<'f> {
    let diagonal = diagonal(lu.factors);
    let dims = diagonal.dims();
    if dims[1] == 0 {
        return diagonal.func().zero(TensorType::new(ElementType::I32, &dims[..1]));
    }
    let position = diagonal.func().iota(ElementType::I32, &dims, 1);
    let none = position.like(i64::from(i32::MAX));
    let first = diagonal.eq(diagonal.like(0i64)).select(position, none).reduce_min(&[1]);
    first.eq(first.like(i64::from(i32::MAX))).select(first.like(0i64), first + first.like(1i64))
}

/// When argument `index` (check_errors) is true, a nonzero info is an error.
pub(super) fn check_info<'f>(cx: &Lowering<'f, '_>, index: usize, info: Value<'f>, message: &str) -> Result<(), LowerError> {
    if cx.bool(index)? {
        cx.check(info.ne(info.like(0i64)), info, message);
    }
    Ok(())
}

/// Pivots as ATen has them: from 1.
fn from_one(pivots: Value<'_>) -> Value<'_> {
    pivots + pivots.like(1i64)
}

fn shaped<'f>(cx: &Lowering<'f, '_>, index: usize, value: Value<'f>) -> Option<Value<'f>> {
    cx.output(index).ok().map(|meta| value.reshape(&meta.dims))
}

fn lu_factor<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let lu = factor(flat(cx.tensor(0)?), cx.bool(1)?);
    let info = info(lu);
    check_info(cx, 2, info, "torch.linalg.lu_factor_ex: U[{},{}] is zero and using it on lu_solve would result in a division by zero.")?;
    Ok(vec![shaped(cx, 0, lu.factors), shaped(cx, 1, from_one(lu.pivots)), shaped(cx, 2, info)])
}

/// `(P, L, U)`; P is empty where results do not hold it.
fn unpacked<'f>(cx: &Lowering<'f, '_>, factors: Value<'f>, permutation: Option<Value<'f>>, data: bool) -> Lowered<'f> {
    let dims = factors.dims();
    let (b, m, n) = (dims[0], dims[1], dims[2]);
    let k = m.min(n);
    let p = match permutation {
        Some(permutation) => {
            let plane = [b, m, m];
            let row = cx.func.iota(ElementType::I32, &plane, 1);
            shaped(cx, 0, row.eq(permutation.broadcast_in_dim(&plane, &[0, 2])))
        }
        None => shaped(cx, 0, cx.func.zero(TensorType::new(factors.element(), &[0]))),
    };
    if !data {
        let empty = || cx.func.zero(TensorType::new(factors.element(), &[0]));
        return Ok(vec![p, shaped(cx, 1, empty()), shaped(cx, 2, empty())]);
    }
    let lower = part(factors, 0..m, 0..k);
    let lower = keep_triangle(lower, Triangle::Lower, -1) + identity_like(lower);
    let upper = keep_triangle(part(factors, 0..k, 0..n), Triangle::Upper, 0);
    Ok(vec![p, shaped(cx, 1, lower), shaped(cx, 2, upper)])
}

fn lu<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let pivot = cx.bool(1)?;
    let lu = factor(flat(cx.tensor(0)?), pivot);
    unpacked(cx, lu.factors, pivot.then_some(lu.permutation), true)
}

/// i32 pivots from 0, `[b, k]`.
fn pivots_argument<'f>(cx: &Lowering<'f, '_>, index: usize, dims: &[i64]) -> Result<Value<'f>, LowerError> {
    let pivots = cx.tensor(index)?;
    Ok((pivots - pivots.like(1i64)).broadcast_to(dims))
}

fn lu_unpack<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let factors = flat(cx.tensor(0)?);
    let dims = factors.dims();
    let permutation = if cx.bool(3)? {
        let pivots = cx.tensor(1)?;
        let steps = dims[1].min(dims[2]);
        let pivots = (pivots - pivots.like(1i64)).reshape(&[dims[0], steps]);
        Some(permutation_of(pivots.convert(ElementType::I32), dims[1]))
    } else {
        None
    };
    unpacked(cx, factors, permutation, cx.bool(2)?)
}

fn lu_solve<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (left, conjugate_transposed) = (cx.bool(3)?, cx.bool(4)?);
    let out = cx.out_dims();
    let batch = &out[..out.len() - 2];
    let factors = cx.tensor(0)?;
    let n = factors.dims()[factors.rank() - 1];
    let factors = flat(factors.broadcast_to(&[batch, &[n, n]].concat()));
    let pivots = pivots_argument(cx, 1, &[batch, &[n]].concat())?.reshape(&[factors.dims()[0], n]);
    let lu = Lu { factors, pivots, permutation: permutation_of(pivots, n) };
    let rhs = flat(cx.tensor(2)?.broadcast_to(out));
    Ok(vec![shaped(cx, 0, solve_side(lu, rhs, left, conjugate_transposed))])
}

/// `X A = B` is `A^H X^H = B^H`.
fn solve_side<'f>(lu: Lu<'f>, rhs: Value<'f>, left: bool, conjugate_transposed: bool) -> Value<'f> {
    if left { solve(lu, rhs, conjugate_transposed) } else { adjoint(solve(lu, adjoint(rhs), !conjugate_transposed)) }
}

fn solve_ex<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let left = cx.bool(2)?;
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let (a_dims, b_dims, out) = (a.dims(), b.dims(), cx.out_dims());
    let n = a_dims[a_dims.len() - 1];
    let lu = factor(flat(a), true);
    let info = info(lu);
    check_info(cx, 3, info, "torch.linalg.solve_ex: The solver failed because the input matrix is singular.")?;
    // A right-hand side of vectors: one a matrix.
    let vectors = b_dims.len() == 1 || (a_dims.len() - 1 == b_dims.len() && a_dims[..a_dims.len() - 1] == b_dims[..]);
    let matrices = if vectors { [out, &[1]].concat() } else { out.to_vec() };
    let batch = &matrices[..matrices.len() - 2];
    let spread = |x: Value<'f>, inner: &[i64]| {
        let own = [&a_dims[..a_dims.len() - 2], inner].concat();
        x.reshape(&own).broadcast_to(&[batch, inner].concat())
    };
    let factors = flat(spread(lu.factors, &[n, n]));
    let count = factors.dims()[0];
    let solved = Lu { factors, pivots: lu.pivots, permutation: spread(lu.permutation, &[n]).reshape(&[count, n]) };
    let b = if vectors { b.reshape(&[&b_dims[..], &[1]].concat()) } else { b };
    let rhs = flat(b.broadcast_to(&matrices));
    let x = solve_side(solved, rhs, left || vectors, false);
    Ok(vec![shaped(cx, 0, x), shaped(cx, 1, lu.factors), shaped(cx, 2, from_one(lu.pivots)), shaped(cx, 3, info)])
}

fn inv_ex<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let a = flat(cx.tensor(0)?);
    let lu = factor(a, true);
    let info = info(lu);
    check_info(
        cx,
        1,
        info,
        "linalg.inv: The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
    )?;
    Ok(vec![shaped(cx, 0, solve(lu, identity_like(a), false)), shaped(cx, 1, info)])
}

/// 1 or -1: the determinant of the swaps, in the real type, `[b]`.
fn parity<'f>(lu: Lu<'f>, element: ElementType) -> Value<'f> {
    let dims = lu.pivots.dims();
    let position = lu.pivots.func().iota(ElementType::I32, &dims, 1);
    let swaps = lu.pivots.ne(position).convert(ElementType::I32).reduce_add(&[1]);
    let odd = (swaps % swaps.like(2i64)).eq(swaps.like(1i64));
    let one = swaps.convert(element).like(1i64);
    odd.select(one.like(-1i64), one)
}

/// Factors argument 0 for a determinant: ATen takes the transpose of a real contiguous matrix, which is its
/// column-major reading, and its backward expects that.
fn factor_for_determinant<'f>(cx: &Lowering<'f, '_>) -> Result<Lu<'f>, LowerError> {
    let a = flat(cx.tensor(0)?);
    let transposed = match cx.argument(0) {
        CallArgument::Tensor(tensor) => tensor.contiguous && !tensor.meta.element.is_complex(),
        _ => false,
    };
    Ok(factor(if transposed { a.transpose(&[0, 2, 1]) } else { a }, true))
}

fn det<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let lu = factor_for_determinant(cx)?;
    let product = diagonal(lu.factors).reduce_mul(&[1]);
    let result = product * parity(lu, product.element());
    Ok(vec![shaped(cx, 0, result), shaped(cx, 1, lu.factors), shaped(cx, 2, from_one(lu.pivots))])
}

fn slogdet<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let lu = factor_for_determinant(cx)?;
    let diagonal = diagonal(lu.factors);
    let sign = diagonal.sign().reduce_mul(&[1]);
    let sign = sign * parity(lu, sign.element());
    let logarithm = diagonal.abs().log().reduce_add(&[1]);
    Ok(vec![shaped(cx, 0, sign), shaped(cx, 1, logarithm), shaped(cx, 2, lu.factors), shaped(cx, 3, from_one(lu.pivots))])
}
