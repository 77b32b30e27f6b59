"""Losses that reduce over elements that vary in number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import varying
from torch_pjrt.bucketing.rules.elementwise import pointwise
from torch_pjrt.bucketing.rules.identities import sum_dtype

aten = torch.ops.aten


def _classes(value: Value) -> int:
    """The dimension of the classes."""
    return 1 if len(value.dims) > 1 else 0


def _aligned_target(ctx: Interpretation, value: Value, target: Value, ignored: int) -> tuple[Value, Value]:
    classes = _classes(value)
    if (*value.dims[:classes], *value.dims[classes + 1 :]) != target.dims:
        value, target = ctx.prefixed(value), ctx.prefixed(target)
    return value, Value(ctx.filled(target, ignored), target.dims)


@rule(aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)
def _nll_loss(
    ctx: Interpretation, value: Value, target: Value, weight: Value | None, reduction: int, ignored: int
) -> Any:
    value, target = _aligned_target(ctx, value, target, ignored)
    loss, total = ctx.call(value, target, weight, reduction, ignored)
    return Value(loss, varying(*(target.dims if reduction == 0 else ()))), Value(total, ())


@rule(aten.nll_loss_backward.default, aten.nll_loss2d_backward.default)
def _nll_loss_backward(ctx: Interpretation, grad: Value, value: Value, target: Value, *args: Any) -> Value:
    weight, reduction, ignored, total = args
    if reduction == 0:
        grad, value, target = ctx.prefixed(grad), ctx.prefixed(value), ctx.prefixed(target)
    value, target = _aligned_target(ctx, value, target, ignored)
    data = ctx.call(grad, value, target, weight, reduction, ignored, total)
    return Value(data, varying(*value.dims))


_MEAN = 1


@rule(aten.mse_loss.default, aten.smooth_l1_loss.default, aten.huber_loss.default, aten.soft_margin_loss.default,
      aten.binary_cross_entropy.default, aten.binary_cross_entropy_with_logits.default)  # fmt: skip
def _elementwise_loss(ctx: Interpretation, *args: Any, **kwargs: Any) -> Value:
    target: Any = ctx.node.target
    given = _named(target, args, kwargs)
    reduction = given.get("reduction", _MEAN)
    losses = pointwise(ctx, **{**given, "reduction": 0})
    if reduction == 0:
        return losses  # type: ignore[no-any-return]
    total = ctx.filled(losses, 0).to(sum_dtype(losses.data.dtype)).sum()
    if reduction == _MEAN:
        total = total / ctx.count_of(losses, range(len(losses.dims)))
    return Value(total.to(losses.data.dtype), ())


@rule(aten.mse_loss_backward.default, aten.smooth_l1_loss_backward.default, aten.huber_loss_backward.default,
      aten.soft_margin_loss_backward.default, aten.binary_cross_entropy_backward.default)  # fmt: skip
def _elementwise_loss_backward(ctx: Interpretation, *args: Any, **kwargs: Any) -> Value:
    given = _named(ctx.node.target, args, kwargs)
    if given["reduction"] == _MEAN:
        grad, value = given["grad_output"], given["self"]
        given["grad_output"] = Value(grad.data / ctx.count_of(value, range(len(value.dims))), grad.dims)
        given["reduction"] = 0
    return pointwise(ctx, **given)  # type: ignore[no-any-return]


def _named(target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    names = [argument.name for argument in target._schema.arguments]
    return {**dict(zip(names, args, strict=False)), **kwargs}
