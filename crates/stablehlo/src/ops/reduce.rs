//! Reductions, windows and sort: ops whose body is an isolated region over scalars.

use smallvec::SmallVec;

use crate::attribute::Attribute;
use crate::builder::{Appended, BlockId, Bounds, FuncBuilder, Types, Value};
use crate::ops::{check, distinct_axes, is_axis, without};
use crate::{Dims, ElementType, TensorType};

/// The window of `reduce_window`. Empty vectors mean 1 (strides, dilations) or 0 (padding) everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReduceWindow {
    pub dimensions: Vec<i64>,
    pub strides: Vec<i64>,
    pub base_dilations: Vec<i64>,
    pub window_dilations: Vec<i64>,
    /// Low and high of each dimension.
    pub padding: Vec<(i64, i64)>,
}

/// The window of `select_and_scatter`. Empty vectors mean stride 1 or padding 0 everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectAndScatter {
    pub dimensions: Vec<i64>,
    pub strides: Vec<i64>,
    pub padding: Vec<(i64, i64)>,
}

/// The vector, or `rank` copies of the default where it is empty.
pub(crate) fn filled<T: Clone>(values: &[T], default: T, rank: usize) -> Vec<T> {
    if values.is_empty() { vec![default; rank] } else { values.to_vec() }
}

/// One dimension of a window that slides over a padded and dilated base.
pub(crate) struct Sliding {
    pub base: i64,
    pub base_dilation: i64,
    pub padding: (i64, i64),
    pub window: i64,
    pub window_dilation: i64,
    pub stride: i64,
}

impl Sliding {
    /// Number of window positions.
    pub fn positions(&self) -> i64 {
        let dilated = |size: i64, dilation: i64| if size == 0 { 0 } else { (size - 1) * dilation + 1 };
        let base = dilated(self.base, self.base_dilation) + self.padding.0 + self.padding.1;
        let window = dilated(self.window, self.window_dilation);
        if base < window || base <= 0 { 0 } else { (base - window) / self.stride.max(1) + 1 }
    }
}

pub(crate) fn scalars(values: &[Value<'_>]) -> Vec<TensorType> {
    values.iter().map(|value| TensorType::scalar(value.element())).collect()
}

pub(crate) fn types(values: &[Value<'_>]) -> Types {
    values.iter().map(|value| value.ty()).collect()
}

impl FuncBuilder {
    /// A region over two rows of scalars, the shape of every reduction body.
    pub(crate) fn pair_region<'f>(
        &'f self,
        row: &[TensorType],
        body: impl Fn(&[Value<'f>], &[Value<'f>]) -> Vec<Value<'f>>,
    ) -> (BlockId, Vec<Value<'f>>) {
        let arguments: Vec<TensorType> = row.iter().chain(row).cloned().collect();
        self.region(&arguments, true, |values| {
            let (lhs, rhs) = values.split_at(values.len() / 2);
            body(lhs, rhs)
        })
    }

    /// Folds `dims` of the inputs, all of the same dimensions, starting from the rank-0 `inits`.
    pub fn reduce<'f>(
        &'f self,
        inputs: &[Value<'f>],
        inits: &[Value<'f>],
        dims: &[i64],
        body: impl Fn(&[Value<'f>], &[Value<'f>]) -> Vec<Value<'f>>,
    ) -> Vec<Value<'f>> {
        let row = scalars(inputs);
        let (block, returned) = self.pair_region(&row, body);
        let types = types(inputs);
        let results = || -> Types { types.iter().map(|ty| ty.with_dims(&without(&ty.dims, dims))).collect() };
        let inferred = || {
            check_reduction(&types, inits, &returned)?;
            let rank = types.first().map_or(0, TensorType::rank);
            check!(distinct_axes(dims, rank), "distinct dimensions of the inputs, got {dims:?}");
            Ok(results())
        };
        let operands: SmallVec<[Value<'f>; 4]> = inputs.iter().chain(inits).copied().collect();
        let op = Appended::new("stablehlo.reduce", &operands)
            .attribute("dimensions", dims)
            .bounds(Bounds::Reduced(Dims::from_slice(dims)))
            .region(block);
        self.append(op, inferred(), results).into_vec()
    }

    /// Folds every window of the inputs, all of the same dimensions, starting from the rank-0 `inits`.
    pub fn reduce_window<'f>(
        &'f self,
        inputs: &[Value<'f>],
        inits: &[Value<'f>],
        window: &ReduceWindow,
        body: impl Fn(&[Value<'f>], &[Value<'f>]) -> Vec<Value<'f>>,
    ) -> Vec<Value<'f>> {
        let row = scalars(inputs);
        let (block, returned) = self.pair_region(&row, body);
        let types = types(inputs);
        let dims = types.first().map(|ty| ty.dims.clone()).unwrap_or_default();
        let rank = dims.len();
        let strides = filled(&window.strides, 1, rank);
        let base_dilations = filled(&window.base_dilations, 1, rank);
        let window_dilations = filled(&window.window_dilations, 1, rank);
        let padding = filled(&window.padding, (0, 0), rank);
        let lengths = [window.dimensions.len(), strides.len(), base_dilations.len(), window_dilations.len(), padding.len()];
        let complete = lengths == [rank; 5];
        let results = || -> Types {
            let sliding = |axis: usize| Sliding {
                base: dims[axis],
                base_dilation: base_dilations[axis],
                padding: padding[axis],
                window: window.dimensions[axis],
                window_dilation: window_dilations[axis],
                stride: strides[axis],
            };
            let reduced: Dims = if complete { (0..rank).map(|axis| sliding(axis).positions()).collect() } else { dims.clone() };
            types.iter().map(|ty| ty.with_dims(&reduced)).collect()
        };
        let inferred = || {
            check_reduction(&types, inits, &returned)?;
            check!(complete, "one window size, stride, dilation and padding a dimension, got {lengths:?}");
            let positive = [&window.dimensions, &strides, &base_dilations, &window_dilations];
            check!(
                positive.iter().all(|values| values.iter().all(|&value| value > 0)),
                "positive window sizes, strides and dilations, got {window:?}"
            );
            Ok(results())
        };
        let operands: SmallVec<[Value<'f>; 4]> = inputs.iter().chain(inits).copied().collect();
        let op = Appended::new("stablehlo.reduce_window", &operands)
            .attribute("window_dimensions", window.dimensions.as_slice())
            .attribute("window_strides", strides.as_slice())
            .attribute("base_dilations", base_dilations.as_slice())
            .attribute("window_dilations", window_dilations.as_slice())
            .attribute("padding", Attribute::Padding(padding.clone()))
            .region(block);
        self.append(op, inferred(), results).into_vec()
    }

    /// In each window of `operand` picks the element that `select` prefers and adds the matching element of `source`
    /// there with `scatter`; elements never picked stay `init`.
    pub fn select_and_scatter<'f>(
        &'f self,
        operand: Value<'f>,
        source: Value<'f>,
        init: Value<'f>,
        window: &SelectAndScatter,
        select: impl Fn(Value<'f>, Value<'f>) -> Value<'f>,
        scatter: impl Fn(Value<'f>, Value<'f>) -> Value<'f>,
    ) -> Value<'f> {
        let ty = operand.ty();
        let rank = ty.rank();
        let scalar = TensorType::scalar(ty.element);
        let pair = [scalar.clone(), scalar.clone()];
        let both = |values: &[Value<'f>], body: &dyn Fn(Value<'f>, Value<'f>) -> Value<'f>| match *values {
            [lhs, rhs] => vec![body(lhs, rhs)],
            _ => Vec::new(),
        };
        let (select_block, selected) = self.region(&pair, true, |values| both(values, &select));
        let (scatter_block, scattered) = self.region(&pair, true, |values| both(values, &scatter));
        let strides = filled(&window.strides, 1, rank);
        let padding = filled(&window.padding, (0, 0), rank);
        let inferred = || {
            check!(init.ty() == scalar, "an initial value of type {scalar}");
            check!(returns(&selected, &[TensorType::scalar(ElementType::I1)]), "a select body that returns a boolean");
            check!(returns(&scattered, std::slice::from_ref(&scalar)), "a scatter body that returns {scalar}");
            let lengths = [window.dimensions.len(), strides.len(), padding.len()];
            check!(lengths == [rank; 3], "one window size, stride and padding a dimension, got {lengths:?}");
            let windows: Dims = (0..rank)
                .map(|axis| {
                    Sliding {
                        base: ty.dims[axis],
                        base_dilation: 1,
                        padding: padding[axis],
                        window: window.dimensions[axis],
                        window_dilation: 1,
                        stride: strides[axis],
                    }
                    .positions()
                })
                .collect();
            let expected = ty.with_dims(&windows);
            check!(source.ty() == expected, "a source of type {expected}");
            Ok(ty.clone())
        };
        let op = Appended::new("stablehlo.select_and_scatter", &[operand, source, init])
            .attribute("window_dimensions", window.dimensions.as_slice())
            .attribute("window_strides", strides.as_slice())
            .attribute("padding", Attribute::Padding(padding.clone()))
            .region(select_block)
            .region(scatter_block);
        self.append_one(op, inferred(), || ty.clone())
    }

    /// Sorts the inputs together along `dimension`; `comparator` gets one pair an input and says whether the first of
    /// the pair goes first.
    pub fn sort<'f>(
        &'f self,
        inputs: &[Value<'f>],
        dimension: i64,
        is_stable: bool,
        comparator: impl Fn(&[(Value<'f>, Value<'f>)]) -> Value<'f>,
    ) -> Vec<Value<'f>> {
        let arguments: Vec<TensorType> = scalars(inputs).into_iter().flat_map(|ty| [ty.clone(), ty]).collect();
        let (block, returned) = self.region(&arguments, true, |values| {
            let pairs: Vec<_> = values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            vec![comparator(&pairs)]
        });
        let types = types(inputs);
        let inferred = || {
            check!(!types.is_empty(), "at least one input");
            check!(types.iter().all(|ty| ty.dims == types[0].dims), "inputs of the same dimensions");
            check!(is_axis(dimension, types[0].rank()), "a dimension of the inputs, got {dimension}");
            check!(returns(&returned, &[TensorType::scalar(ElementType::I1)]), "a comparator that returns a boolean");
            Ok(types.clone())
        };
        let op = Appended::new("stablehlo.sort", inputs).attribute("dimension", dimension).attribute("is_stable", is_stable).region(block);
        self.append(op, inferred(), || types.clone()).into_vec()
    }
}

/// Inputs of the same dimensions, one rank-0 init for each, and a body that returns the types of the inits.
fn check_reduction(types: &[TensorType], inits: &[Value<'_>], returned: &[Value<'_>]) -> Result<(), String> {
    check!(!types.is_empty(), "at least one input");
    check!(types.iter().all(|ty| ty.dims == types[0].dims), "inputs of the same dimensions");
    let scalars: Vec<TensorType> = types.iter().map(|ty| TensorType::scalar(ty.element)).collect();
    check!(returns(inits, &scalars), "initial values of rank 0 with the element types of the inputs");
    check!(returns(returned, &scalars), "a body that returns the types of the initial values");
    Ok(())
}

pub(crate) fn returns(returned: &[Value<'_>], types: &[TensorType]) -> bool {
    returned.len() == types.len() && returned.iter().zip(types).all(|(value, ty)| value.ty() == *ty)
}

/// Reductions by one binary op over one input; the reduced dimensions are dropped.
impl<'f> Value<'f> {
    /// Sum; logical or on booleans.
    pub fn reduce_add(self, dims: &[i64]) -> Value<'f> {
        self.reduce_by(self.func.zero(self.element()), dims, Value::add)
    }

    /// Product; logical and on booleans.
    pub fn reduce_mul(self, dims: &[i64]) -> Value<'f> {
        self.reduce_by(self.func.one(self.element()), dims, Value::multiply)
    }

    /// Largest element, NaN if there is one; the lowest value of the type where there is no element.
    pub fn reduce_max(self, dims: &[i64]) -> Value<'f> {
        self.reduce_by(self.func.lowest(self.element()), dims, Value::maximum)
    }

    /// Smallest element, NaN if there is one; the highest value of the type where there is no element.
    pub fn reduce_min(self, dims: &[i64]) -> Value<'f> {
        self.reduce_by(self.func.highest(self.element()), dims, Value::minimum)
    }

    /// True where all are true; bitwise on integers.
    pub fn reduce_and(self, dims: &[i64]) -> Value<'f> {
        let element = self.element();
        let ones = if element.is_bool() { self.func.one(element) } else { self.func.constant(element, -1i64) };
        self.reduce_by(ones, dims, Value::and)
    }

    /// True where any is true; bitwise on integers.
    pub fn reduce_or(self, dims: &[i64]) -> Value<'f> {
        self.reduce_by(self.func.zero(self.element()), dims, Value::or)
    }

    /// No op for no dimensions.
    fn reduce_by(self, init: Value<'f>, dims: &[i64], body: fn(Value<'f>, Value<'f>) -> Value<'f>) -> Value<'f> {
        if dims.is_empty() {
            return self;
        }
        let results = self.func.reduce(&[self], &[init], dims, |lhs, rhs| lhs.iter().zip(rhs).map(|(&lhs, &rhs)| body(lhs, rhs)).collect());
        results.first().copied().unwrap_or(self)
    }
}
