"""Convolutions of 1 to 3 dimensions, plain and transposed, forward and backward, against the CPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

# Spatial sizes, input and weight channels (out, in per group), kernel, options; transposed where "output_padding" is
# given.
CASES: dict[str, tuple[tuple[int, ...], int, tuple[int, ...], dict[str, Any]]] = {
    "1d": ((9,), 4, (6, 4, 3), {"stride": 2, "padding": 1}),
    "2d": ((7, 8), 4, (6, 4, 3, 2), {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}),
    "2d groups": ((7, 8), 4, (6, 2, 3, 3), {"groups": 2, "padding": 1}),
    "2d depthwise": ((7, 8), 4, (4, 1, 3, 3), {"groups": 4, "padding": 1}),
    "2d patches": ((8, 8), 3, (5, 3, 4, 4), {"stride": 4}),
    "2d many channels": ((5, 5), 80, (40, 80, 3, 3), {"padding": 1}),
    "2d unused edge": ((8, 8), 2, (3, 2, 3, 3), {"stride": 4}),
    "3d": ((4, 5, 6), 2, (3, 2, 2, 3, 2), {"padding": (0, 1, 1)}),
    "1d transposed": ((5,), 4, (4, 3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
    "2d transposed": ((4, 5), 4, (4, 3, 3, 2), {"stride": (3, 2), "dilation": (2, 1), "output_padding": 1}),
    "2d transposed groups": ((4, 5), 4, (4, 3, 3, 3), {"groups": 2, "output_padding": 0}),
    "2d transposed wide": ((3, 3), 2, (2, 2, 2, 2), {"stride": 1, "dilation": 3, "output_padding": 2}),
    "3d transposed": ((3, 2, 3), 2, (2, 3, 2, 2, 2), {"stride": 2, "output_padding": 0}),
}


def convolve(x: Tensor, weight: Tensor, bias: Tensor, options: dict[str, Any]) -> Tensor:
    name = f"conv{'_transpose' if 'output_padding' in options else ''}{x.dim() - 2}d"
    result: Tensor = getattr(F, name)(x, weight, bias, **options)
    return result


def step(case: str, device: str, dtype: torch.dtype) -> list[Tensor]:
    spatial, channels, shape, options = CASES[case]
    torch.manual_seed(0)
    outputs = shape[1] * options.get("groups", 1) if "output_padding" in options else shape[0]
    arguments = [torch.randn(2, channels, *spatial), torch.randn(shape), torch.randn(outputs)]
    arguments = [a.to(dtype).to(device).requires_grad_() for a in arguments]
    y = convolve(arguments[0], arguments[1], arguments[2], options)
    weights = torch.arange(y.numel()).view(y.shape).cos().to(dtype).to(device)
    return [y.detach(), *torch.autograd.grad(y, arguments, weights)]


@pytest.mark.parametrize("case", CASES)
def test_convolutions_match_the_cpu(device: str, case: str) -> None:
    for actual, expected in zip(step(case, device, torch.float32), step(case, "cpu", torch.float32), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", ["1d", "2d groups", "2d depthwise", "2d transposed"])
def test_bfloat16_sums_in_float32(device: str, case: str) -> None:
    for actual, expected in zip(step(case, device, torch.bfloat16), step(case, "cpu", torch.float32), strict=True):
        torch.testing.assert_close(actual.cpu().float(), expected, rtol=0.05, atol=0.05)


def test_an_empty_batch(device: str) -> None:
    x = torch.randn(0, 3, 6, 6, device=device, requires_grad=True)
    weight = torch.randn(4, 3, 3, 3, device=device, requires_grad=True)
    y = F.conv2d(x, weight)
    assert y.shape == (0, 4, 4, 4)
    grad_x, grad_weight = torch.autograd.grad(y.sum(), (x, weight))
    assert grad_x.shape == x.shape
    assert grad_weight.cpu().count_nonzero() == 0


def test_channels_last_and_frozen_weights(device: str) -> None:
    x = torch.randn(2, 3, 6, 6).to(memory_format=torch.channels_last)
    weight = torch.randn(4, 3, 3, 3)
    on_device = x.to(device).requires_grad_()
    y = F.conv2d(on_device, weight.to(device))
    torch.testing.assert_close(y.detach().cpu(), F.conv2d(x, weight), rtol=1e-4, atol=1e-4)
    (grad,) = torch.autograd.grad(y.sum(), (on_device,))
    expected = torch.nn.grad.conv2d_input(x.shape, weight, torch.ones(2, 4, 4, 4))  # type: ignore[no-untyped-call]
    torch.testing.assert_close(grad.cpu(), expected, rtol=1e-4, atol=1e-4)
