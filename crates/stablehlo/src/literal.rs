//! Scalar literals and their exact bit patterns in every element type.

use crate::ElementType;
use ElementType::*;

/// A host scalar, converted to an element type when it becomes a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Complex(f64, f64),
}

macro_rules! literal_from {
    ($($source:ty => $variant:ident($target:ty)),*) => {
        $(impl From<$source> for Literal {
            fn from(value: $source) -> Self {
                Literal::$variant(<$target>::from(value))
            }
        })*
    };
}
literal_from!(bool => Bool(bool), i32 => Int(i64), i64 => Int(i64), u32 => Uint(u64), u64 => Uint(u64),
    f32 => Float(f64), f64 => Float(f64));

impl From<(f64, f64)> for Literal {
    fn from((real, imaginary): (f64, f64)) -> Self {
        Literal::Complex(real, imaginary)
    }
}

/// The bits of one element: `low` alone, or real part in `low` and imaginary part in `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    pub low: u64,
    pub high: u64,
}

impl Literal {
    /// Converts as C does: floats truncate to integers, integers wrap, anything non-zero is true, floats round to
    /// nearest even.
    pub(crate) fn bits(self, element: ElementType) -> Bits {
        let single = |low| Bits { low, high: 0 };
        if element.is_complex() {
            let part = element.real();
            return Bits { low: part_bits(self.real(), part), high: part_bits(self.imaginary(), part) };
        }
        single(match element {
            I1 => u64::from(self.is_true()),
            _ if element.is_integer() => self.integer(element) & mask(element.bit_width()),
            _ => part_bits(self.real(), element),
        })
    }

    fn real(self) -> Literal {
        match self {
            Literal::Complex(real, _) => Literal::Float(real),
            other => other,
        }
    }

    fn imaginary(self) -> Literal {
        match self {
            Literal::Complex(_, imaginary) => Literal::Float(imaginary),
            _ => Literal::Float(0.0),
        }
    }

    fn is_true(self) -> bool {
        match self {
            Literal::Bool(value) => value,
            Literal::Int(value) => value != 0,
            Literal::Uint(value) => value != 0,
            Literal::Float(value) => value != 0.0,
            Literal::Complex(real, imaginary) => real != 0.0 || imaginary != 0.0,
        }
    }

    fn integer(self, element: ElementType) -> u64 {
        match self {
            Literal::Bool(value) => u64::from(value),
            Literal::Int(value) => value as u64,
            Literal::Uint(value) => value,
            Literal::Float(value) | Literal::Complex(value, _) if element.is_unsigned() && value >= 0.0 => value as u64,
            Literal::Float(value) | Literal::Complex(value, _) => value as i64 as u64,
        }
    }
}

fn part_bits(literal: Literal, element: ElementType) -> u64 {
    match (literal, element) {
        (Literal::Int(value), F32) => u64::from((value as f32).to_bits()),
        (Literal::Uint(value), F32) => u64::from((value as f32).to_bits()),
        (Literal::Bool(value), _) => float_bits(f64::from(u8::from(value)), element),
        (Literal::Int(value), _) => float_bits(value as f64, element),
        (Literal::Uint(value), _) => float_bits(value as f64, element),
        (Literal::Float(value) | Literal::Complex(value, _), _) => float_bits(value, element),
    }
}

const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// How a small float format spends its codes.
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// All-ones exponent holds infinity and NaN.
    Ieee,
    /// No infinity, the all-ones code is NaN.
    Fn,
    /// No infinity and no negative zero, whose code is NaN.
    Fnuz,
    /// Neither infinity nor NaN.
    Finite,
}

fn format(element: ElementType) -> Option<Format> {
    let (exponent_bits, mantissa_bits, bias, special) = match element {
        F16 => (5, 10, 15, Special::Ieee),
        BF16 => (8, 7, 127, Special::Ieee),
        F8E5M2 => (5, 2, 15, Special::Ieee),
        F8E4M3 => (4, 3, 7, Special::Ieee),
        F8E3M4 => (3, 4, 3, Special::Ieee),
        F8E4M3FN => (4, 3, 7, Special::Fn),
        F8E4M3FNUZ => (4, 3, 8, Special::Fnuz),
        F8E5M2FNUZ => (5, 2, 16, Special::Fnuz),
        F8E4M3B11FNUZ => (4, 3, 11, Special::Fnuz),
        F4E2M1FN => (2, 1, 1, Special::Finite),
        _ => return None,
    };
    Some(Format { exponent_bits, mantissa_bits, bias, special })
}

impl Format {
    fn sign(&self) -> u64 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    fn infinity(&self) -> u64 {
        mask(self.exponent_bits) << self.mantissa_bits
    }

    fn largest_finite(&self) -> u64 {
        match self.special {
            Special::Ieee => self.infinity() - 1,
            Special::Fn => self.sign() - 2,
            Special::Fnuz | Special::Finite => self.sign() - 1,
        }
    }

    fn nan(&self) -> u64 {
        match self.special {
            Special::Ieee => self.infinity() | 1 << (self.mantissa_bits - 1),
            Special::Fn => self.sign() - 1,
            Special::Fnuz => self.sign(),
            Special::Finite => 0,
        }
    }

    fn encode(&self, value: f64) -> u64 {
        let magnitude = value.abs();
        let code = if magnitude.is_finite() { self.round(magnitude) } else { u64::MAX };
        let code = match (code > self.largest_finite(), self.special) {
            (false, _) => code,
            (true, _) if value.is_nan() => self.nan(),
            (true, Special::Ieee) => self.infinity(),
            (true, Special::Finite) => self.largest_finite(),
            (true, Special::Fn | Special::Fnuz) => self.nan(),
        };
        let negative = value.is_sign_negative() && !(self.special == Special::Fnuz && code == 0);
        if negative { code | self.sign() } else { code }
    }

    /// The code of a finite magnitude, rounded to nearest even; may exceed the largest finite code.
    fn round(&self, magnitude: f64) -> u64 {
        let smallest_exponent = 1 - self.bias;
        let exponent = (((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(smallest_exponent);
        let steps = (magnitude * power_of_two(self.mantissa_bits as i32 - exponent)).round_ties_even() as u64;
        // A subnormal has no implicit bit; carrying out of the mantissa moves on to the next exponent by itself.
        let field = (exponent - smallest_exponent) as u64;
        (field << self.mantissa_bits) + steps
    }

    /// None for infinity and NaN.
    fn decode(&self, bits: u64) -> Option<f64> {
        let magnitude = bits & (self.sign() - 1);
        let negative = bits & self.sign() != 0;
        if magnitude > self.largest_finite() || (self.special == Special::Fnuz && bits == self.sign()) {
            return None;
        }
        let field = (magnitude >> self.mantissa_bits) as i32;
        let mantissa = (magnitude & mask(self.mantissa_bits)) as f64;
        let implicit = if field == 0 { 0.0 } else { power_of_two(self.mantissa_bits as i32) };
        let value = (implicit + mantissa) * power_of_two(field.max(1) - self.bias - self.mantissa_bits as i32);
        Some(if negative { -value } else { value })
    }
}

/// Exact for exponents from -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(0, 2046) as u64) << 52)
}

fn float_bits(value: f64, element: ElementType) -> u64 {
    match element {
        F64 => value.to_bits(),
        F32 => u64::from((value as f32).to_bits()),
        F8E8M0FNU => exponent_code(value),
        _ => format(element).map_or(0, |format| format.encode(value)),
    }
}

/// F8E8M0FNU is an exponent alone: `2^(code - 127)`, and 255 is NaN. Halves round up; zero, which it lacks, becomes the
/// smallest value as in PyTorch.
fn exponent_code(value: f64) -> u64 {
    if value == 0.0 {
        return 0;
    }
    if !value.is_finite() || value < 0.0 {
        return 255;
    }
    let rounds_up = value.to_bits() >> 51 & 1;
    let exponent = (value.to_bits() >> 52) as i64 - 1023 + rounds_up as i64;
    match exponent + 127 {
        code @ ..=254 => code.max(0) as u64,
        _ => 255,
    }
}

/// The largest value of a float type: infinity where it exists.
pub(crate) fn largest(element: ElementType) -> f64 {
    match format(element) {
        Some(format) if format.special != Special::Ieee => format.decode(format.largest_finite()).unwrap_or(0.0),
        _ if element == F8E8M0FNU => power_of_two(127),
        _ => f64::INFINITY,
    }
}

/// The value of a float code; none for infinity, NaN and types that MLIR spells only in hexadecimal.
pub(crate) fn finite_value(bits: u64, element: ElementType) -> Option<f64> {
    let value = match element {
        F64 => f64::from_bits(bits),
        F32 => f64::from(f32::from_bits(bits as u32)),
        _ => format(element)?.decode(bits)?,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bit_patterns() {
        for (element, value, bits) in [
            (F32, 1.0, 0x3f80_0000),
            (F32, f64::INFINITY, 0x7f80_0000),
            (F16, 1.0, 0x3c00),
            (F16, 65504.0, 0x7bff),
            (F16, 65520.0, 0x7c00),
            (F16, 5.960464477539063e-8, 0x0001),
            (F16, -0.0, 0x8000),
            (BF16, 1.0, 0x3f80),
            (BF16, 3.0e38, 0x7f62),
            (BF16, f64::NAN, 0x7fc0),
            (BF16, f64::NEG_INFINITY, 0xff80),
            (F8E4M3FN, 448.0, 0x7e),
            (F8E4M3FN, 1000.0, 0x7f),
            (F8E4M3FN, 1.0, 0x38),
            (F8E5M2, 57344.0, 0x7b),
            (F8E5M2, f64::INFINITY, 0x7c),
            (F8E4M3FNUZ, 240.0, 0x7f),
            (F8E4M3FNUZ, f64::NAN, 0x80),
            (F8E4M3FNUZ, -0.0, 0x00),
            (F8E5M2FNUZ, 1.0, 0x40),
            (F8E4M3B11FNUZ, 30.0, 0x7f),
            (F8E3M4, 15.5, 0x6f),
            (F8E8M0FNU, 1.0, 127),
            (F8E8M0FNU, 1.45, 127),
            (F8E8M0FNU, 1.5, 128),
            (F8E8M0FNU, 1e300, 255),
            (F4E2M1FN, 6.0, 0x7),
            (F4E2M1FN, -0.5, 0x9),
        ] {
            assert_eq!(Literal::Float(value).bits(element).low, bits, "{element} {value}");
        }
    }

    #[test]
    fn every_small_float_code_survives_a_round_trip() {
        for element in ElementType::ALL.into_iter().filter(|element| element.is_float() && element.bit_width() <= 16) {
            for code in 0..1u64 << element.bit_width() {
                if let Some(value) = finite_value(code, element) {
                    assert_eq!(float_bits(value, element), code, "{element} {value}");
                }
            }
        }
    }

    #[test]
    fn integers_wrap_and_floats_truncate() {
        assert_eq!(Literal::Int(-1).bits(U8).low, 255);
        assert_eq!(Literal::Int(-1).bits(I4).low, 15);
        assert_eq!(Literal::Float(-3.7).bits(I32).low, 0xffff_fffd);
        assert_eq!(Literal::Float(1e19).bits(U64).low, 10_000_000_000_000_000_000);
        assert_eq!(Literal::Float(f64::NAN).bits(I1).low, 1);
        assert_eq!(Literal::Bool(true).bits(F16).low, 0x3c00);
        assert_eq!(Literal::Complex(1.0, -2.0).bits(C64), Bits { low: 0x3f80_0000, high: 0xc000_0000 });
    }
}
