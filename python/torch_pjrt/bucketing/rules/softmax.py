"""Softmax and its gradient."""

from __future__ import annotations

import math

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import Dim

aten = torch.ops.aten


@rule(aten._softmax.default, aten._log_softmax.default)
def _softmax(ctx: Interpretation, value: Value, dim: int, half_to_float: bool) -> Value:
    masked = ctx.filled(value, -math.inf, [dim])
    return Value(ctx.node.target(masked, dim, half_to_float), tuple(Dim(d.extents) for d in value.dims))  # type: ignore[operator]


@rule(aten._softmax_backward_data.default, aten._log_softmax_backward_data.default)
def _softmax_backward(ctx: Interpretation, grad: Value, output: Value, dim: int, dtype: torch.dtype) -> Value:
    (grad, output), dims = ctx.aligned([grad, output])
    data = ctx.node.target(ctx.filled(grad, 0, [dim]), ctx.filled(output, 0, [dim]), dim, dtype)  # type: ignore[operator]
    return Value(data, tuple(dims))
