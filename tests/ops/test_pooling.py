"""Pooling against the CPU: windows, indices, NaN and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

POOLS: dict[str, Callable[[Tensor], Tensor | tuple[Tensor, Tensor]]] = {
    "max": lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
    "max dilated": lambda x: F.max_pool2d(x, (3, 2), 1, 1, dilation=2, return_indices=True),
    "max ceil": lambda x: F.max_pool2d(x, (2, 3), (2, 3), ceil_mode=True, return_indices=True),
    "max large": lambda x: F.max_pool2d(x, (8, 7), 1, 3, return_indices=True),
    "max 1d": lambda x: F.max_pool1d(x.flatten(0, 1), 3),
    "max 3d": lambda x: F.max_pool3d(x, 2, return_indices=True),
    "adaptive max": lambda x: F.adaptive_max_pool2d(x, (4, 5), return_indices=True),
    "average": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "average ceil": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "average inside": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "average divisor": lambda x: F.avg_pool2d(x, (2, 3), divisor_override=5),
    "average large": lambda x: F.avg_pool2d(x, (9, 10), 2, (2, 1)),
    "average 1d": lambda x: F.avg_pool1d(x.flatten(0, 1), 3, 2),
    "average 3d": lambda x: F.avg_pool3d(x, (1, 3, 2), 2),
    "adaptive average": lambda x: F.adaptive_avg_pool2d(x, (4, 5)),
    "adaptive even": lambda x: F.adaptive_avg_pool2d(x, (3, 1)),
    "adaptive larger": lambda x: F.adaptive_avg_pool2d(x, (14, 25)),
    "adaptive 3d": lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)),
}


def step(name: str, x: Tensor) -> list[Tensor]:
    x = x.detach().requires_grad_()
    result = POOLS[name](x)
    results = list(result) if isinstance(result, tuple) else [result]
    weights = torch.arange(results[0].numel()).view(results[0].shape).cos().to(x.device)
    return [*(r.detach() for r in results), *torch.autograd.grad(results[0], (x,), weights)]


@pytest.mark.parametrize("name", POOLS)
def test_pools_match_the_cpu(device: str, name: str) -> None:
    x = torch.randn(2, 3, 9, 11)
    for actual, expected in zip(step(name, x.to(device)), step(name, x), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["max", "max dilated", "adaptive max"])
def test_nan_wins_and_ties_go_to_the_first(device: str, name: str) -> None:
    x = torch.randint(0, 3, (2, 3, 9, 11)).float()
    x[0, 0, 2:5, 3] = math.nan
    x[1] = -math.inf
    for actual, expected in zip(step(name, x.to(device)), step(name, x), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64, torch.uint8], ids=str)
def test_other_dtypes(device: str, dtype: torch.dtype) -> None:
    x = torch.randint(0, 50, (1, 2, 7, 7)).to(dtype)
    expected, indices = F.max_pool2d(x, 3, 2, return_indices=True)
    actual, actual_indices = F.max_pool2d(x.to(device), 3, 2, return_indices=True)
    assert torch.equal(actual.cpu(), expected)
    assert torch.equal(actual_indices.cpu(), indices)


def test_empty_batch_and_unbatched(device: str) -> None:
    assert F.max_pool2d(torch.randn(0, 3, 6, 6, device=device), 2).shape == (0, 3, 3, 3)
    x = torch.randn(3, 6, 6)
    torch.testing.assert_close(F.avg_pool2d(x.to(device), 2).cpu(), F.avg_pool2d(x, 2))


def test_unpooling(device: str) -> None:
    x = torch.randn(2, 3, 6, 8)
    pooled, indices = F.max_pool2d(x, 2, return_indices=True)
    expected = F.max_unpool2d(pooled, indices, 2)
    torch.testing.assert_close(F.max_unpool2d(pooled.to(device), indices.to(device), 2).cpu(), expected)
