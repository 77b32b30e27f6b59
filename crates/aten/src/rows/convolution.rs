//! Convolutions of 1 to 3 spatial dimensions and their gradients. All come down to one correlation; on
//! XLA:CPU it runs channels-last, which its kernels need, and weight gradients become matrix products.

use stablehlo::{Conv, DotDims, ElementType, TensorType, Value};

use super::window::{Slide, splice};
use crate::{LowerError, Lowered, Lowering, Row, Target, compute_element};

pub const ROWS: &[Row] = &[Row::custom("aten::convolution", convolution), Row::custom("aten::convolution_backward", convolution_backward)];

/// The arguments from `stride` to `groups`, one entry a spatial dimension.
struct Geometry {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    transposed: bool,
    groups: i64,
}

fn not_negative(padding: Vec<i64>) -> Result<Vec<i64>, LowerError> {
    if padding.iter().any(|&padding| padding < 0) { Err(LowerError::refused("negative padding is not supported")) } else { Ok(padding) }
}

impl Geometry {
    /// `first` is the position of the stride argument.
    fn read(cx: &Lowering<'_, '_>, first: usize, spatial: usize) -> Result<Self, LowerError> {
        Ok(Self {
            stride: cx.ints_of(first, spatial, 1)?,
            padding: not_negative(cx.ints_of(first + 1, spatial, 0)?)?,
            dilation: cx.ints_of(first + 2, spatial, 1)?,
            transposed: cx.bool(first + 3)?,
            groups: cx.int(first + 5)?,
        })
    }
}

fn convolution<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, weight, bias) = (cx.tensor(0)?, cx.tensor(1)?, cx.optional_tensor(2)?);
    let geometry = Geometry::read(cx, 3, x.rank() - 2)?;
    let result = if bias.is_some() { cx.compute_element() } else { cx.out_element() };
    let sums = if geometry.transposed {
        spread(cx, x, weight, &geometry, &cx.out_dims()[2..], result)
    } else {
        gathered(cx, x, weight, &geometry, &cx.out_dims()[2..], result)
    };
    let Some(bias) = bias else { return Ok(vec![Some(sums)]) };
    Ok(vec![Some(sums + bias.convert(result).broadcast_in_dim(&sums.dims(), &[1]))])
}

fn convolution_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x, weight) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let geometry = Geometry::read(cx, 4, x.rank() - 2)?;
    let element = x.element();
    let (x_dims, weight_dims) = (x.dims(), weight.dims());
    let grad_input = cx.wants(0).then(|| {
        if geometry.transposed {
            gathered(cx, g, weight, &geometry, &x_dims[2..], element)
        } else {
            spread(cx, g, weight, &geometry, &x_dims[2..], element)
        }
    });
    let grad_weight = cx.wants(1).then(|| {
        // A transposed convolution is the adjoint of a plain one, in which its output is the input.
        let (input, output) = if geometry.transposed { (g, x) } else { (x, g) };
        weight_gradient(cx, input, output, &geometry, &weight_dims)
    });
    let grad_bias = cx.wants(2).then(|| {
        let all_but_channels: Vec<i64> = (0..g.rank() as i64).filter(|axis| *axis != 1).collect();
        g.convert(compute_element(g.element())).reduce_add(&all_but_channels)
    });
    Ok(vec![grad_input, grad_weight, grad_bias])
}

/// The plain convolution: each output gathers a window of `x [N, C, ...]` under `weight [O, C / groups, ...]`.
/// `size` is the spatial size of the result.
fn gathered<'f>(
    cx: &Lowering<'f, '_>,
    x: Value<'f>,
    weight: Value<'f>,
    geometry: &Geometry,
    size: &[i64],
    result: ElementType,
) -> Value<'f> {
    let (x_dims, weight_dims) = (x.dims(), weight.dims());
    let mut conv = Conv::channels_first(size.len());
    conv.window_strides = geometry.stride.clone();
    conv.padding = (0..size.len())
        .map(|i| {
            let (padding, stride) = (geometry.padding[i], geometry.stride[i]);
            let window = geometry.dilation[i] * (weight_dims[2 + i] - 1) + 1;
            // An output padding beyond the stride leaves windows that the gradient does not read.
            let natural = (x_dims[2 + i] + 2 * padding - window).div_euclid(stride) + 1;
            let exact = stride * (size[i] - 1) + window - padding - x_dims[2 + i];
            (padding, if natural == size[i] { padding } else { exact })
        })
        .collect();
    conv.rhs_dilation = geometry.dilation.clone();
    conv.feature_group_count = geometry.groups;
    correlate(cx, x, weight, conv, result)
}

/// The adjoint of [`gathered`] in its input: each element of `x [N, O, ...]` is spread over a window of a result
/// of spatial size `size`, under `weight [O, C / groups, ...]`.
fn spread<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, weight: Value<'f>, geometry: &Geometry, size: &[i64], result: ElementType) -> Value<'f> {
    let spatial = size.len();
    let (x_dims, weight_dims) = (x.dims(), weight.dims());
    let groups = geometry.groups;
    // [G * o, c, ...] -> [o, G * c, ...]: output features of a group are those that its input features had.
    let grouped = splice(&weight_dims, 0, &[groups, weight_dims[0] / groups.max(1)]);
    let order: Vec<i64> = [1, 0].into_iter().chain(2..2 + 1 + spatial as i64).collect();
    let kernel_dims: Vec<i64> =
        [weight_dims[0] / groups.max(1), groups * weight_dims[1]].iter().chain(&weight_dims[2..]).copied().collect();
    let axes: Vec<i64> = (2..2 + spatial as i64).collect();
    let kernel = weight.reshape(&grouped).transpose(&order).reshape(&kernel_dims).reverse(&axes);

    let mut conv = Conv::channels_first(spatial);
    (conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension) = (0, 1);
    conv.lhs_dilation = geometry.stride.clone();
    conv.rhs_dilation = geometry.dilation.clone();
    conv.feature_group_count = groups;
    conv.padding = (0..spatial)
        .map(|i| {
            let reach = geometry.dilation[i] * (weight_dims[2 + i] - 1);
            let low = reach - geometry.padding[i];
            (low, size[i] - 1 + geometry.padding[i] - geometry.stride[i] * (x_dims[2 + i] - 1))
        })
        .collect();
    correlate(cx, x, kernel, conv, result)
}

/// The adjoint of [`gathered`] in its weight, of dims `weight`.
fn weight_gradient<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, g: Value<'f>, geometry: &Geometry, weight: &[i64]) -> Value<'f> {
    if cx.environment.target == Target::Cpu && x.element().is_float() {
        return weight_gradient_by_products(cx, x, g, geometry, weight);
    }
    let (x_dims, g_dims) = (x.dims(), g.dims());
    let spatial = geometry.stride.len();
    let mut conv = Conv::channels_first(spatial);
    // The batch is summed over, channels of x are the batch and channels of g the output features.
    (conv.input_batch_dimension, conv.input_feature_dimension) = (1, 0);
    (conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension) = (0, 1);
    (conv.output_batch_dimension, conv.output_feature_dimension) = (1, 0);
    conv.window_strides = geometry.dilation.clone();
    conv.rhs_dilation = geometry.stride.clone();
    conv.batch_group_count = geometry.groups;
    conv.padding = (0..spatial)
        .map(|i| {
            let window = geometry.stride[i] * (g_dims[2 + i] - 1);
            let reach = geometry.dilation[i] * (weight[2 + i] - 1);
            (geometry.padding[i], window + reach + 1 - geometry.padding[i] - x_dims[2 + i])
        })
        .collect();
    correlate(cx, x, g, conv, x.element())
}

/// The same as matrix products over what each tap of the kernel sees: XLA:CPU has no fast convolution of this form.
fn weight_gradient_by_products<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, g: Value<'f>, geometry: &Geometry, weight: &[i64]) -> Value<'f> {
    let func = cx.func;
    let spatial = geometry.stride.len();
    let element = x.element();
    let (x_dims, g_dims) = (x.dims(), g.dims());
    let groups = geometry.groups.max(1);
    let rows = g_dims[0] * g_dims[2..].iter().product::<i64>();
    let (outputs, inputs) = (weight[0] / groups, weight[1]);
    let taps: i64 = weight[2..].iter().product();
    if rows * outputs * inputs * taps == 0 {
        return func.zero(TensorType::new(element, weight));
    }
    let last: Vec<i64> = [0].into_iter().chain(2..2 + spatial as i64).chain([1]).collect();
    let zero = func.zero(element);
    // One [N, positions..., C] for each tap of the kernel, in row-major order of the taps.
    let mut seen = vec![x.transpose(&last)];
    for i in 0..spatial {
        let slide = Slide {
            axis: 1 + i,
            size: x_dims[2 + i],
            kernel: weight[2 + i],
            stride: geometry.stride[i],
            padding: geometry.padding[i],
            dilation: geometry.dilation[i],
            positions: g_dims[2 + i],
        };
        seen = seen.into_iter().flat_map(|tap| slide.taps(tap, zero)).collect();
    }
    let by_group = |value: Value<'f>, features: i64| value.reshape(&[rows, groups, features]);
    let right = by_group(g.transpose(&last), outputs);
    let dims = DotDims { lhs_batching: vec![1], rhs_batching: vec![1], lhs_contracting: vec![0], rhs_contracting: vec![0] };
    // [groups, features of x, outputs] for a [rows, groups, features] of x.
    let product = |left: Value<'f>| -> Value<'f> {
        let features = left.dims()[2];
        if groups == 1 {
            let flat = DotDims { lhs_contracting: vec![0], rhs_contracting: vec![0], ..DotDims::default() };
            let left = left.reshape(&[rows, features]);
            let dot = left.dot_general(right.reshape(&[rows, outputs]), &flat, cx.environment.precision, element);
            return dot.reshape(&[1, features, outputs]);
        }
        if features == 1 && outputs == 1 {
            let compute = compute_element(element);
            let sums = (left.convert(compute) * right.convert(compute)).reduce_add(&[0]);
            return sums.convert(element).reshape(&[groups, 1, 1]);
        }
        left.dot_general(right, &dims, cx.environment.precision, element)
    };
    // Few channels, or the narrow types: one product over all taps together. Otherwise one a tap.
    let together = groups == 1 && (taps * inputs <= 512 || element.bit_width() == 16 || taps > 32);
    let products = if together {
        let all = func.concatenate(&seen.iter().map(|&tap| by_group(tap, inputs)).collect::<Vec<_>>(), 2);
        product(all).reshape(&[groups, taps, inputs, outputs])
    } else {
        let each: Vec<Value<'f>> =
            seen.into_iter().map(|tap| product(by_group(tap, inputs)).reshape(&[groups, 1, inputs, outputs])).collect();
        func.concatenate(&each, 1)
    };
    products.transpose(&[0, 3, 2, 1]).reshape(weight)
}

/// `stablehlo.convolution` on channels-first operands; on XLA:CPU through channels-last ones.
fn correlate<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, kernel: Value<'f>, mut conv: Conv, result: ElementType) -> Value<'f> {
    conv.precision = cx.environment.precision;
    if cx.environment.target != Target::Cpu {
        return x.convolution(kernel, &conv, result);
    }
    let spatial = conv.input_spatial_dimensions.len() as i64;
    let order = |first: i64, axes: &[i64], last: i64| -> Vec<i64> { [first].iter().chain(axes).chain(&[last]).copied().collect() };
    let x = x.transpose(&order(conv.input_batch_dimension, &conv.input_spatial_dimensions, conv.input_feature_dimension));
    let kernel_order: Vec<i64> = (conv.kernel_spatial_dimensions.iter())
        .chain(&[conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension])
        .copied()
        .collect();
    let kernel = kernel.transpose(&kernel_order);
    let (batch, feature) = (conv.output_batch_dimension, conv.output_feature_dimension);
    let inner: Vec<i64> = (1..=spatial).collect();
    (conv.input_batch_dimension, conv.input_feature_dimension) = (0, spatial + 1);
    (conv.output_batch_dimension, conv.output_feature_dimension) = (0, spatial + 1);
    (conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension) = (spatial, spatial + 1);
    conv.kernel_spatial_dimensions = (0..spatial).collect();
    conv.input_spatial_dimensions = inner.clone();
    conv.output_spatial_dimensions = inner;
    let y = x.convolution(kernel, &conv, result);
    // Back to [batch, feature, spatial...], or with the first two swapped.
    let mut back: Vec<i64> = vec![0; 2];
    (back[batch as usize], back[feature as usize]) = (0, spatial + 1);
    back.extend(1..=spatial);
    y.transpose(&back)
}
