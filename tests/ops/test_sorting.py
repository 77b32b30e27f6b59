"""Sorts, top k, medians, mode and running reductions against the CPU: order of equal elements, NaN, exact int64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

NAN = math.nan


def same(device: str, call: Callable[..., Any], *inputs: Tensor, **tolerance: float) -> None:
    """`call` gives the same values, dtypes and shapes on the device as on the CPU."""
    expected = call(*inputs)
    actual = call(*(x.to(device) for x in inputs))
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, **tolerance)


TIES = torch.tensor([[2.0, NAN, 1.0, 2.0, -0.0, 0.0, NAN, math.inf, 1.0, -math.inf], [3.0] * 10])
BIG = torch.tensor([2**53 + 1, 2**53, -(2**63), 2**63 - 1, 2**53 + 1])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_sort_is_stable_and_puts_nan_last(device: str, dtype: torch.dtype, descending: bool) -> None:
    same(device, lambda x: x.sort(dim=1, descending=descending, stable=True), TIES.to(dtype))


def test_sort_of_integers_and_booleans(device: str) -> None:
    same(device, lambda x: x.sort(stable=True), BIG)
    same(device, lambda x: x.sort(stable=True, descending=True), BIG)
    same(device, lambda x: x.sort(stable=True), torch.tensor([True, False, True, False]))
    same(device, lambda x: x.sort(dim=0, stable=True), torch.tensor([[200], [3], [255]], dtype=torch.uint8))


def test_sort_along_the_first_dim_of_a_view(device: str) -> None:
    same(device, lambda x: x.transpose(0, 1)[1:].sort(0), torch.randn(4, 6))
    same(device, lambda x: x.argsort(0, descending=True), torch.randn(4, 6))
    same(device, torch.msort, torch.randn(4, 6))


def test_empty_and_0_dim(device: str) -> None:
    for call in (torch.sort, lambda x: x.cumsum(0), lambda x: x.cummax(0), lambda x: x.topk(0)):
        same(device, call, torch.empty(0))
        same(device, call, torch.empty(3, 0).sum(1)[:0])
    for call in (torch.sort, lambda x: x.cumsum(0), lambda x: x.cummax(0), lambda x: x.topk(1), lambda x: x.kthvalue(1),
                 torch.mode, lambda x: x.median(0)):  # fmt: skip
        same(device, call, torch.tensor(3.5))


@pytest.mark.parametrize("largest", [True, False])
def test_top_k(device: str, largest: bool) -> None:
    x = torch.randperm(60).view(3, 20).float()
    x[1, 4] = NAN
    for k in (1, 5, 20):
        same(device, lambda x, k=k: x.topk(k, largest=largest), x)
    same(device, lambda x: x.topk(2, 0, largest), x.bfloat16())
    same(device, lambda x: x.topk(3, largest=largest), torch.randperm(20) + 2**53)


def test_top_k_of_a_long_dim_takes_nan_first(device: str) -> None:
    x = torch.randperm(3000).view(3, 1, 1000).float()
    x[1, 0, 7], x[2, 0, 5] = NAN, math.inf
    same(device, lambda x: x.topk(9), x)
    same(device, lambda x: x.topk(9, largest=False), x)
    same(device, lambda x: x[0, 0].topk(3), x.neg())


def test_kth_value_and_quantile(device: str) -> None:
    x = torch.randperm(21).view(3, 7).float()
    same(device, lambda x: x.kthvalue(3, 1), x)
    same(device, lambda x: x.quantile(0.3, dim=1), x)
    same(device, lambda x: x.quantile(x.new_tensor([0.1, 0.5])), x)
    x[1, 2] = NAN
    same(device, lambda x: x.nanquantile(0.6, dim=1), x)


def test_medians(device: str) -> None:
    x = torch.randperm(24).view(3, 8).float()
    x[1, 2] = x[1, 5] = NAN
    for call in (lambda x: x.median(1), lambda x: x.nanmedian(1), torch.median, torch.nanmedian, lambda x: x.median(0)):
        same(device, call, x)
    same(device, torch.nanmedian, torch.full((3,), NAN))


def test_mode(device: str) -> None:
    x = torch.tensor([[3, 1, 3, 1, 2], [5, 5, 5, 0, 0], [4, 3, 2, 1, 0]])
    same(device, lambda x: x.mode(1).values, x)
    actual = x.to(device).mode(1)
    assert torch.equal(x.gather(1, actual.indices.cpu()[:, None])[:, 0], actual.values.cpu())


@pytest.mark.parametrize("size", [1, 2, 7, 33])
def test_running_reductions(device: str, size: int) -> None:
    x = torch.randn(2, size, 3)
    for call in (lambda x: x.cumsum(1), lambda x: x.cumprod(1), lambda x: x.logcumsumexp(1)):
        same(device, call, x, rtol=1e-5, atol=1e-5)
    same(device, lambda x: x.cummax(1), x)


def test_running_extremes_of_ties_and_nan(device: str) -> None:
    x = torch.tensor([1.0, 3.0, 3.0, 2.0, NAN, 5.0, NAN, 1.0])
    same(device, lambda x: x.cummax(0), x)
    same(device, lambda x: x.cummin(0), x)
    same(device, lambda x: x.cummax(0), torch.tensor([2**53, 2**53 + 1, 5]))
    same(device, lambda x: x.cumsum(0), torch.tensor([True, False, True]))


def test_running_sums_of_infinities(device: str) -> None:
    same(device, lambda x: x.logcumsumexp(0), torch.tensor([-math.inf, -math.inf, 1.0, math.inf, math.inf, NAN, 0.0]))
    same(device, lambda x: x.cumsum(0), torch.arange(50).bfloat16())


def test_gradients(device: str) -> None:
    def call(x: Tensor) -> list[Tensor]:
        x = x.detach().requires_grad_()
        parts = [x.sort(0).values, x.topk(3).values, x.cumsum(1), x.cumprod(0), x.cummax(0).values, x.logcumsumexp(1)]
        return [torch.autograd.grad((y * y).sum(), x, retain_graph=True)[0] for y in parts]

    same(device, call, torch.randn(5, 6), rtol=1e-4, atol=1e-4)
