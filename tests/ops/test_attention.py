"""Scaled dot product attention: one program forward, one backward, with the CPU's numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 4, 6, 8), (2, 4, 7, 8), {}),
    "causal": ((2, 4, 6, 8), (2, 4, 6, 8), {"is_causal": True}),
    "causal with more keys": ((2, 4, 3, 8), (2, 4, 7, 8), {"is_causal": True}),
    "scale": ((2, 4, 6, 8), (2, 4, 7, 8), {"scale": 0.3}),
    "shared key heads": ((2, 4, 6, 8), (2, 2, 7, 8), {"enable_gqa": True}),
    "one query": ((2, 4, 1, 8), (2, 4, 7, 8), {}),
    "three dimensions": ((4, 6, 8), (4, 7, 8), {}),
    "broadcast batch": ((2, 4, 6, 8), (1, 4, 7, 8), {}),
}


def step(device: str, dtype: torch.dtype, case: str, mask: Tensor | None = None) -> list[Tensor]:
    query, key, options = CASES[case]
    torch.manual_seed(0)
    leaves = [torch.randn(s).to(dtype).to(device).requires_grad_() for s in (query, key, key)]
    mask = None if mask is None else mask.to(device)
    if mask is not None and mask.is_floating_point():
        mask = mask.to(dtype).requires_grad_()
        leaves.append(mask)
    y = F.scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], mask, **options)
    weights = torch.arange(y.numel()).view(y.shape).cos().to(dtype).to(device)
    return [y.detach(), *torch.autograd.grad(y, leaves, weights)]


@pytest.mark.parametrize("case", CASES)
def test_attention_matches_the_cpu(device: str, case: str) -> None:
    for actual, expected in zip(step(device, torch.float32, case), step("cpu", torch.float32, case), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", ["plain", "causal", "shared key heads"])
def test_bfloat16_is_near_float32(device: str, case: str) -> None:
    for actual, expected in zip(step(device, torch.bfloat16, case), step("cpu", torch.float32, case), strict=True):
        torch.testing.assert_close(actual.cpu().float(), expected, rtol=0.05, atol=0.06)


def test_float64_gradients_are_float64_accurate(device: str) -> None:
    for actual, expected in zip(
        step(device, torch.float64, "causal"), step("cpu", torch.float64, "causal"), strict=True
    ):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", [(6, 7), (2, 1, 6, 7), (1, 4, 1, 7)], ids=str)
def test_additive_masks_and_their_gradient(device: str, shape: tuple[int, ...]) -> None:
    mask = torch.randn(shape)
    mask[..., 3] = -math.inf
    for actual, expected in zip(
        step(device, torch.float32, "plain", mask), step("cpu", torch.float32, "plain", mask), strict=True
    ):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-4)


def test_a_query_that_may_see_nothing_gets_zeros(device: str) -> None:
    mask = torch.ones(6, 7, dtype=torch.bool)
    mask[2] = False
    results = step(device, torch.float32, "plain", mask)
    assert all(r.isfinite().all() for r in (r.cpu() for r in results))
    assert results[0][:, :, 2].cpu().count_nonzero() == 0
    assert results[1][:, :, 2].cpu().count_nonzero() == 0
    torch.testing.assert_close(results[0].cpu(), step("cpu", torch.float32, "plain", mask)[0], rtol=1e-4, atol=1e-4)


def test_dropout_is_the_same_forward_and_backward(device: str) -> None:
    keys = 64
    query = torch.zeros(1, 2, 16, 8, device=device)
    key = torch.zeros(1, 2, keys, 8, device=device)
    value = torch.eye(keys, device=device).expand(1, 2, keys, keys).contiguous().requires_grad_()
    y = F.scaled_dot_product_attention(query, key, value, dropout_p=0.25)
    # Each output entry is the weight of one key: 0, or 1 / keys scaled by what survives.
    kept = y.detach().cpu() != 0
    assert 0.65 < kept.float().mean() < 0.85
    torch.testing.assert_close(y.detach().cpu()[kept], torch.full((int(kept.sum()),), 1 / keys / 0.75))
    (grad,) = torch.autograd.grad(y.sum(), (value,))
    expected = y.detach().cpu().sum(2)
    torch.testing.assert_close(grad.cpu()[..., 0], expected, rtol=1e-4, atol=1e-4)


def test_one_program_a_direction(device: str, stats: dict[str, int], strict_mode: None) -> None:
    leaves = [torch.randn(1, 2, 5, 8, device=device, requires_grad=True) for _ in range(3)]
    before = stats["launches"]
    y = F.scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], is_causal=True)
    assert stats["launches"] == before + 1
    grad = torch.ones_like(y)
    before = stats["launches"]
    torch.autograd.grad(y, leaves, grad)
    assert stats["launches"] == before + 1
