"""Other shapes, parts and joins of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Number, Value, rule
from torch_pjrt.bucketing.padded import Dim, Extent, UnboundedError, is_same, regroup

aten = torch.ops.aten


@rule(aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten._reshape_alias.default,
      aten._reshape_copy.default)  # fmt: skip
def _view(ctx: Interpretation, value: Value, shape: Any, *rest: Any) -> Value:
    try:
        dims = regroup(value.dims, ctx.shape(), ctx.padded)
    except UnboundedError:
        return ctx.reshaped(value, ctx.shape())
    return Value(value.data.reshape([dim.padded for dim in dims]), tuple(dims))


@rule(aten.permute.default)
def _permute(ctx: Interpretation, value: Value, order: Sequence[int]) -> Value:
    return Value(value.data.permute(*order), tuple(value.dims[dim] for dim in order))


@rule(aten.transpose.int)
def _transpose(ctx: Interpretation, value: Value, first: int, second: int) -> Value:
    dims = list(value.dims)
    first, second = value.dim(first), value.dim(second)
    if dims:
        dims[first], dims[second] = dims[second], dims[first]
    return Value(value.data.transpose(first, second), tuple(dims))


@rule(aten.t.default)
def _t(ctx: Interpretation, value: Value) -> Value:
    return Value(value.data.t(), value.dims[::-1])


@rule(aten.unsqueeze.default)
def _unsqueeze(ctx: Interpretation, value: Value, dim: int) -> Value:
    dim %= len(value.dims) + 1
    return Value(value.data.unsqueeze(dim), (*value.dims[:dim], Dim(), *value.dims[dim:]))


@rule(aten.squeeze.default, aten.squeeze.dim, aten.squeeze.dims)
def _squeeze(ctx: Interpretation, value: Value, dims: int | Sequence[int] | None = None) -> Value:
    chosen = range(len(value.dims)) if dims is None else [dims] if isinstance(dims, int) else dims
    gone = {value.dim(dim) for dim in chosen if not value.dims[value.dim(dim)].extents}
    return Value(
        value.data.squeeze(sorted(gone)), tuple(dim for index, dim in enumerate(value.dims) if index not in gone)
    )


@rule(aten.expand.default)
def _expand(ctx: Interpretation, value: Value, shape: Sequence[Number], **kwargs: Any) -> Value:
    new = len(shape) - len(value.dims)
    dims = []
    for index, size in enumerate(ctx.shape()):
        old = value.dims[index - new] if index >= new else Dim()
        dims.append(old if old.extents else Dim.of(ctx.prefix([size])[0].extents, constant=True))
    return Value(value.data.expand([dim.padded for dim in dims]), tuple(dims))


@rule(aten.repeat.default)
def _repeat(ctx: Interpretation, value: Value, times: Sequence[Number]) -> Value:
    new = len(times) - len(value.dims)
    dims = []
    for index, count in enumerate(times):
        old = value.dims[index - new] if index >= new else Dim()
        dims.append(Dim.of([Extent(ctx.real(count), ctx.padded(count)), *old.extents]))
    return Value(value.data.repeat([ctx.padded(count) for count in times]), tuple(dims))


def _part(ctx: Interpretation, value: Value, dim: int, start: Number, size: sympy.Expr, step: int = 1) -> Value:
    """`size` positions along `dim` from `start`, which counts from the end if it is negative."""
    value = ctx.prefixed(value, [dim])
    whole = value.dims[dim]
    first = ctx.real(start)
    part = Dim.of(ctx.prefix([size])[0].extents, constant=whole.constant)
    dims = (*value.dims[:dim], part, *value.dims[dim + 1 :])
    if first.is_number and (first >= 0 or not whole.is_padded):
        begin = int(first) if first >= 0 else max(int(first) + whole.padded, 0)
        if begin + (part.padded - 1) * step < whole.padded:
            stop = begin + (part.padded - 1) * step + 1
            return Value(aten.slice(value.data, dim, begin, stop, step), dims)
    begin = _from_front(ctx, first, whole)
    index = torch.arange(part.padded, dtype=torch.int32, device=value.data.device) * step + begin
    return Value(value.data.index_select(dim, index.clamp(0, whole.padded - 1)), dims)


def _from_front(ctx: Interpretation, position: sympy.Expr, whole: Dim) -> Any:
    """A position that counts from the end of `whole` if it is negative."""
    at, size = ctx.count(position), ctx.count(whole.real)
    if isinstance(at, torch.Tensor):
        return torch.where(at < 0, at + size, at).clamp(min=0)
    start = size + at if at < 0 else at
    return start.clamp(min=0) if isinstance(start, torch.Tensor) else max(start, 0)


@rule(aten.slice.Tensor)
def _slice(
    ctx: Interpretation, value: Value, dim: int = 0, start: Number = None, end: Number = None, step: Number = 1
) -> Value:
    dim = value.dim(dim)
    size = ctx.shape()[dim]
    if is_same(size, value.dims[dim].real):
        return value
    if not isinstance(step, int):
        raise UnboundedError("a slice whose step varies")
    return _part(ctx, value, dim, 0 if start is None else start, size, step)


@rule(aten.select.int)
def _select(ctx: Interpretation, value: Value, dim: int, index: Number) -> Value:
    dim = value.dim(dim)
    part = _part(ctx, value, dim, index, sympy.Integer(1))
    return Value(part.data.squeeze(dim), (*part.dims[:dim], *part.dims[dim + 1 :]))


@rule(aten.split.Tensor, aten.split_with_sizes.default)
def _split(ctx: Interpretation, value: Value, sizes: Any, dim: int = 0) -> list[Value]:
    dim = value.dim(dim)
    parts: list[Value] = []
    start = sympy.Integer(0)
    for index in range(len(ctx.node.meta["val"])):
        size = ctx.shape(index)[dim]
        parts.append(_part(ctx, value, dim, start, size))
        start += size
    return parts


@rule(aten.unbind.int)
def _unbind(ctx: Interpretation, value: Value, dim: int = 0) -> list[Value]:
    return [_select(ctx, value, dim, index) for index in range(len(ctx.node.meta["val"]))]


@rule(aten.flip.default)
def _flip(ctx: Interpretation, value: Value, dims: Sequence[int]) -> Value:
    value = ctx.prefixed(value, dims)
    data = value.data
    for dim in (value.dim(dim) for dim in dims):
        whole = value.dims[dim]
        if whole.is_padded:
            positions = ctx.count(whole.real) - 1 - torch.arange(whole.padded, dtype=torch.int32, device=data.device)
            data = data.index_select(dim, positions.clamp(min=0))
        else:
            data = data.flip(dim)
    return Value(data, value.dims)


@rule(aten.cat.default)
def _cat(ctx: Interpretation, values: Sequence[Value], dim: int = 0) -> Value:
    # PyTorch ignores empty vectors.
    values = [value for value in values if len(value.dims) > 1 or value.data.numel() > 0 or len(values) == 1]
    dim = values[0].dim(dim)
    values = [ctx.prefixed(value) for value in values]
    others = [Value(value.data, tuple(Dim() if i == dim else d for i, d in enumerate(value.dims))) for value in values]
    dims = ctx.broadcast(others)
    dims = [Dim(part.extents) for part in dims]
    dims[dim] = ctx.prefix([ctx.shape()[dim]])[0]
    joined = torch.cat([value.data for value in values], dim)
    if any(value.dims[dim].is_padded for value in values[:-1]):
        # Each position of the result, in the padded parts one after the other.
        index = torch.arange(joined.shape[dim], dtype=torch.int32, device=joined.device)
        source, begin, at = index, 0, 0
        for value in values:
            source = torch.where(index >= begin, index + (at - begin), source)
            begin, at = begin + ctx.count(value.dims[dim].real), at + value.dims[dim].padded
        joined = joined.index_select(dim, source.clamp(0, joined.shape[dim] - 1))
    return Value(joined, tuple(dims))


@rule(aten.stack.default)
def _stack(ctx: Interpretation, values: Sequence[Value], dim: int = 0) -> Value:
    values, dims = ctx.aligned(values)
    dim %= len(dims) + 1
    data = torch.stack([value.data for value in values], dim)
    return Value(
        data, (*(Dim(d.extents) for d in dims[:dim]), Dim.plain(len(values)), *(Dim(d.extents) for d in dims[dim:]))
    )


@rule(aten.constant_pad_nd.default)
def _constant_pad_nd(ctx: Interpretation, value: Value, pad: Sequence[Number], fill: Number = 0) -> Value:
    if any(not isinstance(amount, int) for amount in pad):
        raise UnboundedError("padding by an amount that varies")
    first = len(value.dims) - len(pad) // 2
    value = ctx.prefixed(value, range(first, len(value.dims)))
    dims = list(value.dims)
    for index in range(first, len(dims)):
        low, high = pad[2 * (len(dims) - 1 - index) :][:2]
        if (low, high) != (0, 0):
            dims[index] = ctx.prefix([ctx.shape()[index]])[0]
    return Value(aten.constant_pad_nd(ctx.filled(value, fill), pad, fill), tuple(dims))


@rule(aten.tril.default, aten.triu.default)
def _triangle(ctx: Interpretation, value: Value, diagonal: Number = 0) -> Value:
    value = ctx.prefixed(value, [-1, -2])
    if isinstance(diagonal, sympy.Expr) and not ctx.real(diagonal).is_number:
        raise UnboundedError("a diagonal that varies")
    return Value(ctx.call(value, diagonal), tuple(Dim(dim.extents) for dim in value.dims))


def _spread(ctx: Interpretation, grad: Value, dim: int, whole: Dim, start: Number, step: int = 1) -> Value:
    """Zeros of size `whole` along `dim` that hold `grad` from `start` on."""
    grad = ctx.prefixed(grad, [dim])
    part = grad.dims[dim]
    dims = (*grad.dims[:dim], whole, *grad.dims[dim + 1 :])
    data = ctx.filled(grad, 0, [dim])
    first = ctx.real(start)
    if first.is_number and (first >= 0 or not whole.is_padded):
        begin = int(first) if first >= 0 else max(int(first) + whole.padded, 0)
        stop = begin + (part.padded - 1) * step + 1
        if stop <= whole.padded:
            return Value(aten.slice_backward(data, [d.padded for d in dims], dim, begin, stop, step), dims)
    index = torch.arange(whole.padded, dtype=torch.int32, device=data.device) - _from_front(ctx, first, whole)
    source = torch.div(index, step, rounding_mode="floor")
    inside = (index >= 0) & (torch.remainder(index, step) == 0) & (source < ctx.count(part.real))
    spread = data.index_select(dim, source.clamp(0, part.padded - 1))
    return Value(spread.masked_fill(~inside.view([-1 if i == dim else 1 for i in range(len(dims))]), 0), dims)


@rule(aten.slice_backward.default)
def _slice_backward(
    ctx: Interpretation, grad: Value, shape: Sequence[Number], dim: int, start: Number, end: Number, step: int
) -> Value:
    dim = grad.dim(dim)
    (whole,) = ctx.prefix([ctx.shape()[dim]])
    if is_same(whole.real, grad.dims[dim].real):
        return grad
    return _spread(ctx, grad, dim, whole, start, step)


@rule(aten.select_backward.default)
def _select_backward(ctx: Interpretation, grad: Value, shape: Sequence[Number], dim: int, index: Number) -> Value:
    dim %= len(shape)
    (whole,) = ctx.prefix([ctx.shape()[dim]])
    row = Value(grad.data.unsqueeze(dim), (*grad.dims[:dim], Dim(), *grad.dims[dim:]))
    return _spread(ctx, row, dim, whole, index)
