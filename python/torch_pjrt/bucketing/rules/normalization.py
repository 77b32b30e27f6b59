"""Norms over dimensions that do not vary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Number, Value, rule
from torch_pjrt.bucketing.padded import Dim, varying

aten = torch.ops.aten


@rule(aten.native_layer_norm.default, aten._fused_rms_norm.default)
def _layer_norm(ctx: Interpretation, value: Value, shape: Sequence[Number], *args: Any) -> Any:
    rank = len(value.dims) - len(shape)
    ctx.require_plain(value, range(rank, len(value.dims)), "a norm")
    output, *statistics = ctx.call(value, shape, *args)
    rows = varying(*value.dims[:rank], *[Dim()] * len(shape))
    return (Value(output, varying(*value.dims)), *(Value(each, rows) for each in statistics))


@rule(aten.native_layer_norm_backward.default, aten._fused_rms_norm_backward.default)
def _layer_norm_backward(ctx: Interpretation, grad: Value, value: Value, shape: Sequence[Number], *args: Any) -> Any:
    filled = [Value(ctx.filled(each, 0), each.dims) if isinstance(each, Value) else each for each in args]
    results = ctx.call(Value(ctx.filled(grad, 0), grad.dims), Value(ctx.filled(value, 0), value.dims), shape, *filled)
    trailing = value.dims[len(value.dims) - len(shape) :]
    return tuple(
        None if result is None else Value(result, varying(*(value.dims if index == 0 else trailing)))
        for index, result in enumerate(results)
    )


@rule(aten.native_group_norm.default)
def _group_norm(ctx: Interpretation, value: Value, *args: Any) -> Any:
    ctx.require_plain(value, range(1, len(value.dims)), "a norm")
    output, *statistics = ctx.call(value, *args)
    rows = (value.dims[0], Dim.plain(statistics[0].shape[1]))
    return (Value(output, varying(*value.dims)), *(Value(each, varying(*rows)) for each in statistics))


@rule(aten.native_group_norm_backward.default)
def _group_norm_backward(ctx: Interpretation, grad: Value, value: Value, *args: Any) -> Any:
    ctx.require_plain(value, range(1, len(value.dims)), "a norm")
    filled = [
        Value(ctx.filled(each, 0), each.dims) if isinstance(each, Value) else each for each in (grad, value, *args)
    ]
    results = ctx.call(*filled)
    return tuple(
        None if result is None else Value(result, varying(*(value.dims if index == 0 else value.dims[1:2])))
        for index, result in enumerate(results)
    )
