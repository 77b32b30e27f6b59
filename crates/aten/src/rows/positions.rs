//! Index tensors as positions: wrapped, checked against the size, in the narrowest index type.

use stablehlo::{Dims, ElementType, GatherDims, ScatterDims, Value};

use crate::Lowering;

/// Whether an index below 0 counts from the end or is an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Negative {
    Wraps,
    Fails,
}

/// `i32` when every position of `size` elements fits, as hardware without 64-bit integers likes it.
pub(super) fn position_element(size: i64) -> ElementType {
    if size <= i64::from(i32::MAX) { ElementType::I32 } else { ElementType::I64 }
}

/// `index` into `size` elements, checked; `message` is reported with `{}` as the offending index.
pub(super) fn positions<'f>(
    cx: &Lowering<'f, '_>,
    index: Value<'f>,
    size: i64,
    negative: Negative,
    message: impl Into<String>,
) -> Value<'f> {
    let narrow = index.element() == ElementType::I32 && position_element(size) == ElementType::I32;
    let index = index.convert(if narrow { ElementType::I32 } else { ElementType::I64 });
    let lowest = if negative == Negative::Wraps { -size } else { 0 };
    cx.check(index.lt(index.like(lowest)) | index.ge(index.like(size)), index, message);
    let wrapped = match negative {
        Negative::Wraps => index.lt(index.like(0i64)).select(index + index.like(size), index),
        Negative::Fails => index,
    };
    wrapped.convert(position_element(size))
}

/// ATen's words for an index outside of a dimension.
pub(super) fn out_of_bounds(dim: i64, size: i64) -> String {
    format!("index {{}} is out of bounds for dimension {dim} with size {size}")
}

/// Gathers one element for each entry of `positions`, which has the rank of `x` and its sizes outside of `dim`.
pub(super) fn gather_along<'f>(x: Value<'f>, positions: Value<'f>, dim: i64) -> Value<'f> {
    let rank = x.rank() as i64;
    if positions.numel() == 0 || x.numel() == 0 {
        return x.func().splat(x.element(), &positions.dims(), 0i64);
    }
    let others: Vec<i64> = (0..rank).filter(|d| *d != dim).collect();
    x.gather(
        positions,
        &GatherDims {
            collapsed_slice_dims: vec![dim],
            operand_batching_dims: others.clone(),
            start_indices_batching_dims: others,
            start_index_map: vec![dim],
            index_vector_dim: rank,
            slice_sizes: vec![1; rank as usize],
            ..GatherDims::default()
        },
    )
}

/// Gathers whole slices of `dim`: the dimensions of `positions` take the place of `dim`.
pub(super) fn gather_slices<'f>(x: Value<'f>, positions: Value<'f>, dim: i64) -> Value<'f> {
    let (dims, rank) = (x.dims(), positions.rank() as i64);
    let mut result = Dims::from_slice(&dims[..dim as usize]);
    result.extend_from_slice(&positions.dims());
    result.extend_from_slice(&dims[dim as usize + 1..]);
    if result.contains(&0) || x.numel() == 0 {
        return x.func().splat(x.element(), &result, 0i64);
    }
    let mut slice_sizes = dims.to_vec();
    slice_sizes[dim as usize] = 1;
    x.gather(
        positions,
        &GatherDims {
            offset_dims: (0..dim).chain(dim + rank..result.len() as i64).collect(),
            collapsed_slice_dims: vec![dim],
            start_index_map: vec![dim],
            index_vector_dim: rank,
            slice_sizes,
            ..GatherDims::default()
        },
    )
}

/// Scatter dimensions for one update per entry of positions that have the rank of the operand.
pub(super) fn scatter_along_dims(rank: i64, dim: i64) -> ScatterDims {
    let others: Vec<i64> = (0..rank).filter(|d| *d != dim).collect();
    ScatterDims {
        inserted_window_dims: vec![dim],
        input_batching_dims: others.clone(),
        scatter_indices_batching_dims: others,
        scatter_dims_to_operand_dims: vec![dim],
        index_vector_dim: rank,
        ..ScatterDims::default()
    }
}

/// Scatter dimensions for updates that are slices of `dim` at 1-dimensional positions.
pub(super) fn scatter_slices_dims(rank: i64, dim: i64) -> ScatterDims {
    ScatterDims {
        update_window_dims: (0..rank).filter(|d| *d != dim).collect(),
        inserted_window_dims: vec![dim],
        scatter_dims_to_operand_dims: vec![dim],
        index_vector_dim: 1,
        ..ScatterDims::default()
    }
}

/// How scattered updates meet the elements that they land on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combine {
    Set,
    Add,
    Multiply,
    /// Keeps NaN, as ATen does.
    Maximum,
    Minimum,
}

impl Combine {
    pub fn apply<'f>(self, old: Value<'f>, new: Value<'f>) -> Value<'f> {
        match self {
            Combine::Set => new,
            Combine::Add => old + new,
            Combine::Multiply => old * new,
            Combine::Maximum => (old.ge(new) | old.ne(old)).select(old, new),
            Combine::Minimum => (old.le(new) | old.ne(old)).select(old, new),
        }
    }
}

/// `x` with `updates` combined in; nothing to do for empty operands.
pub(super) fn scatter<'f>(
    x: Value<'f>,
    positions: Value<'f>,
    updates: Value<'f>,
    dims: &ScatterDims,
    combine: Combine,
) -> Value<'f> {
    if x.numel() == 0 || updates.numel() == 0 {
        return x;
    }
    let results = x.func().scatter(&[x], positions, &[updates], dims, |old, new| {
        old.iter().zip(new).map(|(old, new)| combine.apply(*old, *new)).collect()
    });
    results.first().copied().unwrap_or(x)
}

/// Scatters 1-dimensional updates to 1-dimensional positions; positions outside are dropped.
pub(super) fn scatter_flat<'f>(x: Value<'f>, positions: Value<'f>, updates: Value<'f>, combine: Combine) -> Value<'f> {
    scatter(x, positions, updates, &scatter_slices_dims(1, 0), combine)
}

/// How many of the first `i + 1` elements are true, as positions.
pub(super) fn running_count(flags: Value<'_>) -> Value<'_> {
    running_sum(flags.convert(position_element(flags.numel())))
}

/// Inclusive prefix sums of a 1-dimensional value.
pub(super) fn running_sum(x: Value<'_>) -> Value<'_> {
    let size = x.numel();
    if size == 0 {
        return x;
    }
    let window = stablehlo::ReduceWindow {
        dimensions: vec![size],
        padding: vec![(size - 1, 0)],
        ..stablehlo::ReduceWindow::default()
    };
    let zero = x.func().zero(x.element());
    let sums = x.func().reduce_window(&[x], &[zero], &window, |a, b| a.iter().zip(b).map(|(a, b)| *a + *b).collect());
    sums.first().copied().unwrap_or(x)
}
