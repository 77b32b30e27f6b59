//! Softmax along one dim and its gradients, computed in f32 for narrower floats.

use stablehlo::{ElementType, TensorType, Value};

use super::reductions::{like_first, one, stretched};
use crate::{HOST_KERNEL_ELEMENTS, HostArgument, HostResult, Infer, LowerError, Lowered, Lowering, Row, compute_element, parts_of};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_softmax", |cx| match by_host(cx, "aten::_softmax.out", 1, HostArgument::Bool(false))? {
        Some(result) => one(result),
        None => one(softmax(cx.operand(0, cx.compute_element())?, &along(cx, 1)?)),
    }),
    Row::custom("aten::_log_softmax", log_softmax),
    Row::custom("aten::_safe_softmax", safe_softmax),
    Row::custom("aten::_softmax_backward_data", softmax_backward),
    Row::custom("aten::_log_softmax_backward_data", log_softmax_backward),
    Row::custom("aten::_masked_softmax", masked_softmax).infer(Infer::Rule(like_first)),
    Row::custom("aten::_masked_softmax_backward", masked_softmax_backward).infer(Infer::Rule(like_first)),
];

/// The dim that argument `index` names of argument 0: none of a 0-dim tensor.
fn along(cx: &Lowering<'_, '_>, index: usize) -> Result<Vec<i64>, LowerError> {
    let rank = cx.meta(0)?.dims.len();
    Ok(if rank == 0 { Vec::new() } else { vec![cx.dim(index, rank)?] })
}

/// Minus the largest element of its row. The reduction may drop NaN: it stays in its own element, and from there
/// in the row's sum.
fn below_largest<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    x - stretched(x.reduce_max(dims), &x.dims(), dims)
}

pub(super) fn softmax<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    let exponentials = below_largest(x, dims).exp();
    exponentials / stretched(exponentials.reduce_add(dims), &x.dims(), dims)
}

/// The result of ATen's kernel `overload`, where it is to be called. Its arguments are the row's first `tensors`, all of
/// one shape, the dim, and `last`.
fn by_host<'f>(
    cx: &Lowering<'f, '_>,
    overload: &'static str,
    tensors: usize,
    last: HostArgument<'f>,
) -> Result<Option<Value<'f>>, LowerError> {
    let ty = TensorType::new(cx.out_element(), cx.out_dims());
    let dim = along(cx, tensors)?;
    let mut arguments = Vec::new();
    for index in 0..tensors {
        let meta = cx.meta(index)?;
        if meta.element != ty.element || meta.dims != ty.dims {
            return Ok(None);
        }
        arguments.push(HostArgument::split(cx.tensor(index)?, 0));
    }
    // The kernel wants dense tensors, which parts along another dimension than the first are not.
    if !cx.has_fast_host_kernels(ty.element) || ty.numel() < HOST_KERNEL_ELEMENTS || dim == [0] {
        return Ok(None);
    }
    let parts = parts_of(ty.numel(), ty.dims[0]);
    arguments.extend([HostArgument::Int(dim.first().copied().unwrap_or(0)), last]);
    let results = cx.host_kernel(overload, &arguments, &[HostResult::new(ty, 0)], parts);
    Ok(results.and_then(|results| results.first().copied()))
}

fn log_softmax<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    if let Some(result) = by_host(cx, "aten::_log_softmax.out", 1, HostArgument::Bool(false))? {
        return one(result);
    }
    let (x, dims) = (cx.operand(0, cx.compute_element())?, along(cx, 1)?);
    let shifted = below_largest(x, &dims);
    one(shifted - stretched(shifted.exp().reduce_add(&dims).log(), &x.dims(), &dims))
}

/// Softmax that is 0 in rows of nothing but -inf.
fn safe_softmax<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims) = (cx.operand(0, cx.compute_element())?, along(cx, 1)?);
    let masked = x.eq(x.like(f64::NEG_INFINITY)).reduce_and(&dims);
    one(stretched(masked, &x.dims(), &dims).select(x.like(0.0), softmax(x, &dims)))
}

/// The gradient at the input of a softmax that gave `output`.
fn backward<'f>(gradient: Value<'f>, output: Value<'f>, dims: &[i64]) -> Value<'f> {
    let weighted = gradient * output;
    weighted - output * stretched(weighted.reduce_add(dims), &output.dims(), dims)
}

/// Gradient and output in their compute dtype.
fn gradient_and_output<'f>(cx: &Lowering<'f, '_>) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let element: ElementType = compute_element(cx.meta(0)?.element);
    Ok((cx.operand(0, element)?, cx.operand(1, element)?))
}

fn softmax_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    if let Some(result) = by_host(cx, "aten::_softmax_backward_data.out", 2, HostArgument::Dtype(cx.out_element()))? {
        return one(result);
    }
    let (gradient, output) = gradient_and_output(cx)?;
    one(backward(gradient, output, &along(cx, 2)?))
}

fn log_softmax_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    if let Some(result) = by_host(cx, "aten::_log_softmax_backward_data.out", 2, HostArgument::Dtype(cx.out_element()))? {
        return one(result);
    }
    let ((gradient, output), dims) = (gradient_and_output(cx)?, along(cx, 2)?);
    let sum = stretched(gradient.reduce_add(&dims), &output.dims(), &dims);
    one(gradient - output.exp() * sum)
}

/// The dim that argument `index` names, the last one by default.
fn along_or_last(cx: &Lowering<'_, '_>, index: usize) -> Result<Vec<i64>, LowerError> {
    let rank = cx.meta(0)?.dims.len();
    Ok(if rank == 0 || cx.is_present(index) { along(cx, index)? } else { vec![rank as i64 - 1] })
}

/// A mask over `dims`: \[L, L\] (type 0) is one for every batch and head, \[B, L\] (type 1) one for every head and row.
fn mask_over<'f>(mask: Value<'f>, dims: &[i64], kind: i64) -> Value<'f> {
    let (rank, last) = (dims.len(), dims.len() as i64 - 1);
    let mask = mask.convert(ElementType::I1);
    match (kind, mask.rank()) {
        (1, 2) if rank > 2 => mask.broadcast_in_dim(dims, &[0, last]),
        _ => mask.broadcast_to(dims),
    }
}

/// Softmax of what the mask leaves; masked elements are 0.
fn masked_softmax<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let mask = mask_over(cx.tensor(1)?, &x.dims(), cx.optional_int(3)?.unwrap_or(2));
    one(softmax(mask.select(x.like(f64::NEG_INFINITY), x), &along_or_last(cx, 2)?))
}

fn masked_softmax_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (gradient, output) = gradient_and_output(cx)?;
    let mask = mask_over(cx.tensor(2)?, &output.dims(), 2);
    let output = mask.select(output.like(0.0), output);
    let gradient = mask.select(gradient.like(0.0), gradient);
    one(backward(gradient, output, &along_or_last(cx, 3)?))
}
