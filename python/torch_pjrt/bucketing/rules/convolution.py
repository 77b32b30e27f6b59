"""Convolutions: what is beyond the elements is zero, as the padding of a convolution."""

from __future__ import annotations

from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import UnboundedError, varying

aten = torch.ops.aten


@rule(aten.convolution.default)
def _convolution(ctx: Interpretation, value: Value, weight: Value, bias: Value | None, *args: Any) -> Value:
    ctx.require_plain(weight, range(len(weight.dims)), "a filter")
    ctx.require_plain(value, [1], "channels")
    transposed = args[3]
    value = ctx.prefixed(value)
    for index in range(2, len(value.dims)):
        if transposed and value.dims[index].is_padded:
            raise UnboundedError("a transposed convolution over a size that varies")
    shape = ctx.shape()
    data = ctx.call(Value(ctx.filled(value, 0), value.dims), weight, bias, *args)
    return Value(data, (value.dims[0], *ctx.prefix(shape[1:])))


@rule(aten.convolution_backward.default)
def _convolution_backward(ctx: Interpretation, grad: Value, value: Value, weight: Value, bias: Any, *args: Any) -> Any:
    grad, value = ctx.prefixed(grad), ctx.prefixed(value)
    results = ctx.call(
        Value(ctx.filled(grad, 0), grad.dims), Value(ctx.filled(value, 0), value.dims), weight, bias, *args
    )
    dims = [value.dims, weight.dims, weight.dims[:1]]
    return tuple(
        None if result is None else Value(result, varying(*own)) for result, own in zip(results, dims, strict=True)
    )
