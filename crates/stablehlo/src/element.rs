//! Element types of tensors: their MLIR spelling, class and width.

use std::fmt;

/// The type of one tensor element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// Boolean.
    I1,
    I4,
    I8,
    I16,
    I32,
    I64,
    U4,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// `complex<f32>`.
    C64,
    /// `complex<f64>`.
    C128,
    F8E4M3FN,
    F8E5M2,
    F8E4M3FNUZ,
    F8E5M2FNUZ,
    F8E4M3,
    F8E3M4,
    F8E8M0FNU,
    F8E4M3B11FNUZ,
    F4E2M1FN,
}

use ElementType::*;

impl ElementType {
    /// Every element type, in declaration order.
    pub const ALL: [ElementType; 26] = [
        I1,
        I4,
        I8,
        I16,
        I32,
        I64,
        U4,
        U8,
        U16,
        U32,
        U64,
        F16,
        BF16,
        F32,
        F64,
        C64,
        C128,
        F8E4M3FN,
        F8E5M2,
        F8E4M3FNUZ,
        F8E5M2FNUZ,
        F8E4M3,
        F8E3M4,
        F8E8M0FNU,
        F8E4M3B11FNUZ,
        F4E2M1FN,
    ];

    /// The MLIR spelling, as in `tensor<2xf32>`.
    pub const fn name(self) -> &'static str {
        match self {
            I1 => "i1",
            I4 => "i4",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U4 => "ui4",
            U8 => "ui8",
            U16 => "ui16",
            U32 => "ui32",
            U64 => "ui64",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            C64 => "complex<f32>",
            C128 => "complex<f64>",
            F8E4M3FN => "f8E4M3FN",
            F8E5M2 => "f8E5M2",
            F8E4M3FNUZ => "f8E4M3FNUZ",
            F8E5M2FNUZ => "f8E5M2FNUZ",
            F8E4M3 => "f8E4M3",
            F8E3M4 => "f8E3M4",
            F8E8M0FNU => "f8E8M0FNU",
            F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
            F4E2M1FN => "f4E2M1FN",
        }
    }

    pub const fn is_bool(self) -> bool {
        matches!(self, I1)
    }

    /// Signed or unsigned integer; booleans are not integers.
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned()
    }

    pub const fn is_signed_integer(self) -> bool {
        matches!(self, I4 | I8 | I16 | I32 | I64)
    }

    /// Unsigned integer; booleans are not.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, U4 | U8 | U16 | U32 | U64)
    }

    pub const fn is_float(self) -> bool {
        !self.is_bool() && !self.is_integer() && !self.is_complex()
    }

    pub const fn is_complex(self) -> bool {
        matches!(self, C64 | C128)
    }

    /// True when negative values exist: signed integers, floats (not F8E8M0FNU) and complex.
    pub const fn is_signed(self) -> bool {
        !self.is_bool() && !self.is_unsigned() && !matches!(self, F8E8M0FNU)
    }

    /// Bits of one element; 1 for booleans.
    pub const fn bit_width(self) -> u32 {
        match self {
            I1 => 1,
            I4 | U4 | F4E2M1FN => 4,
            I8 | U8 | F8E4M3FN | F8E5M2 | F8E4M3FNUZ | F8E5M2FNUZ | F8E4M3 | F8E3M4 | F8E8M0FNU | F8E4M3B11FNUZ => 8,
            I16 | U16 | F16 | BF16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 | C64 => 64,
            C128 => 128,
        }
    }

    /// Bytes of one element in a host buffer; sub-byte types and booleans take one byte.
    pub const fn size_in_bytes(self) -> usize {
        (self.bit_width() as usize).div_ceil(8)
    }

    /// The type of the real and imaginary part; the type itself when it is not complex.
    pub const fn real(self) -> ElementType {
        match self {
            C64 => F32,
            C128 => F64,
            other => other,
        }
    }

    /// The complex type with this part type; none for parts other than f32 and f64.
    pub const fn complex(self) -> Option<ElementType> {
        match self {
            F32 | C64 => Some(C64),
            F64 | C128 => Some(C128),
            _ => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_class() {
        for element in ElementType::ALL {
            let classes = [element.is_bool(), element.is_integer(), element.is_float(), element.is_complex()];
            assert_eq!(classes.iter().filter(|&&class| class).count(), 1, "{element}");
        }
    }

    #[test]
    fn sizes_are_those_of_host_buffers() {
        assert_eq!(I1.size_in_bytes(), 1);
        assert_eq!(I4.size_in_bytes(), 1);
        assert_eq!(BF16.size_in_bytes(), 2);
        assert_eq!(C128.size_in_bytes(), 16);
    }
}
