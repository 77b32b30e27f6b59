"""Reductions, norms and statistics against the CPU: NaN, ties, empty and 0-dim tensors, narrow dtypes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

NAN = float("nan")


def same(device: str, call: Callable[..., Any], *inputs: Tensor, **tolerance: float) -> None:
    """`call` gives the same values, dtypes and shapes on the device as on the CPU."""
    expected = call(*inputs)
    actual = call(*(x.to(device) for x in inputs))
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, **tolerance)


def with_nan() -> Tensor:
    x = torch.randn(4, 5, 6)
    x[1, 2, 3] = NAN
    x[2, :, 0] = NAN
    x[3, 1] = math.inf
    x[3, 2] = -math.inf
    return x


REDUCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x.sum(),
    "sum dims": lambda x: x.sum((0, 2), keepdim=True),
    "nansum": lambda x: x.nansum(1),
    "mean": lambda x: x.mean(-1),
    "prod": lambda x: x.prod(1),
    "amax": lambda x: x.amax((0, 1)),
    "amin": lambda x: x.amin(2, keepdim=True),
    "aminmax": lambda x: x.aminmax(dim=1),
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "max dim": lambda x: x.max(1),
    "min dim": lambda x: x.min(0, keepdim=True),
    "argmax": lambda x: x.argmax(),
    "argmin dim": lambda x: x.argmin(2),
    "any": lambda x: x.any(1),
    "all": lambda x: x.all(),
    "count_nonzero": lambda x: x.count_nonzero(0),
    "logsumexp": lambda x: x.logsumexp((1, 2)),
    "var_mean": lambda x: torch.var_mean(x, (0, 2)),
    "std": lambda x: x.std(correction=0),
    "norm": lambda x: torch.linalg.vector_norm(x, 2, (0, 1)),
    "norm inf": lambda x: torch.linalg.vector_norm(x, math.inf, 2),
    "norm -inf": lambda x: torch.linalg.vector_norm(x, -math.inf, 1),
    "norm 0": lambda x: torch.linalg.vector_norm(x, 0),
    "norm 3": lambda x: torch.linalg.vector_norm(x, 3.0, 1, dtype=torch.float64),
    "median": lambda x: x.median(),
    "median dim": lambda x: x.median(1),
    "nanmedian dim": lambda x: x.nanmedian(2),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_nan_and_infinity_go_where_the_cpu_puts_them(device: str, name: str) -> None:
    same(device, REDUCTIONS[name], with_nan())


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "max dim", "argmax", "var_mean", "logsumexp", "norm"])
def test_bfloat16_is_computed_in_float32(device: str, name: str) -> None:
    x = (torch.randn(3, 200, 2) + 3).bfloat16()
    expected = REDUCTIONS[name](x.float() if name != "prod" else x.float() / 3)
    actual = REDUCTIONS[name](x.to(device) if name != "prod" else (x.float() / 3).to(device).bfloat16())
    pairs = zip(expected, actual, strict=True) if isinstance(expected, tuple) else [(expected, actual)]
    for e, a in pairs:
        rough = {"rtol": 0.2, "atol": 0.0} if name == "prod" else {"rtol": 0.008, "atol": 0.008}
        torch.testing.assert_close(a.float().cpu(), e.float(), equal_nan=True, **rough)


def test_int64_is_exact(device: str) -> None:
    x = torch.tensor([[2**62, 3, -(2**61)], [-(2**62), 2**53 + 1, 2**53]])
    for call in (torch.sum, torch.prod, torch.max, torch.argmax, lambda x: x.max(1), lambda x: x.sum(0), torch.median):
        same(device, call, x)


def test_bool_and_small_integers(device: str) -> None:
    flags = torch.tensor([[True, False, True], [False, False, False]])
    for call in (torch.sum, lambda x: x.any(1), lambda x: x.all(0), lambda x: x.max(1), torch.prod):
        same(device, call, flags)
    numbers = torch.tensor([[3, 200, 0], [255, 1, 255]], dtype=torch.uint8)
    for call in (torch.sum, lambda x: x.any(1), lambda x: x.all(0), lambda x: x.max(1), torch.aminmax):
        same(device, call, numbers)


def test_ties_take_the_first_position(device: str) -> None:
    x = torch.tensor([[1.0, 3.0, 3.0], [NAN, 5.0, NAN], [-math.inf] * 3])
    for call in (lambda x: x.max(1), lambda x: x.min(1), lambda x: x.argmax(1), lambda x: x.argmin(0), torch.argmax):
        same(device, call, x)


def test_empty_and_0_dim(device: str) -> None:
    empty = torch.empty(0, 3)
    for call in (torch.sum, torch.mean, torch.prod, torch.any, torch.all, lambda x: x.sum(0), lambda x: x.amax(1),
                 lambda x: x.argmax(1), lambda x: x.logsumexp(0), torch.var, torch.linalg.vector_norm,
                 torch.median):  # fmt: skip
        same(device, call, empty)
    scalar = torch.tensor(2.5)
    for call in (torch.sum, torch.max, torch.argmax, lambda x: x.max(0), lambda x: x.amax(-1), torch.median,
                 lambda x: x.mean(0), lambda x: x.logsumexp(0), lambda x: x.var(0), lambda x: x.norm()):  # fmt: skip
        same(device, call, scalar)


def test_variance_is_two_pass(device: str) -> None:
    x = torch.randn(1000) + 10_000
    same(device, torch.var, x, rtol=1e-4, atol=0.0)


def test_complex(device: str) -> None:
    x = torch.randn(3, 4, dtype=torch.complex64)
    for call in (torch.sum, torch.mean, torch.var, lambda x: x.norm(dim=1), lambda x: x.any(0), torch.count_nonzero):
        same(device, call, x)


def test_non_contiguous(device: str) -> None:
    same(device, lambda x: x.transpose(0, 2)[::2, :, 1:].sum((0, 1)), torch.randn(4, 5, 6))
    same(device, lambda x: x.permute(2, 0, 1).max(1), torch.randn(4, 5, 6))


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
def test_distances_and_their_gradients(device: str, p: float) -> None:
    def call(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        across, within = torch.cdist(a, b, p), torch.nn.functional.pdist(a[0], p)
        return across, within, *torch.autograd.grad([(across * across).sum(), (within * within).sum()], [a, b])

    same(device, call, torch.randn(2, 4, 3), torch.randn(2, 5, 3), rtol=1e-4, atol=1e-4)


def test_many_distances_by_matrix_product(device: str) -> None:
    same(device, torch.cdist, torch.randn(30, 8), torch.randn(40, 8), rtol=1e-4, atol=1e-4)


def test_renorm_and_weight_norm(device: str) -> None:
    same(device, lambda x: x.renorm(2, 0, 1.5), torch.randn(4, 3))
    same(device, lambda v, g: torch._weight_norm(v, g, 0), torch.randn(4, 3, 2), torch.randn(4, 1, 1))


def test_gradients(device: str) -> None:
    def call(x: Tensor) -> list[Tensor]:
        x = x.detach().requires_grad_()
        losses = [x.mean(0), x.prod(1), x.amax(1), x.max(1).values, x.std(1), x.logsumexp(0), x.norm(dim=0)]
        losses.append(x.median(0).values)
        return [torch.autograd.grad((y * y).sum(), x, retain_graph=True)[0] for y in losses]

    same(device, call, torch.randn(5, 7), rtol=1e-4, atol=1e-4)
