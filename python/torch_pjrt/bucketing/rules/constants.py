"""Tensors made from nothing but a shape."""

from __future__ import annotations

from typing import Any

import sympy
import torch

from torch_pjrt.bucketing.interpretation import Interpretation, Number, Value, rule
from torch_pjrt.bucketing.padded import Dim

aten = torch.ops.aten


@rule(aten.full.default, aten.zeros.default, aten.ones.default, aten.empty.memory_format, aten.full_like.default,
      aten.zeros_like.default, aten.ones_like.default, aten.empty_like.default, aten.new_zeros.default,
      aten.new_ones.default, aten.new_full.default, aten.new_empty.default, aten.empty_strided.default,
      aten.new_empty_strided.default)  # fmt: skip
def _constant(ctx: Interpretation, *args: Any, **kwargs: Any) -> Value:
    meta = ctx.node.meta["val"]
    shape = ctx.shape()
    name = ctx.node.target.overloadpacket.__name__  # type: ignore[union-attr]
    fill: Any = 1 if "ones" in name else 0
    if "full" in name:
        fill = kwargs.get("fill_value", args[-1])
    if isinstance(fill, sympy.Expr):
        fill = ctx.count(fill)
    sizes = [ctx.padded(size) for size in shape]
    data = torch.empty(sizes, dtype=meta.dtype, device=meta.device)
    data = data.copy_(fill.expand(sizes)) if isinstance(fill, torch.Tensor) else data.fill_(fill)
    return Value(data, tuple(Dim.of(dim.extents, constant=True) for dim in ctx.prefix(shape)))


@rule(aten.arange.default, aten.arange.start, aten.arange.start_step)
def _arange(ctx: Interpretation, *args: Number, **kwargs: Any) -> Value:
    # Some arguments are named when the call has them so.
    start, step = (0, 1) if len(args) == 1 else (args[0], args[2] if len(args) > 2 else 1)
    meta = ctx.node.meta["val"]
    (size,) = ctx.shape()
    positions = torch.arange(ctx.padded(size), dtype=meta.dtype, device=meta.device)
    step, start = (ctx.count(n) if isinstance(n, sympy.Expr) else n for n in (step, start))
    if (step, start) != (1, 0):
        positions = (positions * step + start).to(meta.dtype)
    return Value(positions, tuple(ctx.prefix([size])))


@rule(aten.scalar_tensor.default)
def _scalar_tensor(ctx: Interpretation, number: Number, **kwargs: Any) -> Value:
    meta = ctx.node.meta["val"]
    return Value(ctx.count(number).to(meta.dtype), ())
