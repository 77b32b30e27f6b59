//! The ways in which a view cannot be read or written.

use stablehlo::{Dims, ElementType};

/// Why no plan exists. The message names the view's geometry, so that the caller need only add the op.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    #[error("a view with sizes {sizes:?} has strides {strides:?}: one stride for each size is needed")]
    RankMismatch { sizes: Dims, strides: Dims },
    #[error("a view or value has the negative size {size} in dims {dims:?}")]
    NegativeSize { size: i64, dims: Dims },
    #[error(
        "a view touches bytes {first_byte}..{end_byte} of its storage, whose value has {value_bytes} bytes; \
         the storage was resized after its last write, or the strides are wrong"
    )]
    OutOfRange { first_byte: i128, end_byte: i128, value_bytes: i128 },
    #[error("a view or value with dims {dims:?} has more elements than a 64-bit index can count")]
    Overflow { dims: Dims },
    #[error("a storage of {value} cannot be viewed as {view}: an element is not a whole number of bytes")]
    Element { value: ElementType, view: ElementType },
}
