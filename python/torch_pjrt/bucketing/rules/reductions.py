"""Sums, extremes, statistics, running sums and sorts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import Dim, UnboundedError
from torch_pjrt.bucketing.rules.identities import highest, lowest, sum_dtype

aten = torch.ops.aten


def _reduced_dims(value: Value, dim: Any) -> list[int]:
    if dim is None or (isinstance(dim, (list, tuple)) and len(dim) == 0):
        return list(range(len(value.dims)))
    return [value.dim(d) for d in (dim if isinstance(dim, (list, tuple)) else [dim])]


def _kept(value: Value, dims: Sequence[int], keepdim: bool) -> tuple[Dim, ...]:
    kept = [Dim() if index in dims else Dim(dim.extents) for index, dim in enumerate(value.dims)]
    return tuple(dim for index, dim in enumerate(kept) if keepdim or index not in dims)


def _zero(dtype: torch.dtype) -> Any:
    return 0


def _one(dtype: torch.dtype) -> Any:
    return 1


_IDENTITIES: dict[Any, Callable[[torch.dtype], Any]] = {
    aten.sum: _zero,
    aten.nansum: _zero,
    aten.prod: _one,
    aten.amax: lowest,
    aten.amin: highest,
    aten.max: lowest,
    aten.min: highest,
    aten.argmax: lowest,
    aten.argmin: highest,
    aten.any: _zero,
    aten.all: _one,
    aten.logsumexp: lowest,
    aten.count_nonzero: _zero,
}


@rule(aten.sum.dim_IntList, aten.sum.default, aten.nansum.default, aten.prod.default, aten.prod.dim_int,
      aten.amax.default, aten.amin.default, aten.max.default, aten.min.default, aten.max.dim, aten.min.dim,
      aten.argmax.default, aten.argmin.default, aten.any.default, aten.any.dim, aten.any.dims, aten.all.default,
      aten.all.dim, aten.all.dims, aten.logsumexp.default, aten.count_nonzero.dim_IntList,
      aten.count_nonzero.default)  # fmt: skip
def _reduce(ctx: Interpretation, value: Value, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> Any:
    target: Any = ctx.node.target
    if target.overloadpacket in (aten.argmax, aten.argmin) and dim is None:
        raise UnboundedError("a position in a flattened tensor")
    dims = _reduced_dims(value, dim)
    if target in (aten.max.dim, aten.min.dim, aten.argmax.default, aten.argmin.default):
        # Of equal elements the first one's position counts, so the padding has to come after them all.
        value = ctx.prefixed(value, dims)
    masked = ctx.filled(value, _IDENTITIES[target.overloadpacket](value.data.dtype), dims)
    named = {name for name in ("dim", "keepdim") if any(argument.name == name for argument in target._schema.arguments)}
    arguments = {"dim": dim, "keepdim": keepdim}
    results = target(
        masked, **{name: arguments[name] for name in named if dim is not None or name == "keepdim"}, **kwargs
    )
    kept = _kept(value, dims, keepdim)
    if isinstance(results, torch.Tensor):
        return Value(results, kept)
    return tuple(Value(result, kept) for result in results)


def mean_of(ctx: Interpretation, value: Value, dims: list[int], dtype: torch.dtype) -> torch.Tensor:
    """With dimensions of 1."""
    total = ctx.filled(value, 0, dims).to(sum_dtype(dtype)).sum(dims, keepdim=True) if dims else value.data.to(dtype)
    mean: torch.Tensor = total / ctx.count_of(value, dims)
    return mean


@rule(aten.mean.default, aten.mean.dim)
def _mean(
    ctx: Interpretation, value: Value, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Value:
    dims = _reduced_dims(value, dim)
    dtype = dtype or value.data.dtype
    kept = _kept(value, dims, keepdim)
    return Value(mean_of(ctx, value, dims, dtype).to(dtype).reshape([d.padded for d in kept]), kept)


def _variance(
    ctx: Interpretation, value: Value, dim: Any, correction: Any, keepdim: bool
) -> tuple[torch.Tensor, torch.Tensor, tuple[Dim, ...]]:
    """In two passes, as the unpadded operator."""
    dims = _reduced_dims(value, dim)
    dtype = value.data.dtype
    if dtype.is_complex:
        raise UnboundedError("a complex variance")
    mean = mean_of(ctx, value, dims, dtype)
    wide = Value((value.data.to(mean.dtype) - mean).square(), value.dims)
    total = ctx.filled(wide, 0, dims).sum(dims, keepdim=True)
    degrees = ctx.count_of(value, dims) - (1 if correction is None else correction)
    degrees = degrees.clamp(min=0) if isinstance(degrees, torch.Tensor) else max(degrees, 0)
    kept = _kept(value, dims, keepdim)
    shape = [d.padded for d in kept]
    return (total / degrees).reshape(shape), mean.reshape(shape), kept


@rule(aten.var.correction, aten.std.correction, aten.var_mean.correction, aten.std_mean.correction)
def _var(ctx: Interpretation, value: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    variance, mean, kept = _variance(ctx, value, dim, correction, keepdim)
    packet = ctx.node.target.overloadpacket  # type: ignore[union-attr]
    spread = variance.sqrt() if packet in (aten.std, aten.std_mean) else variance
    result = Value(spread.to(value.data.dtype), kept)
    return result if packet in (aten.var, aten.std) else (result, Value(mean.to(value.data.dtype), kept))


@rule(aten.linalg_vector_norm.default)
def _vector_norm(
    ctx: Interpretation, value: Value, order: float = 2, dim: Any = None, keepdim: bool = False, **kwargs: Any
) -> Value:
    if order < 0:
        raise UnboundedError("a norm of negative order")
    dims = _reduced_dims(value, dim)
    return Value(
        aten.linalg_vector_norm(ctx.filled(value, 0, dims), order, dims, keepdim, **kwargs), _kept(value, dims, keepdim)
    )


@rule(aten.cumsum.default, aten.cumprod.default, aten.logcumsumexp.default, aten.cummax.default, aten.cummin.default)
def _cumulative(ctx: Interpretation, value: Value, dim: int, **kwargs: Any) -> Any:
    value = ctx.prefixed(value, [dim])
    results = ctx.call(value, dim, **kwargs)
    dims = tuple(Dim(d.extents) for d in value.dims)
    if isinstance(results, torch.Tensor):
        return Value(results, dims)
    return tuple(Value(result, dims) for result in results)


@rule(aten.sort.default, aten.sort.stable, aten.topk.default)
def _sort(ctx: Interpretation, value: Value, *args: Any, **kwargs: Any) -> Any:
    given = {argument.name: arg for argument, arg in zip(ctx.node.target._schema.arguments[1:], args, strict=False)}  # type: ignore[union-attr]
    given.update(kwargs)
    dim = value.dim(given.get("dim", -1))
    descends = given.get("largest", True) if "k" in given else given.get("descending", False)
    value = ctx.prefixed(value, [dim])
    whole = value.dims[dim]
    dtype = value.data.dtype
    # After the value's elements: NaN is the largest of all.
    last = lowest(dtype) if descends else math.nan if dtype.is_floating_point else highest(dtype)
    masked = ctx.filled(value, last, [dim])
    dims = [Dim(d.extents) for d in value.dims]
    if "k" in given:
        k = ctx.real(given["k"])
        if not k.is_number:
            raise UnboundedError("the number of the largest elements varies")
        results = aten.topk(masked, int(k), dim, descends, given.get("sorted", True))
        dims[dim] = Dim.plain(int(k))
    else:
        results = aten.sort.stable(masked, stable=True, dim=dim, descending=descends)
        dims[dim] = Dim(whole.extents)
    return tuple(Value(result, tuple(dims)) for result in results)
