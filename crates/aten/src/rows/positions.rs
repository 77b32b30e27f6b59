//! Index tensors as positions: wrapped, checked against the size, in the narrowest index type.

use stablehlo::{Dims, ElementType, GatherDims, ScatterDims, Value};

use crate::{Lowering, Target};

/// What a bad index is called, with `{}` for the index, and which exception it becomes.
#[derive(Clone, Debug)]
pub(super) enum Complaint {
    Index(String),
    Runtime(String),
}

impl Complaint {
    /// ATen's words for an index outside of a dimension.
    pub fn out_of_bounds(dim: i64, size: i64) -> Self {
        Self::Index(format!("index {{}} is out of bounds for dimension {dim} with size {size}"))
    }

    /// The same as a RuntimeError.
    pub fn out_of_bounds_at_run(dim: i64, size: i64) -> Self {
        Self::Runtime(format!("index {{}} is out of bounds for dimension {dim} with size {size}"))
    }

    pub fn out_of_range_in_self() -> Self {
        Self::Index("index out of range in self".to_owned())
    }
}

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

/// `index` into `size` elements, checked.
pub(super) fn positions<'f>(cx: &Lowering<'f, '_>, index: Value<'f>, size: i64, negative: Negative, complaint: Complaint) -> Value<'f> {
    let narrow = index.element() == ElementType::I32 && position_element(size) == ElementType::I32;
    let index = index.convert(if narrow { ElementType::I32 } else { ElementType::I64 });
    let lowest = if negative == Negative::Wraps { -size } else { 0 };
    let failed = index.lt(index.like(lowest)) | index.ge(index.like(size));
    match complaint {
        Complaint::Index(message) => cx.check(failed, index, message),
        Complaint::Runtime(message) => cx.check_data(failed, index, message),
    }
    let wrapped = match negative {
        Negative::Wraps => index.lt(index.like(0i64)).select(index + index.like(size), index),
        Negative::Fails => index,
    };
    wrapped.convert(position_element(size))
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
pub(super) fn scatter<'f>(x: Value<'f>, positions: Value<'f>, updates: Value<'f>, dims: &ScatterDims, combine: Combine) -> Value<'f> {
    if x.numel() == 0 || updates.numel() == 0 {
        return x;
    }
    let results = x
        .func()
        .scatter(&[x], positions, &[updates], dims, |old, new| old.iter().zip(new).map(|(old, new)| combine.apply(*old, *new)).collect());
    results.first().copied().unwrap_or(x)
}

/// Combines one update for each entry of `positions` into `x`: they have the rank of `x`, sizes of at most its own
/// outside of `dim`, and the shape of `updates`.
pub(super) fn scatter_along<'f>(
    target: Target,
    x: Value<'f>,
    positions: Value<'f>,
    updates: Value<'f>,
    dim: i64,
    combine: Combine,
) -> Value<'f> {
    if x.numel() == 0 || updates.numel() == 0 {
        return x;
    }
    if target == Target::Cpu {
        // Three times as fast there as batching dimensions, and a flat array is no copy.
        let flat = x.reshape(&[x.numel()]);
        let places = flat_positions(positions, &x.dims(), dim);
        return scatter_flat(flat, places, updates.reshape(&[updates.numel()]), combine).reshape(&x.dims());
    }
    let (sizes, rank) = (x.dims(), x.rank() as i64);
    let others: Vec<i64> = (0..rank).filter(|d| *d != dim).collect();
    let dims = ScatterDims {
        inserted_window_dims: vec![dim],
        input_batching_dims: others.clone(),
        scatter_indices_batching_dims: others,
        scatter_dims_to_operand_dims: vec![dim],
        index_vector_dim: rank,
        ..ScatterDims::default()
    };
    let written = scatter(cut_to(x, &positions.dims(), dim), positions, updates, &dims, combine);
    if written.dims() == sizes {
        return written;
    }
    let zero = x.func().constant_i64(ElementType::I32, 0);
    x.dynamic_update_slice(written, &vec![zero; rank as usize])
}

/// Row-major positions in an array of `dims` of elements that have their own coordinates, but in `dim` the one that
/// `positions` gives. 1-dimensional.
fn flat_positions<'f>(positions: Value<'f>, dims: &[i64], dim: i64) -> Value<'f> {
    let own = positions.dims();
    let element = position_element(dims.iter().product());
    let mut flat = positions.func().splat(element, &own, 0i64);
    let mut stride = 1;
    for axis in (0..dims.len()).rev() {
        let coordinate = if axis as i64 == dim { positions.convert(element) } else { positions.func().iota(element, &own, axis as i64) };
        flat = flat + coordinate * coordinate.like(stride);
        stride *= dims[axis];
    }
    flat.reshape(&[positions.numel()])
}

/// The leading part of `x` with the sizes `dims`, whole in `dim`.
pub(super) fn cut_to<'f>(x: Value<'f>, dims: &[i64], dim: i64) -> Value<'f> {
    let mut limits = Dims::from_slice(dims);
    limits[dim as usize] = x.dims()[dim as usize];
    let (zeros, ones): (Dims, Dims) = dims.iter().map(|_| (0, 1)).unzip();
    x.slice(&zeros, &limits, &ones)
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
    let window = stablehlo::ReduceWindow { dimensions: vec![size], padding: vec![(size - 1, 0)], ..stablehlo::ReduceWindow::default() };
    let zero = x.func().zero(x.element());
    let sums = x.func().reduce_window(&[x], &[zero], &window, |a, b| a.iter().zip(b).map(|(a, b)| *a + *b).collect());
    sums.first().copied().unwrap_or(x)
}
