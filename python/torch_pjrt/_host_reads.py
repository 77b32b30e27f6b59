"""Operators whose result cannot be announced before a number was read from the device: a size, or a yes or no.

`TABLE` maps an overload to a function of its arguments, as PyTorch's own decompositions are. All else is on the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

__all__ = ["TABLE"]

aten = torch.ops.aten


def repeat_interleave(repeats: Tensor, *, output_size: int | None = None) -> Tensor:
    """Position i, `repeats[i]` times. Reads the sum of `repeats` unless `output_size` is given."""
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype not in (torch.int64, torch.int32):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if repeats.numel() == 0:
        return torch.empty_like(repeats)
    ends = repeats.cumsum(0, dtype=repeats.dtype)
    if output_size is None:
        output_size, least = torch.stack([ends[-1], repeats.min()]).tolist()
        if least < 0:
            raise RuntimeError("repeats can not be negative")
    places = torch.arange(output_size, dtype=repeats.dtype, device=repeats.device)
    return torch.searchsorted(ends, places, right=True, out_int32=repeats.dtype == torch.int32)


def bincount(self: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Number or weight of each value. Reads the largest value."""
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    dtype = torch.int64 if weights is None else torch.float32 if weights.dtype == torch.float32 else torch.float64
    if self.dim() == 1 and self.numel() == 0:
        return torch.zeros(minlength, dtype=torch.int64, device=self.device)
    if self.dim() != 1:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != self.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    least, most = torch.stack(torch.aminmax(self)).tolist()
    if least < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    counts = torch.zeros(max(most + 1, minlength), dtype=dtype, device=self.device)
    amounts = torch.ones_like(self, dtype=dtype) if weights is None else weights.to(dtype)
    return counts.index_add_(0, self.long(), amounts)


def equal(self: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same sizes and elements. Reads one boolean."""
    if self.shape != other.shape:
        return False
    return bool((self == other).all())


TABLE: dict[OpOverload, Callable[..., Any]] = {
    aten.repeat_interleave.Tensor: repeat_interleave,
    aten.bincount.default: bincount,
    aten.equal.default: equal,
}
