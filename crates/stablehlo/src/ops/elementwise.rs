//! Elementwise ops: unary, binary, compare, select, clamp, conversions; and the operators of `Value`.

use crate::attribute::Attribute;
use crate::builder::{Appended, Bounds, Value};
use crate::ops::check;
use crate::{ElementType, TensorType};
use ElementType::*;

/// Element types that an op accepts.
#[derive(Clone, Copy)]
struct Class {
    bool: bool,
    unsigned: bool,
    signed: bool,
    /// Floats of 8 bits and fewer.
    narrow: bool,
    /// Floats of 16 bits and more.
    wide: bool,
    complex: bool,
    name: &'static str,
}

impl Class {
    const fn new(kinds: &[u8], name: &'static str) -> Class {
        let mut class = Class { bool: false, unsigned: false, signed: false, narrow: false, wide: false, complex: false, name };
        let mut index = 0;
        while index < kinds.len() {
            match kinds[index] {
                b'b' => class.bool = true,
                b'u' => class.unsigned = true,
                b's' => class.signed = true,
                b'n' => class.narrow = true,
                b'w' => class.wide = true,
                _ => class.complex = true,
            }
            index += 1;
        }
        class
    }

    fn accepts(self, element: ElementType) -> bool {
        (self.bool && element.is_bool())
            || (self.unsigned && element.is_unsigned())
            || (self.signed && element.is_signed_integer())
            || (self.narrow && element.is_float() && element.bit_width() <= 8)
            || (self.wide && element.is_float() && element.bit_width() > 8)
            || (self.complex && element.is_complex())
    }
}

const ANY: Class = Class::new(b"busnwc", "any element type");
const NUMBER: Class = Class::new(b"usnwc", "an integer, float or complex type");
const REAL: Class = Class::new(b"usnw", "an integer or float type");
const SIGNED: Class = Class::new(b"snwc", "a signed integer, float or complex type");
const INTEGER: Class = Class::new(b"us", "an integer type");
const BITS: Class = Class::new(b"bus", "a boolean or integer type");
const FLOAT: Class = Class::new(b"nw", "a float type");
const WIDE_FLOAT: Class = Class::new(b"w", "a float type of 16 bits or more");
const INEXACT: Class = Class::new(b"nwc", "a float or complex type");

macro_rules! unary {
    ($($(#[$doc:meta])* $method:ident = $op:literal, $class:ident;)*) => {
        #[expect(clippy::should_implement_trait, reason = "the operators are implemented too and do the same")]
        impl<'f> Value<'f> {
            $($(#[$doc])* pub fn $method(self) -> Value<'f> { unary(self, $op, $class) })*
        }
    };
}

unary! {
    exp = "stablehlo.exponential", INEXACT;
    /// `exp(x) - 1`, accurate near 0.
    exponential_minus_one = "stablehlo.exponential_minus_one", INEXACT;
    log = "stablehlo.log", INEXACT;
    /// `log(1 + x)`, accurate near 0.
    log_plus_one = "stablehlo.log_plus_one", INEXACT;
    logistic = "stablehlo.logistic", INEXACT;
    tanh = "stablehlo.tanh", INEXACT;
    sqrt = "stablehlo.sqrt", INEXACT;
    rsqrt = "stablehlo.rsqrt", INEXACT;
    cbrt = "stablehlo.cbrt", FLOAT;
    sine = "stablehlo.sine", INEXACT;
    cosine = "stablehlo.cosine", INEXACT;
    tan = "stablehlo.tan", INEXACT;
    ceil = "stablehlo.ceil", FLOAT;
    floor = "stablehlo.floor", FLOAT;
    /// Ties go to the even neighbour.
    round_nearest_even = "stablehlo.round_nearest_even", FLOAT;
    /// Ties go away from zero.
    round_nearest_afz = "stablehlo.round_nearest_afz", FLOAT;
    sign = "stablehlo.sign", SIGNED;
    neg = "stablehlo.negate", NUMBER;
    /// Logical on booleans, bitwise on integers.
    not = "stablehlo.not", BITS;
    popcnt = "stablehlo.popcnt", INTEGER;
    count_leading_zeros = "stablehlo.count_leading_zeros", INTEGER;
    erf = "chlo.erf", FLOAT;
    erf_inv = "chlo.erf_inv", FLOAT;
    erfc = "chlo.erfc", WIDE_FLOAT;
    lgamma = "chlo.lgamma", FLOAT;
    digamma = "chlo.digamma", FLOAT;
    acos = "chlo.acos", INEXACT;
    asin = "chlo.asin", INEXACT;
    atan = "chlo.atan", INEXACT;
    sinh = "chlo.sinh", INEXACT;
    cosh = "chlo.cosh", INEXACT;
    acosh = "chlo.acosh", INEXACT;
    asinh = "chlo.asinh", INEXACT;
    atanh = "chlo.atanh", INEXACT;
    /// Exponentially scaled modified Bessel function of order 1.
    bessel_i1e = "chlo.bessel_i1e", WIDE_FLOAT;
}

fn unary<'f>(operand: Value<'f>, name: &'static str, class: Class) -> Value<'f> {
    unary_to(operand, name, class, |element| element)
}

fn unary_to<'f>(operand: Value<'f>, name: &'static str, class: Class, result: impl Fn(ElementType) -> ElementType) -> Value<'f> {
    let ty = operand.ty();
    let inferred = || {
        check!(class.accepts(ty.element), "{}, got {}", class.name, ty.element);
        Ok(ty.with_element(result(ty.element)))
    };
    let op = Appended::new(name, &[operand]).bounds(Bounds::Kept);
    operand.func.append_one(op, inferred(), || ty.with_element(result(ty.element)))
}

macro_rules! binary {
    ($($(#[$doc:meta])* $method:ident = $op:literal, $class:ident;)*) => {
        #[expect(clippy::should_implement_trait, reason = "the operators are implemented too and call these")]
        impl<'f> Value<'f> {
            $($(#[$doc])* pub fn $method(self, rhs: Value<'f>) -> Value<'f> { binary(self, rhs, $op, $class) })*
        }
    };
}

binary! {
    /// Sum; logical or on booleans.
    add = "stablehlo.add", ANY;
    subtract = "stablehlo.subtract", NUMBER;
    /// Product; logical and on booleans.
    multiply = "stablehlo.multiply", ANY;
    /// Quotient; integers truncate towards zero.
    divide = "stablehlo.divide", NUMBER;
    /// Remainder with the sign of the dividend. Complex values would end the process inside XLA.
    remainder = "stablehlo.remainder", REAL;
    /// NaN if either side is NaN.
    maximum = "stablehlo.maximum", ANY;
    /// NaN if either side is NaN.
    minimum = "stablehlo.minimum", ANY;
    power = "stablehlo.power", NUMBER;
    atan2 = "stablehlo.atan2", INEXACT;
    and = "stablehlo.and", BITS;
    or = "stablehlo.or", BITS;
    xor = "stablehlo.xor", BITS;
    shift_left = "stablehlo.shift_left", INTEGER;
    shift_right_arithmetic = "stablehlo.shift_right_arithmetic", INTEGER;
    shift_right_logical = "stablehlo.shift_right_logical", INTEGER;
    /// Hurwitz zeta of `self` and `rhs`.
    zeta = "chlo.zeta", FLOAT;
    /// Polygamma function of order `self` at `rhs`.
    polygamma = "chlo.polygamma", FLOAT;
    /// The next float from `self` towards `rhs`.
    next_after = "chlo.next_after", FLOAT;
}

fn binary<'f>(lhs: Value<'f>, rhs: Value<'f>, name: &'static str, class: Class) -> Value<'f> {
    let ty = lhs.ty();
    let inferred = || {
        check!(ty == rhs.ty(), "operands of one type");
        check!(class.accepts(ty.element), "{}, got {}", class.name, ty.element);
        Ok(ty.clone())
    };
    lhs.func.append_one(Appended::new(name, &[lhs, rhs]).bounds(Bounds::Kept), inferred(), || ty.clone())
}

macro_rules! operators {
    ($($trait:ident $method:ident = $call:ident;)*) => {
        $(impl<'f> std::ops::$trait for Value<'f> {
            type Output = Value<'f>;
            fn $method(self, rhs: Value<'f>) -> Value<'f> {
                self.$call(rhs)
            }
        })*
    };
}

operators! {
    Add add = add;
    Sub sub = subtract;
    Mul mul = multiply;
    Div div = divide;
    Rem rem = remainder;
    BitAnd bitand = and;
    BitOr bitor = or;
    BitXor bitxor = xor;
}

impl<'f> std::ops::Neg for Value<'f> {
    type Output = Value<'f>;
    fn neg(self) -> Value<'f> {
        unary(self, "stablehlo.negate", NUMBER)
    }
}

impl<'f> std::ops::Not for Value<'f> {
    type Output = Value<'f>;
    fn not(self) -> Value<'f> {
        unary(self, "stablehlo.not", BITS)
    }
}

/// What `compare` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Direction::Eq => "EQ",
            Direction::Ne => "NE",
            Direction::Lt => "LT",
            Direction::Le => "LE",
            Direction::Gt => "GT",
            Direction::Ge => "GE",
        }
    }
}

/// How `compare` orders values. `Auto` follows the element type; `TotalOrder` is for floats and orders
/// `-NaN < -inf < ... < -0 < +0 < ... < inf < NaN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareType {
    Auto,
    TotalOrder,
}

impl<'f> Value<'f> {
    pub fn compare(self, rhs: Value<'f>, direction: Direction, order: CompareType) -> Value<'f> {
        let ty = self.ty();
        let element = ty.element;
        let inferred = || {
            check!(ty == rhs.ty(), "operands of one type");
            let equality = matches!(direction, Direction::Eq | Direction::Ne);
            check!(equality || !element.is_complex(), "an ordered type, got {element}");
            check!(order == CompareType::Auto || element.is_float(), "a float type for a total order, got {element}");
            Ok(ty.with_element(I1))
        };
        let kind = match order {
            CompareType::TotalOrder => "TOTALORDER",
            CompareType::Auto if element.is_float() || element.is_complex() => "FLOAT",
            CompareType::Auto if element.is_signed_integer() => "SIGNED",
            CompareType::Auto => "UNSIGNED",
        };
        let op = Appended::new("stablehlo.compare", &[self, rhs])
            .bounds(Bounds::Kept)
            .attribute("comparison_direction", Attribute::Enum("comparison_direction", direction.name()))
            .attribute("compare_type", Attribute::Enum("comparison_type", kind));
        self.func.append_one(op, inferred(), || ty.with_element(I1))
    }

    pub fn eq(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Eq, CompareType::Auto)
    }

    pub fn ne(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Ne, CompareType::Auto)
    }

    pub fn lt(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Lt, CompareType::Auto)
    }

    pub fn le(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Le, CompareType::Auto)
    }

    pub fn gt(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Gt, CompareType::Auto)
    }

    pub fn ge(self, rhs: Value<'f>) -> Value<'f> {
        self.compare(rhs, Direction::Ge, CompareType::Auto)
    }

    /// `on_true` where this boolean (of the same dimensions, or rank 0) holds, else `on_false`.
    pub fn select(self, on_true: Value<'f>, on_false: Value<'f>) -> Value<'f> {
        let (predicate, ty) = (self.ty(), on_true.ty());
        let inferred = || {
            check!(predicate.element == I1, "a boolean predicate, got {predicate}");
            check!(predicate.rank() == 0 || predicate.dims == ty.dims, "a predicate of rank 0 or with the dimensions of {ty}");
            check!(ty == on_false.ty(), "branches of one type");
            Ok(ty.clone())
        };
        self.func.append_one(Appended::new("stablehlo.select", &[self, on_true, on_false]).bounds(Bounds::Kept), inferred(), || ty.clone())
    }

    /// `minimum(maximum(self, min), max)`; each bound has this type or rank 0.
    pub fn clamp(self, min: Value<'f>, max: Value<'f>) -> Value<'f> {
        let ty = self.ty();
        let inferred = || {
            for bound in [min.ty(), max.ty()] {
                let fits = bound == ty || bound == TensorType::scalar(ty.element);
                check!(fits, "bounds of type {ty} or rank 0");
            }
            check!(!ty.element.is_complex(), "an ordered type, got {}", ty.element);
            Ok(ty.clone())
        };
        self.func.append_one(Appended::new("stablehlo.clamp", &[min, self, max]).bounds(Bounds::Kept), inferred(), || ty.clone())
    }

    /// Absolute value. Of a complex value it has the real type; of an unsigned value it is the value.
    pub fn abs(self) -> Value<'f> {
        if self.element().is_unsigned() {
            return self;
        }
        unary_to(self, "stablehlo.abs", SIGNED, ElementType::real)
    }

    pub fn is_finite(self) -> Value<'f> {
        unary_to(self, "stablehlo.is_finite", FLOAT, |_| I1)
    }

    pub fn real(self) -> Value<'f> {
        unary_to(self, "stablehlo.real", INEXACT, ElementType::real)
    }

    pub fn imag(self) -> Value<'f> {
        unary_to(self, "stablehlo.imag", INEXACT, ElementType::real)
    }

    /// The complex value `self + imaginary * i`; parts are f32 or f64.
    pub fn complex(self, imaginary: Value<'f>) -> Value<'f> {
        let ty = self.ty();
        let result = ty.with_element(if ty.element == F64 { C128 } else { C64 });
        let inferred = || {
            check!(ty == imaginary.ty(), "parts of one type");
            check!(matches!(ty.element, F32 | F64), "f32 or f64 parts, got {}", ty.element);
            Ok(result.clone())
        };
        self.func.append_one(Appended::new("stablehlo.complex", &[self, imaginary]), inferred(), || result.clone())
    }

    /// Converts values: to a boolean as `!= 0`, from complex to a real type by dropping the imaginary part.
    pub fn convert(self, element: ElementType) -> Value<'f> {
        let ty = self.ty();
        if ty.element == element {
            return self;
        }
        if element.is_bool() {
            return self.ne(self.like(0i64));
        }
        if ty.element.is_complex() && !element.is_complex() {
            return self.real().convert(element);
        }
        let result = ty.with_element(element);
        self.func.append_one(Appended::new("stablehlo.convert", &[self]).bounds(Bounds::Kept), Ok(result.clone()), || result.clone())
    }

    /// Reads the same bits as another type. A narrower type adds an innermost dimension, a wider one removes it.
    pub fn bitcast_convert(self, element: ElementType, dims: &[i64]) -> Value<'f> {
        let (from, to) = (self.ty(), TensorType::new(element, dims));
        if from == to {
            return self;
        }
        let inferred = || {
            let (wide, narrow) = if from.element.bit_width() >= to.element.bit_width() { (&from, &to) } else { (&to, &from) };
            let ratio = i64::from(wide.element.bit_width() / narrow.element.bit_width());
            let fits = match narrow.dims.strip_prefix(wide.dims.as_slice()) {
                Some([]) => ratio == 1,
                Some(&[inner]) => ratio > 1 && inner == ratio,
                _ => false,
            };
            check!(fits, "a type with as many bits as {from}, differing in the innermost dimension only, got {to}");
            let convertible = from.element.is_complex() == to.element.is_complex() && !from.element.is_bool() && !to.element.is_bool();
            check!(convertible, "no bitcast between complex, boolean and other types, got {from} to {to}");
            Ok(to.clone())
        };
        self.func.append_one(Appended::new("stablehlo.bitcast_convert", &[self]), inferred(), || to.clone())
    }

    /// Rounds to a float format with these many exponent and mantissa bits, keeping the type.
    pub fn reduce_precision(self, exponent_bits: i32, mantissa_bits: i32) -> Value<'f> {
        let ty = self.ty();
        let inferred = || {
            check!(ty.element.is_float(), "a float type, got {}", ty.element);
            check!(exponent_bits >= 1 && mantissa_bits >= 0, "at least 1 exponent bit and no negative mantissa");
            Ok(ty.clone())
        };
        let op = Appended::new("stablehlo.reduce_precision", &[self])
            .attribute("exponent_bits", Attribute::I32(exponent_bits))
            .attribute("mantissa_bits", Attribute::I32(mantissa_bits));
        self.func.append_one(op, inferred(), || ty.clone())
    }
}
