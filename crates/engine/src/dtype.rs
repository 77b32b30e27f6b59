//! The three numberings of dtypes: torch's `c10::ScalarType`, StableHLO's element types, PJRT's buffer types.

use pjrt::BufferType;
use stablehlo::ElementType::{self, *};

/// (c10::ScalarType, element type, buffer type), one line a dtype.
const DTYPES: &[(i32, ElementType, BufferType)] = &[
    (0, U8, BufferType::U8),
    (1, I8, BufferType::S8),
    (2, I16, BufferType::S16),
    (3, I32, BufferType::S32),
    (4, I64, BufferType::S64),
    (5, F16, BufferType::F16),
    (6, F32, BufferType::F32),
    (7, F64, BufferType::F64),
    (9, C64, BufferType::C64),
    (10, C128, BufferType::C128),
    (11, I1, BufferType::Pred),
    (15, BF16, BufferType::BF16),
    (23, F8E5M2, BufferType::F8E5M2),
    (24, F8E4M3FN, BufferType::F8E4M3FN),
    (25, F8E5M2FNUZ, BufferType::F8E5M2FNUZ),
    (26, F8E4M3FNUZ, BufferType::F8E4M3FNUZ),
    (27, U16, BufferType::U16),
    (28, U32, BufferType::U32),
    (29, U64, BufferType::U64),
    (44, F8E8M0FNU, BufferType::F8E8M0FNU),
];

/// The element type of a `c10::ScalarType`; `None` for dtypes that no program can hold (quantized, packed).
pub fn element_of_scalar_type(scalar_type: i32) -> Option<ElementType> {
    DTYPES.iter().find(|(s, ..)| *s == scalar_type).map(|(_, e, _)| *e)
}

/// The `c10::ScalarType` of an element type that torch has.
pub fn scalar_type_of_element(element: ElementType) -> Option<i32> {
    DTYPES.iter().find(|(_, e, _)| *e == element).map(|(s, ..)| *s)
}

/// The buffer type in which PJRT holds an element type.
pub(crate) fn buffer_type(element: ElementType) -> Option<BufferType> {
    DTYPES.iter().find(|(_, e, _)| *e == element).map(|(.., b)| *b)
}
