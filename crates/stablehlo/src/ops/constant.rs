//! Constants and iota.

use crate::attribute::{Constant, ConstantData};
use crate::builder::{Appended, FuncBuilder, Value};
use crate::literal::Bits;
use crate::ops::{check, is_axis};
use crate::{ElementType, Literal, TensorType};

impl FuncBuilder {
    /// A constant of rank 0. Literals convert as in C: floats truncate to integers, non-zero is true.
    pub fn constant(&self, element: ElementType, scalar: impl Into<Literal>) -> Value<'_> {
        self.splat(element, &[], scalar)
    }

    pub fn constant_f64(&self, element: ElementType, value: f64) -> Value<'_> {
        self.constant(element, value)
    }

    pub fn constant_i64(&self, element: ElementType, value: i64) -> Value<'_> {
        self.constant(element, value)
    }

    /// A constant with the same value everywhere.
    pub fn splat(&self, element: ElementType, dims: &[i64], value: impl Into<Literal>) -> Value<'_> {
        let ty = TensorType::new(element, dims);
        self.append_constant(Constant { ty, data: ConstantData::Splat(value.into().bits(element)) })
    }

    pub fn zero(&self, ty: impl Into<TensorType>) -> Value<'_> {
        let ty = ty.into();
        self.splat(ty.element, &ty.dims, 0i64)
    }

    pub fn one(&self, ty: impl Into<TensorType>) -> Value<'_> {
        let ty = ty.into();
        self.splat(ty.element, &ty.dims, 1i64)
    }

    /// The smallest value: `-inf` where it exists, else the smallest finite value; false for booleans.
    pub fn lowest(&self, ty: impl Into<TensorType>) -> Value<'_> {
        self.extreme(ty.into(), false)
    }

    /// The largest value: `inf` where it exists, else the largest finite value; true for booleans.
    pub fn highest(&self, ty: impl Into<TensorType>) -> Value<'_> {
        self.extreme(ty.into(), true)
    }

    fn extreme(&self, ty: TensorType, high: bool) -> Value<'_> {
        let element = ty.element;
        let width = element.bit_width();
        let literal = if element.is_bool() {
            Literal::Bool(high)
        } else if element.is_unsigned() {
            Literal::Uint(if high { u64::MAX >> (64 - width) } else { 0 })
        } else if element.is_signed_integer() {
            let highest = i64::MAX >> (64 - width);
            Literal::Int(if high { highest } else { -highest - 1 })
        } else {
            let limit = crate::literal::largest(element);
            Literal::Float(if high { limit } else { -limit })
        };
        self.splat(element, &ty.dims, literal)
    }

    /// A constant from row-major integers.
    pub fn constant_i64s(&self, element: ElementType, dims: &[i64], values: &[i64]) -> Value<'_> {
        self.dense(element, dims, values.iter().map(|&value| Literal::Int(value)))
    }

    /// A constant from row-major floats.
    pub fn constant_f64s(&self, element: ElementType, dims: &[i64], values: &[f64]) -> Value<'_> {
        self.dense(element, dims, values.iter().map(|&value| Literal::Float(value)))
    }

    /// A constant from row-major literals.
    pub fn constant_literals(&self, element: ElementType, dims: &[i64], values: &[Literal]) -> Value<'_> {
        self.dense(element, dims, values.iter().copied())
    }

    fn dense(&self, element: ElementType, dims: &[i64], values: impl ExactSizeIterator<Item = Literal>) -> Value<'_> {
        let ty = TensorType::new(element, dims);
        if usize::try_from(ty.numel()) != Ok(values.len()) {
            let expected = format!("{} values for {ty}, got {}", ty.numel(), values.len());
            self.reject("stablehlo.constant", &[], expected);
            return self.poisoned(ty);
        }
        let values: Vec<Bits> = values.map(|value| value.bits(element)).collect();
        let data = match values.split_first() {
            Some((&first, rest)) if rest.iter().all(|&bits| bits == first) => ConstantData::Splat(first),
            _ => ConstantData::Dense(values),
        };
        self.append_constant(Constant { ty, data })
    }

    /// 0, 1, 2, ... along `dimension`.
    pub fn iota(&self, element: ElementType, dims: &[i64], dimension: i64) -> Value<'_> {
        let ty = TensorType::new(element, dims);
        let inferred = (|| {
            check!(is_axis(dimension, dims.len()), "iota dimension {dimension} inside {ty}");
            check!(!element.is_bool(), "a numeric element type, got {element}");
            Ok(ty.clone())
        })();
        let op = Appended::new("stablehlo.iota", &[]).attribute("iota_dimension", dimension);
        self.append_one(op, inferred, || ty.clone())
    }
}

impl<'f> Value<'f> {
    /// A constant with this value's type.
    pub fn like(self, value: impl Into<Literal>) -> Value<'f> {
        let ty = self.ty();
        self.func.splat(ty.element, &ty.dims, value)
    }

    /// `self + value`.
    pub fn plus(self, value: f64) -> Value<'f> {
        self.add(self.like(value))
    }

    /// `self - value`.
    pub fn minus(self, value: f64) -> Value<'f> {
        self.subtract(self.like(value))
    }

    /// `self * value`.
    pub fn times(self, value: f64) -> Value<'f> {
        self.multiply(self.like(value))
    }

    /// `self / value`.
    pub fn over(self, value: f64) -> Value<'f> {
        self.divide(self.like(value))
    }
}
