//! Ops that move elements without changing them: reshape, transpose, broadcast, slice, pad, concatenate.

use crate::attribute::Attribute;
use crate::builder::{Appended, AxisSet, Bounds, FuncBuilder, Value};
use crate::ops::{check, distinct_axes, is_axis, size};
use crate::{Dims, ElementType, TensorType};

impl<'f> Value<'f> {
    /// The same elements in row-major order under other dimensions. No op when equal.
    pub fn reshape(self, dims: &[i64]) -> Value<'f> {
        let ty = self.ty();
        if ty.dims.as_slice() == dims {
            return self;
        }
        let result = ty.with_dims(dims);
        let inferred = || {
            check!(dims.iter().all(|&dim| dim >= 0), "no negative dimension, got {result}");
            check!(ty.numel() == result.numel(), "{} elements, got {result}", ty.numel());
            Ok(result.clone())
        };
        self.func.append_one(Appended::new("stablehlo.reshape", &[self]), inferred(), || result.clone())
    }

    /// Result dimension `i` is dimension `permutation[i]` of this value. No op for the identity.
    pub fn transpose(self, permutation: &[i64]) -> Value<'f> {
        let ty = self.ty();
        if permutation.len() == ty.rank() && (0i64..).zip(permutation).all(|(index, &axis)| index == axis) {
            return self;
        }
        let dims: Dims = permutation.iter().map(|&axis| size(&ty.dims, axis)).collect();
        let result = ty.with_dims(&dims);
        let inferred = || {
            let valid = permutation.len() == ty.rank() && distinct_axes(permutation, ty.rank());
            check!(valid, "a permutation of 0..{}, got {permutation:?}", ty.rank());
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.transpose", &[self]).attribute("permutation", permutation);
        let transposed = self.func.append_one(op, inferred(), || result.clone());
        transposed.is_transpose_of(self, permutation);
        transposed
    }

    /// Dimension `i` of this value becomes result dimension `broadcast_dimensions[i]`; sizes are equal or 1.
    pub fn broadcast_in_dim(self, dims: &[i64], broadcast_dimensions: &[i64]) -> Value<'f> {
        let ty = self.ty();
        let identity = (0i64..).zip(broadcast_dimensions).all(|(index, &axis)| index == axis);
        if identity && ty.dims.as_slice() == dims && broadcast_dimensions.len() == dims.len() {
            return self;
        }
        let result = ty.with_dims(dims);
        let inferred = || {
            let axes = broadcast_dimensions;
            check!(axes.len() == ty.rank(), "{} broadcast dimensions, got {axes:?}", ty.rank());
            check!(distinct_axes(axes, dims.len()), "distinct broadcast dimensions inside {result}, got {axes:?}");
            for (&dim, &axis) in ty.dims.iter().zip(axes) {
                check!(dim == 1 || dim == size(dims, axis), "size 1 or {} for dimension {axis} of {result}", size(dims, axis));
            }
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.broadcast_in_dim", &[self]).attribute("broadcast_dimensions", broadcast_dimensions);
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// Expands as numpy does: dimensions align at the right, and sizes of 1 stretch.
    pub fn broadcast_to(self, dims: &[i64]) -> Value<'f> {
        let rank = self.rank() as i64;
        let added = dims.len() as i64 - rank;
        let axes: Dims = (added..added + rank).collect();
        self.broadcast_in_dim(dims, &axes)
    }

    /// Elements from `starts` up to `limits` in steps of `strides`. No op when that is everything.
    pub fn slice(self, starts: &[i64], limits: &[i64], strides: &[i64]) -> Value<'f> {
        let ty = self.ty();
        let whole = starts.iter().all(|&start| start == 0) && strides.iter().all(|&stride| stride == 1);
        if whole && limits == ty.dims.as_slice() && starts.len() == ty.rank() && strides.len() == ty.rank() {
            return self;
        }
        let dims: Dims = (starts.iter().zip(limits).zip(strides))
            .map(|((&start, &limit), &stride)| (limit - start).max(0).div_ceil_positive(stride))
            .collect();
        let result = ty.with_dims(&dims);
        let inferred = || {
            let lengths = [starts.len(), limits.len(), strides.len()];
            check!(lengths == [ty.rank(); 3], "{} starts, limits and strides, got {lengths:?}", ty.rank());
            for axis in 0..ty.rank() {
                let (start, limit, stride, dim) = (starts[axis], limits[axis], strides[axis], ty.dims[axis]);
                check!(
                    0 <= start && start <= limit && limit <= dim && stride > 0,
                    "0 <= start <= limit <= {dim} and a positive stride in dimension {axis}, got {start}:{limit}:{stride}"
                );
            }
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.slice", &[self])
            .attribute("start_indices", starts)
            .attribute("limit_indices", limits)
            .attribute("strides", strides);
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// `start..limit` in one dimension, everything in the others.
    pub fn slice_dim(self, dimension: i64, start: i64, limit: i64) -> Value<'f> {
        let mut limits = self.dims();
        let mut starts: Dims = limits.iter().map(|_| 0).collect();
        let strides: Dims = limits.iter().map(|_| 1).collect();
        if let Some(axis) = usize::try_from(dimension).ok().filter(|&axis| axis < limits.len()) {
            (starts[axis], limits[axis]) = (start, limit);
        } else {
            self.func.reject("stablehlo.slice", &[self], format!("a dimension of the operand, got {dimension}"));
        }
        self.slice(&starts, &limits, &strides)
    }

    /// Reverses the order of elements along `dims`. No op for no dimensions.
    pub fn reverse(self, dims: &[i64]) -> Value<'f> {
        if dims.is_empty() {
            return self;
        }
        let ty = self.ty();
        let inferred = || {
            check!(distinct_axes(dims, ty.rank()), "distinct dimensions of the operand, got {dims:?}");
            Ok(ty.clone())
        };
        let op = Appended::new("stablehlo.reverse", &[self]).attribute("dimensions", dims);
        self.func.append_one(op, inferred(), || ty.clone())
    }

    /// Adds `padding_value` before, after and between elements; negative `low` and `high` cut. No op for all zeros.
    pub fn pad(self, padding_value: Value<'f>, low: &[i64], high: &[i64], interior: &[i64]) -> Value<'f> {
        let ty = self.ty();
        let rank = ty.rank();
        let nothing = [low, high, interior].iter().all(|edge| edge.len() == rank && edge.iter().all(|&count| count == 0));
        if nothing {
            return self;
        }
        let dims: Dims = (ty.dims.iter().zip(low).zip(high).zip(interior))
            .map(|(((&dim, &low), &high), &interior)| dim + low + high + (dim - 1).max(0) * interior)
            .collect();
        let result = ty.with_dims(&dims);
        let inferred = || {
            check!(padding_value.ty() == TensorType::scalar(ty.element), "a padding value of type {}", TensorType::scalar(ty.element));
            let lengths = [low.len(), high.len(), interior.len()];
            check!(lengths == [rank; 3], "{rank} low, high and interior counts, got {lengths:?}");
            check!(interior.iter().all(|&count| count >= 0), "no negative interior padding, got {interior:?}");
            check!(dims.iter().all(|&dim| dim >= 0), "no negative result dimension, got {result}");
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.pad", &[self, padding_value])
            .attribute("edge_padding_low", low)
            .attribute("edge_padding_high", high)
            .attribute("interior_padding", interior);
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// The size of a dimension as an i32 of rank 0.
    pub fn get_dimension_size(self, dimension: i64) -> Value<'f> {
        let result = TensorType::scalar(ElementType::I32);
        let inferred = || {
            check!(is_axis(dimension, self.rank()), "a dimension of the operand, got {dimension}");
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.get_dimension_size", &[self]).attribute("dimension", dimension).bounds(Bounds::Set(0));
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// Makes the size of `dimension` a bound and `size`, an i32 of rank 0, the number of elements that count in it.
    /// Elementwise ops and reductions over such values leave the rest out; other ops refuse them.
    pub fn set_dimension_size(self, size: Value<'f>, dimension: i64) -> Value<'f> {
        self.dimension_size(size, dimension, true)
    }

    /// Makes `dimension` static again at its bound; what follows the elements that counted is undefined.
    pub fn clear_dimension_size(self, dimension: i64) -> Value<'f> {
        let bound = self.func.constant(ElementType::I32, size(&self.dims(), dimension));
        self.dimension_size(bound, dimension, false)
    }

    fn dimension_size(self, size: Value<'f>, dimension: i64, bounded: bool) -> Value<'f> {
        let ty = self.ty();
        let inferred = || {
            check!(is_axis(dimension, ty.rank().min(64)), "a dimension of {ty}, got {dimension}");
            check!(size.ty() == TensorType::scalar(ElementType::I32), "a size of type {}", TensorType::scalar(ElementType::I32));
            Ok(ty.clone())
        };
        let axis: AxisSet = 1u64.checked_shl(dimension as u32).unwrap_or(0);
        let axes = if bounded { self.bounded_axes() | axis } else { self.bounded_axes() & !axis };
        let op = Appended::new("stablehlo.set_dimension_size", &[self, size]).attribute("dimension", dimension).bounds(Bounds::Set(axes));
        self.func.append_one(op, inferred(), || ty.clone())
    }
}

impl FuncBuilder {
    /// Joins along `dimension`. No op for a single operand.
    pub fn concatenate<'f>(&'f self, operands: &[Value<'f>], dimension: i64) -> Value<'f> {
        if let &[single] = operands {
            return single;
        }
        let types: Vec<TensorType> = operands.iter().map(|operand| operand.ty()).collect();
        let first = types.first().cloned().unwrap_or(TensorType::scalar(ElementType::F32));
        let mut result = first.clone();
        let axis = usize::try_from(dimension).ok();
        if let Some(dim) = axis.and_then(|axis| result.dims.get_mut(axis)) {
            *dim = types.iter().map(|ty| size(&ty.dims, dimension)).sum();
        }
        let inferred = || {
            check!(!types.is_empty(), "at least one operand");
            check!(is_axis(dimension, first.rank()), "a dimension of {first}, got {dimension}");
            for ty in &types {
                let same = ty.element == first.element
                    && ty.rank() == first.rank()
                    && (0i64..).zip(ty.dims.iter().zip(&first.dims)).all(|(axis, (a, b))| axis == dimension || a == b);
                check!(same, "operands that differ in dimension {dimension} only");
            }
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.concatenate", operands).attribute("dimension", Attribute::I64(dimension));
        self.append_one(op, inferred(), || result.clone())
    }
}

trait DivCeil {
    fn div_ceil_positive(self, divisor: i64) -> i64;
}

impl DivCeil for i64 {
    /// Rounds up; a divisor below 1 counts as 1 and is reported by its own check.
    fn div_ceil_positive(self, divisor: i64) -> i64 {
        let divisor = divisor.max(1);
        (self + divisor - 1) / divisor
    }
}
