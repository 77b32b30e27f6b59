"""Operators that work on each element alone."""

from __future__ import annotations

from typing import Any

import sympy
import torch
from torch.utils._pytree import tree_flatten, tree_map

from torch_pjrt.bucketing.interpretation import Interpretation, Value, rule
from torch_pjrt.bucketing.padded import UnboundedError

aten = torch.ops.aten


@rule(torch.Tag.pointwise, aten._to_copy.default, aten.clone.default, aten.detach.default, aten.alias.default,
      aten.lift_fresh_copy.default, aten.masked_fill.Scalar, aten.masked_fill.Tensor,
      aten.gelu_backward.default)  # fmt: skip
def pointwise(ctx: Interpretation, *args: Any, **kwargs: Any) -> Any:
    values = [leaf for leaf in tree_flatten((args, kwargs))[0] if isinstance(leaf, Value)]
    aligned, dims = ctx.aligned(values)
    places = {id(value): place for value, place in zip(values, aligned, strict=True)}
    target: Any = ctx.node.target
    numbers = [arg for arg in tree_flatten((args, kwargs))[0] if isinstance(arg, sympy.Expr)]
    if any(not ctx.real(number).is_number for number in numbers):
        # A size as an operand: the tensor overload takes it as a 0-dim tensor.
        target = getattr(target.overloadpacket, "Tensor", target)

    def unwrapped(leaf: Any) -> Any:
        if isinstance(leaf, Value):
            return places[id(leaf)].data
        if isinstance(leaf, sympy.Expr):
            count = ctx.count(leaf)
            if not isinstance(count, torch.Tensor):
                return count
            if count.is_floating_point() and ctx.node.meta["val"].dtype == torch.float64:
                raise UnboundedError("a float64 number that varies with the size")
            return count if count.is_floating_point() else count.long()
        return leaf

    args, kwargs = tree_map(unwrapped, (args, kwargs))
    kwargs.pop("memory_format", None)
    return Value(target(*args, **kwargs), tuple(dims))
