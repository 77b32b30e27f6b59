"""What does not change a reduction."""

from __future__ import annotations

import math
from typing import Any

import torch

__all__ = ["highest", "lowest", "sum_dtype"]


def lowest(dtype: torch.dtype) -> Any:
    """The identity of max."""
    if dtype == torch.bool:
        return False
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def highest(dtype: torch.dtype) -> Any:
    """The identity of min."""
    if dtype == torch.bool:
        return True
    return math.inf if dtype.is_floating_point else torch.iinfo(dtype).max


def sum_dtype(dtype: torch.dtype) -> torch.dtype:
    """In which elements of `dtype` are added up."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
