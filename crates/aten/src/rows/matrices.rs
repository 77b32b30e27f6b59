//! Triangles, the trace, index lists of triangles and the cross product.

use stablehlo::{ElementType, GatherDims, Value};

use super::window::splice;
use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::tril", |cx| triangle(cx, Triangle::Lower)),
    Row::custom("aten::triu", |cx| triangle(cx, Triangle::Upper)),
    Row::custom("aten::tril_indices", |cx| triangle_indices(cx, Triangle::Lower)),
    Row::custom("aten::triu_indices", |cx| triangle_indices(cx, Triangle::Upper)),
    Row::custom("aten::trace", trace),
    Row::custom("aten::linalg_cross", cross),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Triangle {
    Lower,
    Upper,
}

/// Keeps the triangle of each innermost matrix that begins at `diagonal`, and makes the rest 0.
pub(super) fn keep_triangle<'f>(x: Value<'f>, triangle: Triangle, diagonal: i64) -> Value<'f> {
    let dims = x.dims();
    let plane = &dims[dims.len() - 2..];
    let diagonal = diagonal.clamp(-plane[0] - 1, plane[1] + 1);
    let func = x.func();
    let offset = func.iota(ElementType::I32, plane, 1) - func.iota(ElementType::I32, plane, 0);
    let kept = match triangle {
        Triangle::Lower => offset.le(offset.like(diagonal)),
        Triangle::Upper => offset.ge(offset.like(diagonal)),
    };
    kept.broadcast_to(&dims).select(x, x.like(0i64))
}

fn triangle<'f>(cx: &Lowering<'f, '_>, triangle: Triangle) -> Lowered<'f> {
    Ok(vec![Some(keep_triangle(cx.tensor(0)?, triangle, cx.int(1)?))])
}

/// Rows and columns of a triangle's elements in row-major order, `[2, count]`.
fn triangle_indices<'f>(cx: &Lowering<'f, '_>, triangle: Triangle) -> Lowered<'f> {
    let (rows, columns, offset) = (cx.int(0)?, cx.int(1)?, cx.int(2)?);
    let count = cx.out_dims()[1];
    let element = cx.out_element();
    if count == 0 {
        return Ok(vec![Some(cx.out_splat(0.0))]);
    }
    // Where each row's elements start in the list, and the column of its first element.
    let mut starts = Vec::with_capacity(rows as usize);
    let mut next = 0;
    for row in 0..rows {
        starts.push(next);
        let below = row.saturating_add(offset).saturating_add(1).clamp(0, columns);
        next += match triangle {
            Triangle::Lower => below,
            Triangle::Upper => columns - (below - 1).max(0).min(columns),
        };
    }
    let func = cx.func;
    let starts = func.constant_i64s(ElementType::I64, &[rows], &starts);
    let look_up = |index: Value<'f>| {
        let numbers = GatherDims {
            collapsed_slice_dims: vec![0],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1],
            ..GatherDims::default()
        };
        starts.gather(index, &numbers)
    };
    // The last row that starts at or before each element, by binary search.
    let position = func.iota(ElementType::I64, &[count], 0);
    let mut row = position.like(0i64);
    for bit in (0..i64::from(64 - rows.leading_zeros())).rev() {
        let candidate = row + row.like(1i64 << bit);
        let inside = candidate.lt(row.like(rows)) & look_up(candidate).le(position);
        row = inside.select(candidate, row);
    }
    let mut column = position - look_up(row);
    if triangle == Triangle::Upper {
        column = column + (row + row.like(offset)).maximum(row.like(0i64));
    }
    let both = [row, column].map(|index| index.convert(element).reshape(&[1, count]));
    Ok(vec![Some(func.concatenate(&both, 0))])
}

/// The main diagonals of matrices `[.., m, n]`.
pub(super) fn diagonal<'f>(x: Value<'f>) -> Value<'f> {
    let dims = x.dims();
    let (batch, plane) = dims.split_at(dims.len() - 2);
    let count = plane[0].min(plane[1]);
    let axis = batch.len();
    let flat = x.reshape(&splice(&dims[..axis + 1], axis, &[plane[0] * plane[1]]));
    if count == 0 {
        return flat.slice_dim(axis as i64, 0, 0);
    }
    super::window::strided(flat, axis, 0, (count - 1) * (plane[1] + 1) + 1, plane[1] + 1)
}

fn trace<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    Ok(vec![Some(diagonal(x).reduce_add(&[0]))])
}

fn cross<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let axis = cx.dim(2, dims.len())?;
    let element = compute_element(cx.out_element());
    let parts = |index: usize| -> Result<[Value<'f>; 3], LowerError> {
        let x = cx.operand(index, element)?.broadcast_to(dims);
        Ok([0, 1, 2].map(|i| x.slice_dim(axis, i, i + 1)))
    };
    let ([a0, a1, a2], [b0, b1, b2]) = (parts(0)?, parts(1)?);
    Ok(vec![Some(cx.func.concatenate(&[a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis))])
}
