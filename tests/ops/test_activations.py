"""Activation functions and their gradients against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

NAN, INF = float("nan"), float("inf")
VALUES = [0.0, -0.0, 3.0, -3.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, 6.0, 25.0, -25.0, 90.0, -90.0, NAN]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "prelu": lambda x: F.prelu(x, torch.tensor([0.3], dtype=x.dtype, device=x.device)),
    "elu": lambda x: F.elu(x, 1.5),
    "celu": lambda x: F.celu(x, 1.5),
    "selu": F.selu,
    "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "mish": F.mish,
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 2.5),
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "softplus": lambda x: F.softplus(x, 2.0, 15.0),
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "threshold": lambda x: F.threshold(x, 0.5, -7.0),
    "logsigmoid": F.logsigmoid,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "glu": lambda x: F.glu(x, 0),
    "logit": lambda x: torch.logit(x * 0.3 + 0.4, 0.2),
}

# The CPU's vector code and its scalar code give different gradients at NaN.
NAN_GRADIENT_VARIES = {"relu6", "hardtanh", "hardshrink", "softshrink"}


def value_and_gradient(call: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.detach().requires_grad_()
    y = call(x)
    weight = torch.linspace(-1, 2, y.numel(), device=x.device, dtype=x.dtype)
    (gradient,) = torch.autograd.grad(y, x, weight)
    return y.detach(), gradient


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_values_and_gradients(device: str, name: str) -> None:
    call = ACTIVATIONS[name]
    x = torch.tensor(VALUES)
    expected, actual = value_and_gradient(call, x), value_and_gradient(call, x.to(device))
    if name in NAN_GRADIENT_VARIES:
        expected[1][-1] = actual[1][-1] = 0
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_bfloat16_is_computed_in_float32(device: str, name: str) -> None:
    x = torch.linspace(-4, 4, 16).bfloat16()
    expected, expected_gradient = value_and_gradient(ACTIVATIONS[name], x.float())
    actual, actual_gradient = value_and_gradient(ACTIVATIONS[name], x.to(device))
    assert actual.dtype == actual_gradient.dtype == torch.bfloat16
    torch.testing.assert_close(actual.float().cpu(), expected, rtol=0.02, atol=0.02)
    # Gradients are rounded to bfloat16 on the way between the ops of which some of these consist.
    torch.testing.assert_close(actual_gradient.float().cpu(), expected_gradient, rtol=0.03, atol=0.05)


@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "hardswish", "leaky_relu", "softplus"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_shapes_and_strides(device: str, name: str, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    x = x.t() if x.dim() == 2 else x
    actual = ACTIVATIONS[name](x.to(device))
    torch.testing.assert_close(actual, ACTIVATIONS[name](x), check_device=False, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_glu_halves_any_dimension(device: str, dim: int) -> None:
    x = torch.randn(4, 6, 2)

    def call(x: Tensor) -> tuple[Tensor, ...]:
        x = x.detach().requires_grad_()
        y = F.glu(x, dim)
        return y.detach(), *torch.autograd.grad((y * y).sum(), x)

    torch.testing.assert_close(call(x.to(device)), call(x), check_device=False)


def test_prelu_has_a_slope_for_each_channel(device: str) -> None:
    def call(x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
        x, weight = x.detach().requires_grad_(), weight.detach().requires_grad_()
        y = F.prelu(x, weight)
        return y.detach(), *torch.autograd.grad((y * y).sum(), (x, weight))

    x, weight = torch.randn(2, 3, 4), torch.rand(3)
    torch.testing.assert_close(call(x.to(device), weight.to(device)), call(x, weight), check_device=False)


def test_relu_in_place_and_of_integers(device: str) -> None:
    x = torch.arange(-3, 4)
    assert torch.equal(F.relu(x.to(device)).cpu(), F.relu(x))
    y = torch.randn(5)
    on_device = y.to(device)
    assert F.relu_(on_device) is on_device
    assert torch.equal(on_device.cpu(), y.relu())


def test_complex_gradients_are_conjugated(device: str) -> None:
    z = torch.tensor([0.5 + 1j, -1 + 2j, 0.3 - 0.7j])

    def call(z: Tensor, function: Callable[[Tensor], Tensor]) -> Any:
        z = z.detach().requires_grad_()
        return torch.autograd.grad(torch.view_as_real(function(z)).sum(), z)

    for function in (torch.tanh, torch.sigmoid):
        torch.testing.assert_close(
            call(z.to(device), function), call(z, function), check_device=False, rtol=1e-5, atol=1e-5
        )
