"""Embeddings, gathers, scatters and indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Number, Value, rule
from torch_pjrt.bucketing.padded import Dim, UnboundedError, varying

aten = torch.ops.aten


def _valid_indices(ctx: Interpretation, index: Value, dim: Dim | None = None) -> torch.Tensor:
    """Indices that are in range beyond the value's too; those from the end of `dim` count from its value's end."""
    data = index.data
    if dim is not None and dim.is_padded:
        data = torch.where(data < 0, data + ctx.count(dim.real), data)
    return ctx.filled(Value(data, index.dims), 0)


@rule(aten.embedding.default)
def _embedding(ctx: Interpretation, weight: Value, index: Value, *args: Any) -> Value:
    data = aten.embedding(weight.data, _valid_indices(ctx, index))
    return Value(data, varying(*index.dims, *weight.dims[1:]))


@rule(aten.embedding_dense_backward.default)
def _embedding_backward(
    ctx: Interpretation, grad: Value, index: Value, rows: Number, padding: int, scale_by_frequency: bool
) -> Value:
    if scale_by_frequency:
        raise UnboundedError("an embedding whose gradient is scaled by how often a row occurs")
    grad, index = (ctx.prefixed(grad), ctx.prefixed(index)) if grad.dims[:-1] != index.dims else (grad, index)
    data = aten.embedding_dense_backward(
        ctx.filled(Value(grad.data, (*index.dims, grad.dims[-1])), 0),
        _valid_indices(ctx, index),
        ctx.padded(rows),
        padding,
        False,
    )
    return Value(data, varying(*ctx.prefix([rows]), grad.dims[-1]))


@rule(aten.index_select.default)
def _index_select(ctx: Interpretation, value: Value, dim: int, index: Value) -> Value:
    dim = value.dim(dim)
    value = ctx.prefixed(value, [dim])
    data = value.data.index_select(dim, _valid_indices(ctx, index, value.dims[dim]))
    return Value(data, varying(*value.dims[:dim], *index.dims, *value.dims[dim + 1 :]))


@rule(aten.gather.default)
def _gather(ctx: Interpretation, value: Value, dim: int, index: Value, **kwargs: Any) -> Value:
    dim = value.dim(dim)
    value, index = ctx.prefixed(value), ctx.prefixed(index)
    sizes = [
        of_value.padded if i == dim else of_index.padded
        for i, (of_value, of_index) in enumerate(zip(value.dims, index.dims, strict=True))
    ]
    if any(size > have for size, have in zip(sizes, value.data.shape, strict=True)):
        raise UnboundedError("its index is larger than the tensor when both are padded")
    return Value(value.data.gather(dim, _valid_indices(ctx, index)), varying(*index.dims))


def _with_spare(data: torch.Tensor, dim: int) -> torch.Tensor:
    """One more position along `dim`, for what must not be written."""
    shape = list(data.shape)
    shape[dim] = 1
    return torch.cat([data, data.new_zeros(shape)], dim)


@rule(aten.scatter_add.default, aten.scatter.src, aten.scatter.value)
def _scatter(ctx: Interpretation, value: Value, dim: int, index: Value, source: Any) -> Value:
    dim = value.dim(dim)
    value, index = ctx.prefixed(value), ctx.prefixed(index)
    # What is padded, along any dimension, goes to a spare position.
    size = value.data.shape[dim]
    at = ctx.filled(index, size)
    if isinstance(source, Value):
        source = ctx.prefixed(source).data
        source = source[tuple(slice(size) for size in index.data.shape)]
    if any(
        i != dim and have < wanted
        for i, (have, wanted) in enumerate(zip(value.data.shape, index.data.shape, strict=True))
    ):
        raise UnboundedError("its index is larger than the tensor when both are padded")
    data = ctx.node.target(_with_spare(value.data, dim), dim, at, source)  # type: ignore[operator]
    return Value(data.narrow(dim, 0, size), varying(*value.dims))


@rule(aten.index_add.default)
def _index_add(ctx: Interpretation, value: Value, dim: int, index: Value, source: Value, *, alpha: Number = 1) -> Value:
    dim = value.dim(dim)
    value, source = ctx.prefixed(value), ctx.prefixed(source)
    size = value.data.shape[dim]
    at = ctx.filled(ctx.prefixed(index), size)
    data = aten.index_add(_with_spare(value.data, dim), dim, at, source.data, alpha=alpha)
    return Value(data.narrow(dim, 0, size), varying(*value.dims))


def _indexed(ctx: Interpretation, value: Value, indices: Sequence[Value | None]) -> tuple[list[Any], list[Dim]]:
    """The index tensors, and the result's dimensions."""
    indices = [*indices, *[None] * (len(value.dims) - len(indices))]
    given = [i for i, index in enumerate(indices) if index is not None]
    if any(indices[i].data.dtype in (torch.bool, torch.uint8) for i in given):  # type: ignore[union-attr]
        raise UnboundedError("a mask as an index")
    aligned, broadcast = ctx.aligned([indices[i] for i in given])  # type: ignore[misc]
    data: list[Any] = [None] * len(indices)
    for i, index in zip(given, aligned, strict=True):
        data[i] = _valid_indices(ctx, index, value.dims[i])
    adjacent = given == list(range(given[0], given[-1] + 1))
    rest = [dim for i, dim in enumerate(value.dims) if i not in given]
    first = given[0] if adjacent else 0
    return data, [*rest[:first], *broadcast, *rest[first:]]


@rule(aten.index.Tensor)
def _index(ctx: Interpretation, value: Value, indices: Sequence[Value | None]) -> Value:
    value = ctx.prefixed(value)
    data, dims = _indexed(ctx, value, indices)
    return Value(aten.index(value.data, data), varying(*dims))


@rule(aten.index_put.default, aten._unsafe_index_put.default)
def _index_put(
    ctx: Interpretation, value: Value, indices: Sequence[Value | None], source: Value, accumulate: bool = False
) -> Value:
    value = ctx.prefixed(value)
    data, dims = _indexed(ctx, value, indices)
    # What is padded goes to a spare position of the first dimension that is indexed.
    dim = next(i for i, index in enumerate(data) if index is not None)
    size = value.data.shape[dim]
    outside = _outside(ctx, [index for index in indices if index is not None])
    negative = torch.where(data[dim] < 0, data[dim] + size, data[dim])
    data[dim] = negative if outside is None else negative.masked_fill(outside, size)
    written = ctx.prefixed(source).data.expand([d.padded for d in dims])
    result = aten.index_put(_with_spare(value.data, dim), data, written, accumulate)
    return Value(result.narrow(dim, 0, size), varying(*value.dims))


def _outside(ctx: Interpretation, indices: Sequence[Value]) -> torch.Tensor | None:
    """Where an index is padding, in the shape that the indices broadcast to."""
    aligned, dims = ctx.aligned(indices)
    inside = Value(
        torch.zeros([dim.padded for dim in dims], dtype=torch.bool, device=aligned[0].data.device), tuple(dims)
    )
    return ctx.filled(inside, True) if inside.is_padded else None
