//! Gather, scatter and the slices whose starts are values.

use std::fmt::Write;

use smallvec::SmallVec;

use crate::attribute::Attribute;
use crate::builder::{Appended, FuncBuilder, Types, Value};
use crate::ops::reduce::{returns, scalars, types};
use crate::ops::{check, distinct_axes, size, without};
use crate::{Dims, TensorType};

/// Dimension numbers of `gather`, named as in the StableHLO specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatherDims {
    pub offset_dims: Vec<i64>,
    pub collapsed_slice_dims: Vec<i64>,
    pub operand_batching_dims: Vec<i64>,
    pub start_indices_batching_dims: Vec<i64>,
    pub start_index_map: Vec<i64>,
    pub index_vector_dim: i64,
    pub slice_sizes: Vec<i64>,
    pub indices_are_sorted: bool,
}

/// Dimension numbers of `scatter`, named as in the StableHLO specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScatterDims {
    pub update_window_dims: Vec<i64>,
    pub inserted_window_dims: Vec<i64>,
    pub input_batching_dims: Vec<i64>,
    pub scatter_indices_batching_dims: Vec<i64>,
    pub scatter_dims_to_operand_dims: Vec<i64>,
    pub index_vector_dim: i64,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}

/// `name = [1, 2], ` for each list that is not empty.
fn lists(out: &mut String, lists: &[(&str, &[i64])]) {
    for (name, values) in lists.iter().filter(|(_, values)| !values.is_empty()) {
        let _ = write!(out, "{name} = {values:?}, ");
    }
}

impl GatherDims {
    fn attribute(&self) -> Attribute {
        let mut text = "#stablehlo.gather<".to_owned();
        lists(
            &mut text,
            &[
                ("offset_dims", &self.offset_dims),
                ("collapsed_slice_dims", &self.collapsed_slice_dims),
                ("operand_batching_dims", &self.operand_batching_dims),
                ("start_indices_batching_dims", &self.start_indices_batching_dims),
                ("start_index_map", &self.start_index_map),
            ],
        );
        let _ = write!(text, "index_vector_dim = {}>", self.index_vector_dim);
        Attribute::Text(text.into())
    }

    /// The slice dimensions that the result keeps.
    fn offset_sizes(&self) -> Dims {
        let dropped: Dims = self.collapsed_slice_dims.iter().chain(&self.operand_batching_dims).copied().collect();
        without(&self.slice_sizes, &dropped)
    }

    fn result(&self, operand: &TensorType, indices: &TensorType) -> TensorType {
        let batch = without(&indices.dims, &[self.index_vector_dim]);
        let offsets = self.offset_sizes();
        let (mut batch, mut offsets) = (batch.iter(), offsets.iter());
        let rank = batch.len() + offsets.len();
        let dims: Dims = (0..rank as i64)
            .map(|axis| if self.offset_dims.contains(&axis) { offsets.next() } else { batch.next() })
            .map(|dim| dim.copied().unwrap_or(1))
            .collect();
        operand.with_dims(&dims)
    }

    fn check(&self, operand: &TensorType, indices: &TensorType) -> Result<(), String> {
        let rank = operand.rank();
        check!(indices.element.is_integer(), "integer indices, got {indices}");
        check_index_vector(self.index_vector_dim, &self.start_index_map, indices, "start_index_map")?;
        check!(self.slice_sizes.len() == rank, "{rank} slice sizes, got {:?}", self.slice_sizes);
        let dropped: Dims = self.collapsed_slice_dims.iter().chain(&self.operand_batching_dims).copied().collect();
        check!(distinct_axes(&dropped, rank), "distinct collapsed and batching dimensions inside {operand}, got {self:?}");
        check!(
            distinct_axes(&self.start_index_map, rank),
            "a start_index_map of distinct dimensions of {operand}, got {:?}",
            self.start_index_map
        );
        for (axis, (&slice, &dim)) in self.slice_sizes.iter().zip(&operand.dims).enumerate() {
            check!(0 <= slice && slice <= dim, "a slice size from 0 to {dim} in dimension {axis}, got {slice}");
            check!(slice <= 1 || !dropped.contains(&(axis as i64)), "slice size 1 in the dropped dimension {axis}, got {slice}");
        }
        check_batching(&self.operand_batching_dims, operand, &self.start_indices_batching_dims, indices, self.index_vector_dim)?;
        let offsets = self.offset_sizes().len();
        check!(self.offset_dims.len() == offsets, "{offsets} offset_dims, got {:?}", self.offset_dims);
        let result_rank = without(&indices.dims, &[self.index_vector_dim]).len() + offsets;
        check!(distinct_axes(&self.offset_dims, result_rank), "distinct offset_dims below {result_rank}, got {:?}", self.offset_dims);
        check!(self.offset_dims.is_sorted(), "sorted offset_dims, got {:?}", self.offset_dims);
        Ok(())
    }
}

/// The index vector has one entry for each mapped dimension.
fn check_index_vector(dim: i64, map: &[i64], indices: &TensorType, map_name: &str) -> Result<(), String> {
    check!(0 <= dim && dim <= indices.rank() as i64, "an index_vector_dim from 0 to {}, got {dim}", indices.rank());
    let entries = size(&indices.dims, dim);
    check!(map.len() as i64 == entries, "a {map_name} of {entries} dimensions, got {map:?}");
    Ok(())
}

fn check_batching(
    operand_dims: &[i64],
    operand: &TensorType,
    indices_dims: &[i64],
    indices: &TensorType,
    index_vector_dim: i64,
) -> Result<(), String> {
    check!(
        operand_dims.len() == indices_dims.len(),
        "as many batching dimensions of operand and indices, got {operand_dims:?} and {indices_dims:?}"
    );
    check!(distinct_axes(indices_dims, indices.rank()), "distinct batching dimensions of {indices}, got {indices_dims:?}");
    check!(!indices_dims.contains(&index_vector_dim), "batching dimensions other than index_vector_dim {index_vector_dim}");
    for (&a, &b) in operand_dims.iter().zip(indices_dims) {
        let (left, right) = (size(&operand.dims, a), size(&indices.dims, b));
        check!(left == right, "equal sizes of batching dimensions {a} and {b}, got {left} and {right}");
    }
    Ok(())
}

impl ScatterDims {
    fn attribute(&self) -> Attribute {
        let mut text = "#stablehlo.scatter<".to_owned();
        lists(
            &mut text,
            &[
                ("update_window_dims", &self.update_window_dims),
                ("inserted_window_dims", &self.inserted_window_dims),
                ("input_batching_dims", &self.input_batching_dims),
                ("scatter_indices_batching_dims", &self.scatter_indices_batching_dims),
                ("scatter_dims_to_operand_dims", &self.scatter_dims_to_operand_dims),
            ],
        );
        let _ = write!(text, "index_vector_dim = {}>", self.index_vector_dim);
        Attribute::Text(text.into())
    }

    fn check(&self, input: &TensorType, indices: &TensorType, update: &TensorType) -> Result<(), String> {
        let rank = input.rank();
        check!(indices.element.is_integer(), "integer indices, got {indices}");
        check_index_vector(self.index_vector_dim, &self.scatter_dims_to_operand_dims, indices, "scatter_dims_to_operand_dims")?;
        let dropped: Dims = self.inserted_window_dims.iter().chain(&self.input_batching_dims).copied().collect();
        check!(distinct_axes(&dropped, rank), "distinct inserted and batching dimensions inside {input}, got {self:?}");
        check!(
            distinct_axes(&self.scatter_dims_to_operand_dims, rank),
            "scatter_dims_to_operand_dims that are distinct dimensions of {input}, got {:?}",
            self.scatter_dims_to_operand_dims
        );
        check_batching(&self.input_batching_dims, input, &self.scatter_indices_batching_dims, indices, self.index_vector_dim)?;
        let windows = self.update_window_dims.len();
        check!(
            windows + dropped.len() == rank,
            "{} update_window_dims, got {:?}",
            rank.saturating_sub(dropped.len()),
            self.update_window_dims
        );
        check!(
            distinct_axes(&self.update_window_dims, update.rank()),
            "distinct update_window_dims inside {update}, got {:?}",
            self.update_window_dims
        );
        check!(self.update_window_dims.is_sorted(), "sorted update_window_dims, got {:?}", self.update_window_dims);
        let batch = without(&indices.dims, &[self.index_vector_dim]);
        let update_batch = without(&update.dims, &self.update_window_dims);
        check!(update_batch == batch, "updates with scatter dimensions {batch:?}, got {update}");
        let bounds = without(&input.dims, &dropped);
        for (&axis, &bound) in self.update_window_dims.iter().zip(&bounds) {
            let window = size(&update.dims, axis);
            check!(window <= bound, "an update window of at most {bound} in dimension {axis}, got {window}");
        }
        Ok(())
    }
}

impl<'f> Value<'f> {
    /// Collects slices at `indices`; indices are clamped into range.
    pub fn gather(self, indices: Value<'f>, dims: &GatherDims) -> Value<'f> {
        let (operand, index_type) = (self.ty(), indices.ty());
        let result = dims.result(&operand, &index_type);
        let inferred = dims.check(&operand, &index_type).map(|()| result.clone());
        let op = Appended::new("stablehlo.gather", &[self, indices])
            .attribute("dimension_numbers", dims.attribute())
            .attribute("slice_sizes", dims.slice_sizes.as_slice())
            .attribute("indices_are_sorted", dims.indices_are_sorted);
        self.func.append_one(op, inferred, || result)
    }

    /// A slice of `sizes` at `starts`, one rank-0 integer a dimension, clamped into range.
    pub fn dynamic_slice(self, starts: &[Value<'f>], sizes: &[i64]) -> Value<'f> {
        let ty = self.ty();
        let result = ty.with_dims(sizes);
        let inferred = || {
            check_starts(&ty, starts)?;
            check!(sizes.len() == ty.rank(), "{} slice sizes, got {sizes:?}", ty.rank());
            let inside = sizes.iter().zip(&ty.dims).all(|(&size, &dim)| 0 <= size && size <= dim);
            check!(inside, "slice sizes that fit into {ty}, got {sizes:?}");
            Ok(result.clone())
        };
        let operands: SmallVec<[Value<'f>; 4]> = std::iter::once(self).chain(starts.iter().copied()).collect();
        let op = Appended::new("stablehlo.dynamic_slice", &operands).attribute("slice_sizes", sizes);
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// This value with `update` written at `starts`, clamped so that it fits.
    pub fn dynamic_update_slice(self, update: Value<'f>, starts: &[Value<'f>]) -> Value<'f> {
        let (ty, update_type) = (self.ty(), update.ty());
        let inferred = || {
            check_starts(&ty, starts)?;
            let fits = update_type.element == ty.element
                && update_type.rank() == ty.rank()
                && update_type.dims.iter().zip(&ty.dims).all(|(&size, &dim)| size <= dim);
            check!(fits, "an update that fits into {ty}");
            Ok(ty.clone())
        };
        let operands: SmallVec<[Value<'f>; 4]> = [self, update].iter().chain(starts).copied().collect();
        self.func.append_one(Appended::new("stablehlo.dynamic_update_slice", &operands), inferred(), || ty.clone())
    }
}

fn check_starts(ty: &TensorType, starts: &[Value<'_>]) -> Result<(), String> {
    check!(starts.len() == ty.rank(), "{} start indices, got {}", ty.rank(), starts.len());
    for start in starts {
        let start_type = start.ty();
        check!(start_type.rank() == 0 && start_type.element.is_integer(), "start indices that are integers of rank 0");
        check!(start_type.element == starts[0].element(), "start indices of one type");
    }
    Ok(())
}

impl FuncBuilder {
    /// The inputs with `body(old, update)` written at each index; updates that reach outside are dropped.
    pub fn scatter<'f>(
        &'f self,
        inputs: &[Value<'f>],
        indices: Value<'f>,
        updates: &[Value<'f>],
        dims: &ScatterDims,
        body: impl Fn(&[Value<'f>], &[Value<'f>]) -> Vec<Value<'f>>,
    ) -> Vec<Value<'f>> {
        let row = scalars(inputs);
        let (block, returned) = self.pair_region(&row, body);
        let results: Types = types(inputs);
        let inferred = || {
            check!(!inputs.is_empty() && inputs.len() == updates.len(), "as many updates as inputs, and at least one");
            check!(returns(&returned, &row), "a body that returns the element types of the inputs");
            let index_type = indices.ty();
            for (input, update) in results.iter().zip(types(updates)) {
                check!(input.dims == results[0].dims, "inputs of the same dimensions");
                check!(input.element == update.element, "updates with the element types of the inputs");
                dims.check(input, &index_type, &update)?;
            }
            Ok(results.clone())
        };
        let operands: SmallVec<[Value<'f>; 4]> = inputs.iter().chain([&indices]).chain(updates).copied().collect();
        let op = Appended::new("stablehlo.scatter", &operands)
            .attribute("scatter_dimension_numbers", dims.attribute())
            .attribute("indices_are_sorted", dims.indices_are_sorted)
            .attribute("unique_indices", dims.unique_indices)
            .region(block);
        self.append(op, inferred(), || results.clone()).into_vec()
    }
}
