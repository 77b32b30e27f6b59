//! The two sides of the algebra: a strided view and the dense value below it, with the facts that geometry alone decides.

use std::fmt;

use smallvec::SmallVec;
use stablehlo::{Dims, ElementType};

use crate::ViewError;

/// PyTorch's metadata of one tensor. Strides and offset count elements of `element`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    pub sizes: Dims,
    pub strides: Dims,
    pub offset: i64,
    pub element: ElementType,
}

/// The dense row-major array that a storage holds now, in the shape its last writer gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueLayout {
    pub dims: Dims,
    pub element: ElementType,
}

impl View {
    /// The row-major view of `sizes` at offset 0, with PyTorch's strides (a size of 0 counts as 1).
    pub fn contiguous(sizes: &[i64], element: ElementType) -> View {
        let sizes = Dims::from_slice(sizes);
        let mut strides = sizes.clone();
        let mut step = 1i64;
        for (stride, &size) in strides.iter_mut().zip(&sizes).rev() {
            *stride = step;
            step = step.saturating_mul(size.max(1));
        }
        View { sizes, strides, offset: 0, element }
    }

    /// Elements of the view; saturates where a plan would answer `ViewError::Overflow`.
    pub fn numel(&self) -> i64 {
        numel(&self.sizes)
    }

    /// Whether the elements lie in row-major order without gaps, at any offset. Sizes of 1 do not matter.
    pub fn is_contiguous(&self) -> bool {
        if self.numel() == 0 {
            return true;
        }
        let mut step = 1i64;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides).rev() {
            if size != 1 && stride != step {
                return false;
            }
            step = step.saturating_mul(size);
        }
        true
    }

    /// Whether the view is a permutation of a storage of `elements` elements of its own type: no gap, no overlap, offset 0.
    pub fn covers_densely(&self, elements: i64) -> bool {
        self.offset == 0 && self.numel() == elements && self.physical_permutation().is_some()
    }

    /// The order of dimensions in which the elements lie in memory without gap or overlap, at any offset:
    /// `logical.transpose(permutation)` is the physical array. Sizes of 1 stay where they are. None for other geometries.
    pub fn physical_permutation(&self) -> Option<SmallVec<[usize; 6]>> {
        let identity: SmallVec<[usize; 6]> = (0..self.sizes.len()).collect();
        if self.numel() == 0 {
            return Some(identity);
        }
        let long: SmallVec<[usize; 6]> = identity.iter().copied().filter(|&dim| self.sizes[dim] != 1).collect();
        let mut sorted = long.clone();
        sorted.sort_by_key(|&dim| std::cmp::Reverse(self.strides[dim]));
        let mut step = 1i64;
        for &dim in sorted.iter().rev() {
            if self.strides[dim] != step {
                return None;
            }
            step = step.saturating_mul(self.sizes[dim]);
        }
        let mut permutation = identity;
        for (&place, &dim) in long.iter().zip(&sorted) {
            permutation[place] = dim;
        }
        Some(permutation)
    }

    /// Lowest and highest element index that the view touches; None if it has no elements.
    pub(crate) fn extent(&self) -> Option<(i128, i128)> {
        if self.sizes.contains(&0) {
            return None;
        }
        let (mut low, mut high) = (i128::from(self.offset), i128::from(self.offset));
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            let reach = i128::from(size - 1) * i128::from(stride);
            if reach < 0 { low += reach } else { high += reach }
        }
        Some((low, high))
    }

    /// Checks what every plan relies on: one stride a size, no negative size, a countable number of elements.
    pub(crate) fn check(&self) -> Result<(), ViewError> {
        if self.sizes.len() != self.strides.len() {
            return Err(ViewError::RankMismatch { sizes: self.sizes.clone(), strides: self.strides.clone() });
        }
        check_dims(&self.sizes)
    }
}

impl ValueLayout {
    pub fn new(dims: &[i64], element: ElementType) -> ValueLayout {
        ValueLayout { dims: Dims::from_slice(dims), element }
    }

    pub fn numel(&self) -> i64 {
        numel(&self.dims)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?} strides {:?} offset {}", self.element, self.sizes.as_slice(), self.strides.as_slice(), self.offset)
    }
}

impl fmt::Display for ValueLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.element, self.dims.as_slice())
    }
}

pub(crate) fn numel(dims: &[i64]) -> i64 {
    if dims.contains(&0) {
        return 0;
    }
    dims.iter().fold(1, |product: i64, &size| product.saturating_mul(size))
}

/// Limits every array to 2^58 elements, so that index sums and byte counts of the plans cannot overflow.
pub(crate) fn check_dims(dims: &[i64]) -> Result<(), ViewError> {
    if let Some(&size) = dims.iter().find(|&&size| size < 0) {
        return Err(ViewError::NegativeSize { size, dims: dims.into() });
    }
    if numel(dims) > 1 << 58 {
        return Err(ViewError::Overflow { dims: dims.into() });
    }
    Ok(())
}
