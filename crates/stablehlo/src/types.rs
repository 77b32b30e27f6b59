//! Tensor types: an element type and static dimensions.

use std::fmt;

use smallvec::SmallVec;

use crate::ElementType;

/// Dimension sizes, outermost first.
pub type Dims = SmallVec<[i64; 6]>;

/// `tensor<2x3xf32>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    pub element: ElementType,
    pub dims: Dims,
}

impl TensorType {
    pub fn new(element: ElementType, dims: &[i64]) -> Self {
        TensorType { element, dims: Dims::from_slice(dims) }
    }

    /// A tensor of rank 0.
    pub fn scalar(element: ElementType) -> Self {
        TensorType { element, dims: Dims::new() }
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements; `i64::MAX` where that does not fit.
    pub fn numel(&self) -> i64 {
        self.dims.iter().fold(1, |product: i64, &dim| product.saturating_mul(dim))
    }

    /// The same dimensions with another element type.
    pub fn with_element(&self, element: ElementType) -> Self {
        TensorType { element, dims: self.dims.clone() }
    }

    /// The same element type with other dimensions.
    pub fn with_dims(&self, dims: &[i64]) -> Self {
        TensorType::new(self.element, dims)
    }
}

impl From<&TensorType> for TensorType {
    fn from(ty: &TensorType) -> Self {
        ty.clone()
    }
}

impl From<ElementType> for TensorType {
    fn from(element: ElementType) -> Self {
        TensorType::scalar(element)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for dim in &self.dims {
            write!(f, "{dim}x")?;
        }
        write!(f, "{}>", self.element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_print_as_mlir() {
        assert_eq!(TensorType::new(ElementType::F32, &[2, 3]).to_string(), "tensor<2x3xf32>");
        assert_eq!(TensorType::scalar(ElementType::C64).to_string(), "tensor<complex<f32>>");
        assert_eq!(TensorType::new(ElementType::U8, &[0]).to_string(), "tensor<0xui8>");
    }
}
