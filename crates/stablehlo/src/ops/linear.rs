//! Linear algebra: dot_general, convolution, cholesky, triangular_solve, fft.

use std::fmt::Write;

use crate::attribute::Attribute;
use crate::builder::{Appended, Value};
use crate::ops::reduce::{Sliding, filled};
use crate::ops::{check, distinct_axes, size, without};
use crate::{Dims, ElementType, TensorType};

/// Dimension numbers of `dot_general`, named as in the StableHLO specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDims {
    pub lhs_batching: Vec<i64>,
    pub rhs_batching: Vec<i64>,
    pub lhs_contracting: Vec<i64>,
    pub rhs_contracting: Vec<i64>,
}

/// How exactly float32 products are computed; on a TPU `Default` is bfloat16 and `Highest` is float32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    #[default]
    Default,
    High,
    Highest,
}

impl Precision {
    /// The attribute for both operands.
    fn attribute(self) -> Attribute {
        Attribute::Text(
            match self {
                Precision::Default => "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
                Precision::High => "[#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]",
                Precision::Highest => "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]",
            }
            .into(),
        )
    }
}

/// Window and dimension numbers of `convolution`. Empty vectors mean 1 (strides, dilations), 0 (padding) or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conv {
    pub window_strides: Vec<i64>,
    /// Low and high of each spatial dimension.
    pub padding: Vec<(i64, i64)>,
    pub lhs_dilation: Vec<i64>,
    pub rhs_dilation: Vec<i64>,
    pub window_reversal: Vec<bool>,
    pub input_batch_dimension: i64,
    pub input_feature_dimension: i64,
    pub input_spatial_dimensions: Vec<i64>,
    pub kernel_input_feature_dimension: i64,
    pub kernel_output_feature_dimension: i64,
    pub kernel_spatial_dimensions: Vec<i64>,
    pub output_batch_dimension: i64,
    pub output_feature_dimension: i64,
    pub output_spatial_dimensions: Vec<i64>,
    pub feature_group_count: i64,
    pub batch_group_count: i64,
    pub precision: Precision,
}

impl Conv {
    /// PyTorch's layout: input `[N, C, spatial...]`, kernel `[O, I, spatial...]`, output `[N, C, spatial...]`.
    pub fn channels_first(spatial: usize) -> Self {
        let dims: Vec<i64> = (2..2 + spatial as i64).collect();
        Conv {
            window_strides: Vec::new(),
            padding: Vec::new(),
            lhs_dilation: Vec::new(),
            rhs_dilation: Vec::new(),
            window_reversal: Vec::new(),
            input_batch_dimension: 0,
            input_feature_dimension: 1,
            input_spatial_dimensions: dims.clone(),
            kernel_input_feature_dimension: 1,
            kernel_output_feature_dimension: 0,
            kernel_spatial_dimensions: dims.clone(),
            output_batch_dimension: 0,
            output_feature_dimension: 1,
            output_spatial_dimensions: dims,
            feature_group_count: 1,
            batch_group_count: 1,
            precision: Precision::Default,
        }
    }

    fn dimension_numbers(&self) -> Attribute {
        let mut text = String::with_capacity(320);
        let _ = write!(
            text,
            "#stablehlo.conv<raw input_batch_dimension = {}, input_feature_dimension = {}, \
             input_spatial_dimensions = {:?}, kernel_input_feature_dimension = {}, \
             kernel_output_feature_dimension = {}, kernel_spatial_dimensions = {:?}, output_batch_dimension = {}, \
             output_feature_dimension = {}, output_spatial_dimensions = {:?}>",
            self.input_batch_dimension,
            self.input_feature_dimension,
            self.input_spatial_dimensions,
            self.kernel_input_feature_dimension,
            self.kernel_output_feature_dimension,
            self.kernel_spatial_dimensions,
            self.output_batch_dimension,
            self.output_feature_dimension,
            self.output_spatial_dimensions,
        );
        Attribute::Text(text.into())
    }

    fn result(&self, lhs: &TensorType, rhs: &TensorType, element: ElementType) -> Result<TensorType, String> {
        let spatial = lhs.rank().saturating_sub(2);
        check!(lhs.rank() >= 2 && rhs.rank() == lhs.rank(), "input and kernel of equal rank, at least 2");
        let axes =
            |batch, feature, spatial_axes: &[i64]| -> Dims { [batch, feature].into_iter().chain(spatial_axes.iter().copied()).collect() };
        let input = axes(self.input_batch_dimension, self.input_feature_dimension, &self.input_spatial_dimensions);
        let kernel = axes(self.kernel_output_feature_dimension, self.kernel_input_feature_dimension, &self.kernel_spatial_dimensions);
        let output = axes(self.output_batch_dimension, self.output_feature_dimension, &self.output_spatial_dimensions);
        for axes in [&input, &kernel, &output] {
            let valid = axes.len() == lhs.rank() && distinct_axes(axes, lhs.rank());
            check!(valid, "dimension numbers that name each of {} dimensions once, got {axes:?}", lhs.rank());
        }
        let strides = filled(&self.window_strides, 1, spatial);
        let padding = filled(&self.padding, (0, 0), spatial);
        let lhs_dilation = filled(&self.lhs_dilation, 1, spatial);
        let rhs_dilation = filled(&self.rhs_dilation, 1, spatial);
        let reversal = filled(&self.window_reversal, false, spatial);
        let lengths = [strides.len(), padding.len(), lhs_dilation.len(), rhs_dilation.len(), reversal.len()];
        check!(lengths == [spatial; 5], "one stride, padding, dilation and reversal a spatial dimension, got {lengths:?}");
        let positive = [&strides, &lhs_dilation, &rhs_dilation].iter().all(|values| values.iter().all(|&value| value > 0));
        check!(positive, "positive strides and dilations");

        let (features, batch) = (self.feature_group_count, self.batch_group_count);
        check!(
            features >= 1 && batch >= 1 && (features == 1 || batch == 1),
            "positive group counts, one of them 1, got {features} and {batch}"
        );
        let input_batch = size(&lhs.dims, input[0]);
        let input_features = size(&lhs.dims, input[1]);
        let output_features = size(&rhs.dims, kernel[0]);
        let kernel_features = size(&rhs.dims, kernel[1]);
        check!(
            input_features % features == 0 && input_features / features == kernel_features,
            "{kernel_features} x {features} input features, got {input_features}"
        );
        check!(
            output_features % features == 0 && output_features % batch == 0,
            "output features divisible by the group count, got {output_features}"
        );
        check!(input_batch % batch == 0, "a batch divisible by {batch}, got {input_batch}");

        let mut dims = Dims::from_elem(0, lhs.rank());
        let mut set = |axis: i64, dim: i64| {
            if let Some(slot) = usize::try_from(axis).ok().and_then(|axis| dims.get_mut(axis)) {
                *slot = dim;
            }
        };
        set(output[0], input_batch / batch);
        set(output[1], output_features);
        for axis in 0..spatial {
            let sliding = Sliding {
                base: size(&lhs.dims, input[2 + axis]),
                base_dilation: lhs_dilation[axis],
                padding: padding[axis],
                window: size(&rhs.dims, kernel[2 + axis]),
                window_dilation: rhs_dilation[axis],
                stride: strides[axis],
            };
            set(output[2 + axis], sliding.positions());
        }
        Ok(TensorType { element, dims })
    }
}

/// Which transform `fft` computes; the real ones go between a real and a half-sized complex innermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftKind {
    Fft,
    Ifft,
    Rfft,
    Irfft,
}

/// What `triangular_solve` does to the matrix first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transpose {
    NoTranspose,
    Transpose,
    Adjoint,
}

impl<'f> Value<'f> {
    /// Batched tensor contraction. The result has the batch dimensions, then what is left of the left side, then of
    /// the right side, in the `result` element type (the type in which sums are kept, when the plugin can).
    pub fn dot_general(self, rhs: Value<'f>, dims: &DotDims, precision: Precision, result: ElementType) -> Value<'f> {
        let (left, right) = (self.ty(), rhs.ty());
        let sizes = |ty: &TensorType, axes: &[i64]| -> Dims { axes.iter().map(|&axis| size(&ty.dims, axis)).collect() };
        let left_named: Dims = dims.lhs_batching.iter().chain(&dims.lhs_contracting).copied().collect();
        let right_named: Dims = dims.rhs_batching.iter().chain(&dims.rhs_contracting).copied().collect();
        let result = TensorType {
            element: result,
            dims: (sizes(&left, &dims.lhs_batching).into_iter())
                .chain(without(&left.dims, &left_named))
                .chain(without(&right.dims, &right_named))
                .collect(),
        };
        let inferred = || {
            check!(distinct_axes(&left_named, left.rank()), "distinct dimensions of {left}, got {dims:?}");
            check!(distinct_axes(&right_named, right.rank()), "distinct dimensions of {right}, got {dims:?}");
            let batch = (sizes(&left, &dims.lhs_batching), sizes(&right, &dims.rhs_batching));
            check!(batch.0 == batch.1, "equal batch sizes, got {:?} and {:?}", batch.0, batch.1);
            let contracted = (sizes(&left, &dims.lhs_contracting), sizes(&right, &dims.rhs_contracting));
            check!(contracted.0 == contracted.1, "equal contracted sizes, got {:?} and {:?}", contracted.0, contracted.1);
            let mixed_float8 =
                left.element.is_float() && right.element.is_float() && left.element.bit_width() <= 8 && right.element.bit_width() <= 8;
            check!(left.element == right.element || mixed_float8, "one element type");
            check!(
                left.element.is_complex() == result.element.is_complex(),
                "a result of the kind of {}, got {}",
                left.element,
                result.element
            );
            Ok(result.clone())
        };
        let numbers = format!(
            "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, \
             lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
            dims.lhs_batching, dims.rhs_batching, dims.lhs_contracting, dims.rhs_contracting
        );
        let op = Appended::new("stablehlo.dot_general", &[self, rhs])
            .attribute("dot_dimension_numbers", Attribute::Text(numbers.into()))
            .attribute("precision_config", precision.attribute());
        self.func.append_one(op, inferred(), || result.clone())
    }

    /// Convolves with the kernel `rhs` into the `result` element type.
    pub fn convolution(self, rhs: Value<'f>, conv: &Conv, result: ElementType) -> Value<'f> {
        let (input, kernel) = (self.ty(), rhs.ty());
        let inferred = if input.element == kernel.element {
            conv.result(&input, &kernel, result)
        } else {
            Err("input and kernel of one element type".to_owned())
        };
        let spatial = input.rank().saturating_sub(2);
        let op = Appended::new("stablehlo.convolution", &[self, rhs])
            .attribute("window_strides", filled(&conv.window_strides, 1, spatial).as_slice())
            .attribute("padding", Attribute::Padding(filled(&conv.padding, (0, 0), spatial)))
            .attribute("lhs_dilation", filled(&conv.lhs_dilation, 1, spatial).as_slice())
            .attribute("rhs_dilation", filled(&conv.rhs_dilation, 1, spatial).as_slice())
            .attribute("window_reversal", Attribute::BoolArray(filled(&conv.window_reversal, false, spatial)))
            .attribute("dimension_numbers", conv.dimension_numbers())
            .attribute("feature_group_count", conv.feature_group_count)
            .attribute("batch_group_count", conv.batch_group_count)
            .attribute("precision_config", conv.precision.attribute());
        self.func.append_one(op, inferred, || input.with_element(result))
    }

    /// The Cholesky factor of each innermost matrix; the other triangle is undefined.
    pub fn cholesky(self, lower: bool) -> Value<'f> {
        let ty = self.ty();
        let inferred = || {
            check_square(&ty)?;
            Ok(ty.clone())
        };
        let op = Appended::new("stablehlo.cholesky", &[self]).attribute("lower", lower);
        self.func.append_one(op, inferred(), || ty.clone())
    }

    /// Solves `op(self) x = b` (`left_side`) or `x op(self) = b` for triangular matrices.
    pub fn triangular_solve(self, b: Value<'f>, left_side: bool, lower: bool, unit_diagonal: bool, transpose: Transpose) -> Value<'f> {
        let (matrix, ty) = (self.ty(), b.ty());
        let inferred = || {
            check_square(&matrix)?;
            let rank = matrix.rank();
            check!(matrix.element == ty.element, "one element type");
            check!(ty.rank() == rank && ty.dims[..rank - 2] == matrix.dims[..rank - 2], "equal batch dimensions");
            let shared = ty.dims[if left_side { rank - 2 } else { rank - 1 }];
            check!(shared == matrix.dims[rank - 1], "{} rows (left) or columns (right), got {shared}", matrix.dims[rank - 1]);
            Ok(ty.clone())
        };
        let case = match transpose {
            Transpose::NoTranspose => "NO_TRANSPOSE",
            Transpose::Transpose => "TRANSPOSE",
            Transpose::Adjoint => "ADJOINT",
        };
        let op = Appended::new("stablehlo.triangular_solve", &[self, b])
            .attribute("left_side", left_side)
            .attribute("lower", lower)
            .attribute("unit_diagonal", unit_diagonal)
            .attribute("transpose_a", Attribute::Enum("transpose", case));
        self.func.append_one(op, inferred(), || ty.clone())
    }

    /// Fourier transform over the innermost `lengths.len()` dimensions (1 to 3), whose real-side sizes are `lengths`.
    pub fn fft(self, kind: FftKind, lengths: &[i64]) -> Value<'f> {
        let ty = self.ty();
        let length = lengths.last().copied().unwrap_or(1);
        let (name, element, innermost) = match kind {
            FftKind::Fft => ("FFT", ty.element, length),
            FftKind::Ifft => ("IFFT", ty.element, length),
            FftKind::Rfft => ("RFFT", ty.element.complex().unwrap_or(ElementType::C64), length / 2 + 1),
            FftKind::Irfft => ("IRFFT", ty.element.real(), length),
        };
        let mut result = ty.with_element(element);
        if let Some(dim) = result.dims.last_mut() {
            *dim = innermost;
        }
        let inferred = || {
            let count = lengths.len();
            check!((1..=3).contains(&count) && count <= ty.rank(), "1 to 3 lengths, no more than dimensions, got {lengths:?}");
            let real = kind == FftKind::Rfft;
            let fits = if real { matches!(ty.element, ElementType::F32 | ElementType::F64) } else { ty.element.is_complex() };
            check!(fits, "{}, got {}", if real { "f32 or f64" } else { "a complex type" }, ty.element);
            let half = kind == FftKind::Irfft;
            let mut expected = Dims::from_slice(lengths);
            expected[count - 1] = if half { length / 2 + 1 } else { length };
            let inner = &ty.dims[ty.rank() - count..];
            check!(inner == expected.as_slice(), "innermost dimensions {expected:?}, got {inner:?}");
            Ok(result.clone())
        };
        let op = Appended::new("stablehlo.fft", &[self])
            .attribute("fft_type", Attribute::Enum("fft_type", name))
            .attribute("fft_length", lengths);
        self.func.append_one(op, inferred(), || result.clone())
    }
}

fn check_square(ty: &TensorType) -> Result<(), String> {
    check!(ty.element.is_float() || ty.element.is_complex(), "a float or complex type, got {}", ty.element);
    let square = matches!(ty.dims.as_slice(), [.., rows, columns] if rows == columns);
    check!(square, "square matrices in the two innermost dimensions, got {ty}");
    Ok(())
}
