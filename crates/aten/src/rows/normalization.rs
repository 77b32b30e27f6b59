//! Layer, group and RMS normalisation with their gradients. Variances are two-pass; statistics and sums are kept
//! in f32 for narrower floats.

use stablehlo::{ElementType, TensorType, Value};

use super::reductions::{centered, mean, stretched};
use crate::{HOST_KERNEL_ELEMENTS, HostArgument, HostResult, LowerError, Lowered, Lowering, Row, compute_element, parts_of};

pub const ROWS: &[Row] = &[
    Row::custom("aten::native_layer_norm", layer_norm).baked(&[4]),
    Row::custom("aten::native_layer_norm_backward", layer_norm_backward).shape_only(&[6]),
    Row::custom("aten::native_group_norm", group_norm).baked(&[7]),
    Row::custom("aten::native_group_norm_backward", group_norm_backward),
    Row::custom("aten::_fused_rms_norm_backward", rms_norm_backward),
];

/// An argument in the dtype that statistics are computed in.
pub(super) fn wide<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Value<'f>, LowerError> {
    cx.operand(index, statistics_element(cx)?)
}

pub(super) fn wide_if_present<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Option<Value<'f>>, LowerError> {
    if cx.is_present(index) { wide(cx, index).map(Some) } else { Ok(None) }
}

fn statistics_element(cx: &Lowering<'_, '_>) -> Result<ElementType, LowerError> {
    Ok(compute_element(cx.meta(0)?.element))
}

/// Argument `index` as [rows, columns], where the columns are the normalised dims (argument `shape`).
fn as_rows<'f>(cx: &Lowering<'f, '_>, index: usize, shape: usize) -> Result<Value<'f>, LowerError> {
    let x = wide(cx, index)?;
    let columns = cx.ints(shape)?.iter().product::<i64>();
    let leading = x.rank() - cx.ints(shape)?.len();
    let rows = x.dims()[..leading].iter().product::<i64>();
    Ok(x.reshape(&[rows, columns]))
}

/// The values that the row has, each in its announced shape; `None` where the result is undefined.
pub(super) fn announced<'f>(cx: &Lowering<'f, '_>, values: Vec<Option<Value<'f>>>) -> Lowered<'f> {
    let shaped = |(index, value): (usize, Option<Value<'f>>)| match value {
        Some(value) if cx.wants(index) => Ok(Some(value.reshape(&cx.output(index)?.dims))),
        _ => Ok(None),
    };
    values.into_iter().enumerate().map(shaped).collect()
}

/// Deviations, mean and reciprocal standard deviation over `dims`.
pub(super) fn statistics<'f>(x: Value<'f>, dims: &[i64], eps: f64) -> (Value<'f>, Value<'f>, Value<'f>) {
    let (mean_of_x, deviations) = centered(x, dims);
    let variance = mean(deviations * deviations, dims);
    (deviations, mean_of_x, variance.plus(eps).rsqrt())
}

/// Whether ATen's kernel goes over these rows. Narrow dtypes have statistics of another dtype there.
fn by_host(cx: &Lowering<'_, '_>, rows: &[i64]) -> Result<bool, LowerError> {
    let element = cx.meta(0)?.element;
    let wide = matches!(element, ElementType::F32 | ElementType::F64);
    Ok(wide && cx.has_fast_host_kernels(element) && rows.iter().product::<i64>() >= HOST_KERNEL_ELEMENTS)
}

/// A weight or bias of the columns.
fn of_columns<'f>(cx: &Lowering<'f, '_>, index: usize, columns: i64) -> Result<HostArgument<'f>, LowerError> {
    Ok(wide_if_present(cx, index)?.map_or(HostArgument::None, |value| value.reshape(&[columns]).into()))
}

fn layer_norm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = as_rows(cx, 0, 1)?;
    let dims = x.dims();
    if by_host(cx, &dims)? {
        let arguments = [
            HostArgument::split(x, 0),
            HostArgument::Ints(dims[1..].to_vec()),
            of_columns(cx, 2, dims[1])?,
            of_columns(cx, 3, dims[1])?,
            HostArgument::Float(cx.float(4)?),
        ];
        let result = |dims: &[i64]| HostResult::new(TensorType::new(x.element(), dims), 0);
        let results = [result(&dims), result(&[dims[0], 1]), result(&[dims[0], 1])];
        if let Some(results) = cx.host_kernel("aten::native_layer_norm", &arguments, &results, parts_of(dims[0] * dims[1], dims[0])) {
            return announced(cx, results.into_iter().map(Some).collect());
        }
    }
    let (deviations, mean, rstd) = statistics(x, &[1], cx.float(4)?);
    let mut y = deviations * stretched(rstd, &dims, &[1]);
    if let Some(weight) = wide_if_present(cx, 2)? {
        y = y * weight.reshape(&dims[1..]).broadcast_to(&dims);
    }
    if let Some(bias) = wide_if_present(cx, 3)? {
        y = y + bias.reshape(&dims[1..]).broadcast_to(&dims);
    }
    announced(cx, vec![Some(y), Some(mean), Some(rstd)])
}

/// With x^ the normalised input: `(g - mean(g) - x^ mean(g x^)) rstd`, where g is already times the weight.
pub(super) fn normalized_backward<'f>(g: Value<'f>, normalized: Value<'f>, rstd: Value<'f>, dims: &[i64]) -> Value<'f> {
    let over = g.dims();
    let along = mean(g * normalized, dims);
    let (_, g) = centered(g, dims);
    (g - normalized * stretched(along, &over, dims)) * stretched(rstd, &over, dims)
}

fn layer_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (as_rows(cx, 0, 2)?, as_rows(cx, 1, 2)?);
    let dims = x.dims();
    let (mean, rstd) = (wide(cx, 3)?.reshape(&dims[..1]), wide(cx, 4)?.reshape(&dims[..1]));
    let normalized = (x - stretched(mean, &dims, &[1])) * stretched(rstd, &dims, &[1]);
    let weighted = match wide_if_present(cx, 5)? {
        Some(weight) => g * weight.reshape(&dims[1..]).broadcast_to(&dims),
        None => g,
    };
    let of_input = match layer_norm_backward_by_host(cx, g, x, mean, rstd)? {
        Some(of_input) => of_input,
        None => normalized_backward(weighted, normalized, rstd, &[1]),
    };
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&[0])), Some(g.reduce_add(&[0]))])
}

/// The gradient at the input. Those of weight and bias go over columns, which parts of the rows would have to sum.
fn layer_norm_backward_by_host<'f>(
    cx: &Lowering<'f, '_>,
    g: Value<'f>,
    x: Value<'f>,
    mean: Value<'f>,
    rstd: Value<'f>,
) -> Result<Option<Value<'f>>, LowerError> {
    let dims = x.dims();
    if !by_host(cx, &dims)? || !cx.wants(0) {
        return Ok(None);
    }
    let statistic = |value: Value<'f>| HostArgument::split(value.reshape(&[dims[0], 1]), 0);
    let arguments = [
        HostArgument::split(g, 0),
        HostArgument::split(x, 0),
        HostArgument::Ints(dims[1..].to_vec()),
        statistic(mean),
        statistic(rstd),
        of_columns(cx, 5, dims[1])?,
        HostArgument::None,
        HostArgument::Bools(vec![true, false, false]),
    ];
    let result = HostResult::new(x.ty(), 0);
    let parts = parts_of(dims[0] * dims[1], dims[0]);
    let results = cx.host_kernel("aten::native_layer_norm_backward", &arguments, &[result], parts);
    Ok(results.and_then(|results| results.first().copied()))
}

/// The sizes [N, groups, channels of a group, positions] that group norm works on.
fn grouped(cx: &Lowering<'_, '_>, first: usize) -> Result<[i64; 4], LowerError> {
    let (n, c, positions, groups) = (cx.int(first)?, cx.int(first + 1)?, cx.int(first + 2)?, cx.int(first + 3)?);
    Ok([n, groups, c / groups, positions])
}

/// A weight or bias of the channels, stretched over `dims` = [N, groups, channels of a group, positions].
fn of_channels<'f>(cx: &Lowering<'f, '_>, index: usize, dims: &[i64]) -> Result<Option<Value<'f>>, LowerError> {
    let value = wide_if_present(cx, index)?;
    Ok(value.map(|v| v.reshape(&dims[1..3]).broadcast_in_dim(dims, &[1, 2])))
}

fn group_norm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = grouped(cx, 3)?;
    let (deviations, mean, rstd) = statistics(wide(cx, 0)?.reshape(&dims), &[2, 3], cx.float(7)?);
    let mut y = deviations * stretched(rstd, &dims, &[2, 3]);
    if let Some(weight) = of_channels(cx, 1, &dims)? {
        y = y * weight;
    }
    if let Some(bias) = of_channels(cx, 2, &dims)? {
        y = y + bias;
    }
    announced(cx, vec![Some(y), Some(mean), Some(rstd)])
}

fn group_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = grouped(cx, 5)?;
    let (g, x) = (wide(cx, 0)?.reshape(&dims), wide(cx, 1)?.reshape(&dims));
    let (mean, rstd) = (wide(cx, 2)?.reshape(&dims[..2]), wide(cx, 3)?.reshape(&dims[..2]));
    let normalized = (x - stretched(mean, &dims, &[2, 3])) * stretched(rstd, &dims, &[2, 3]);
    let weighted = of_channels(cx, 4, &dims)?.map_or(g, |weight| g * weight);
    let of_input = normalized_backward(weighted, normalized, rstd, &[2, 3]);
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&[0, 3])), Some(g.reduce_add(&[0, 3]))])
}

/// `(g - x^ mean(g x^)) rstd`, where g is already times the weight.
fn rms_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (as_rows(cx, 0, 2)?, as_rows(cx, 1, 2)?);
    let dims = x.dims();
    let rstd = stretched(wide(cx, 3)?.reshape(&dims[..1]), &dims, &[1]);
    let normalized = x * rstd;
    let weighted = match wide_if_present(cx, 4)? {
        Some(weight) => g * weight.reshape(&dims[1..]).broadcast_to(&dims),
        None => g,
    };
    let along = stretched(mean(weighted * normalized, &[1]), &dims, &[1]);
    announced(cx, vec![Some((weighted - normalized * along) * rstd), Some((g * normalized).reduce_add(&[0]))])
}
