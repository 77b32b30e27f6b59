"""Matrix products and attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import Dim, UnboundedError, varying

aten = torch.ops.aten


def _contracted(ctx: Interpretation, left: Value, left_dim: int, right: Value, right_dim: int) -> tuple[Any, Any]:
    """The factors of a product over two dimensions, with zeros beyond the elements of these."""
    one, other = left.dims[left_dim], right.dims[right_dim]
    if one.extents != other.extents and not one.constant and not other.constant:
        left, right = ctx.prefixed(left, [left_dim]), ctx.prefixed(right, [right_dim])
        one, other = left.dims[left_dim], right.dims[right_dim]
    pattern = other if one.constant else one
    masked = []
    for value, dim in ((left, left_dim), (right, right_dim)):
        dims = [*value.dims]
        dims[dim] = pattern
        masked.append(ctx.filled(Value(value.data, tuple(dims)), 0, [dim]))
    return masked[0], masked[1]


@rule(aten.mm.default, aten.bmm.default, aten.mv.default, aten.dot.default, aten.vdot.default)
def _product(ctx: Interpretation, left: Value, right: Value) -> Value:
    right_dim = max(len(right.dims) - 2, 0)
    data = ctx.node.target(*_contracted(ctx, left, len(left.dims) - 1, right, right_dim))  # type: ignore[operator]
    batch = ctx.broadcast([Value(left.data, left.dims[:-2]), Value(right.data, right.dims[:-2])])
    rows = left.dims[-2:-1]
    columns = right.dims[-1:] if len(right.dims) > 1 else ()
    return Value(data, varying(*batch, *rows, *columns))


@rule(aten.addmm.default, aten.baddbmm.default, aten.addmv.default)
def _added_product(ctx: Interpretation, bias: Value, left: Value, right: Value, **kwargs: Any) -> Value:
    right_dim = max(len(right.dims) - 2, 0)
    masked = _contracted(ctx, left, len(left.dims) - 1, right, right_dim)
    batch = ctx.broadcast([Value(left.data, left.dims[:-2]), Value(right.data, right.dims[:-2])])
    columns = right.dims[-1:] if len(right.dims) > 1 else ()
    dims = varying(*batch, *left.dims[-2:-1], *columns)
    data = ctx.node.target(bias.data, *masked, **kwargs)  # type: ignore[operator]
    return Value(data, tuple(ctx.broadcast([bias, Value(data, dims)])))


@rule(aten.linear.default)
def _linear(ctx: Interpretation, value: Value, weight: Value, bias: Value | None = None) -> Value:
    ctx.require_plain(weight, range(len(weight.dims)), "a weight")
    data = aten.linear(value.data, weight.data, None if bias is None else bias.data)
    return Value(data, varying(*value.dims[:-1], *weight.dims[:-1]))


@rule(aten._scaled_dot_product_fused_attention_overrideable.default)
def _attention(
    ctx: Interpretation,
    query: Value,
    key: Value,
    value: Value,
    bias: Value | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    *args: Any,
    **kwargs: Any,
) -> Any:
    if dropout > 0:
        raise UnboundedError("the random numbers of attention's dropout depend on the size")
    query, key, value = (Value(ctx.filled(each, 0), each.dims) for each in (query, key, value))
    mask = _attention_mask(ctx, query, key, bias, is_causal)
    results = ctx.call(query, key, value, mask, dropout, is_causal, *args, **kwargs)
    rows = query.dims[:-1]
    known = {0: (*rows, value.dims[-1]), 1: rows}
    return tuple(
        Value(result, varying(*known.get(index, [Dim.plain(size) for size in result.shape])))
        if isinstance(result, torch.Tensor)
        else result
        for index, result in enumerate(results)
    )


def _attention_mask(
    ctx: Interpretation, query: Value, key: Value, bias: Value | None, is_causal: bool
) -> torch.Tensor | None:
    """What is added to the scores so that no query attends to padding."""
    keys = key.dims[-2]
    if not keys.is_padded:
        return None if bias is None else ctx.filled(bias, 0)
    if is_causal and bias is None and keys.extents == query.dims[-2].extents and keys.is_prefix:
        return None  # what comes after a query is not attended to anyway
    inside = ctx.mask(keys)
    if bias is None:
        zeros = torch.zeros(query.dims[-2].padded, keys.padded, dtype=query.data.dtype, device=query.data.device)
        mask = zeros.masked_fill(~inside, -math.inf)
        return mask.expand(query.data.shape[0], query.data.shape[1], *mask.shape)
    scores = Value(ctx.filled(bias, 0), bias.dims)
    return scores.data.masked_fill(~inside, -math.inf)


@rule(aten._scaled_dot_product_fused_attention_overrideable_backward.default)
def _attention_backward(
    ctx: Interpretation,
    grad: Value,
    query: Value,
    key: Value,
    value: Value,
    bias: Value | None,
    wanted: Sequence[bool],
    output: Value,
    logsumexp: Value,
    cum_q: Any,
    cum_k: Any,
    max_q: Any,
    max_k: Any,
    dropout: float,
    is_causal: bool,
    *args: Any,
    **kwargs: Any,
) -> Any:
    query, key, value = (Value(ctx.filled(each, 0), each.dims) for each in (query, key, value))
    mask = _attention_mask(ctx, query, key, bias, is_causal)
    wanted = [*wanted[:3], wanted[3] if bias is not None else False]
    results = ctx.node.target(  # type: ignore[operator]
        ctx.filled(grad, 0), query.data, key.data, value.data, mask, wanted, ctx.filled(output, 0),
        ctx.filled(logsumexp, 0), *(each.data if isinstance(each, Value) else each for each in (cum_q, cum_k)),
        query.dims[-2].padded, key.dims[-2].padded, dropout, is_causal,
        *(each.data if isinstance(each, Value) else each for each in args), **kwargs,
    )  # fmt: skip
    dims = [query.dims, key.dims, value.dims, () if bias is None else bias.dims]
    return tuple(
        Value(result, varying(*own)) if isinstance(result, torch.Tensor) else result
        for result, own in zip(results, dims, strict=True)
    )
