"""Creation, joins, flips, repeats and writes into slices and diagonals, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

NAN = float("nan")


def agree(function: Callable[[str], Any], device: str) -> None:
    """`function` of the device's name gives there what it gives on the CPU."""
    actual, expected = function(device), function("cpu")
    pairs = zip(actual, expected, strict=True) if isinstance(expected, (tuple, list)) else [(actual, expected)]
    for a, e in pairs:
        assert a.device.type == torch.device(device).type
        torch.testing.assert_close(a.cpu(), e, equal_nan=True)


CREATION: dict[str, Callable[[str], Any]] = {
    "arange": lambda d: torch.arange(5, device=d),
    "arange step": lambda d: torch.arange(7, -3, -2, device=d),
    "arange float": lambda d: torch.arange(0.5, 2.0, 0.3, device=d),
    "arange float to int": lambda d: torch.arange(0.5, 9.7, 2.0, dtype=torch.int32, device=d),
    "arange wide": lambda d: torch.arange(2**40, 2**40 + 3, device=d),
    "arange bfloat16": lambda d: torch.arange(5, dtype=torch.bfloat16, device=d),
    "arange empty": lambda d: torch.arange(3, 3, device=d),
    "arange out": lambda d: torch.arange(1, 4, out=torch.empty(0, dtype=torch.int64, device=d)),
    "linspace": lambda d: torch.linspace(-1, 2, 7, device=d),
    "linspace one": lambda d: torch.linspace(3, 9, 1, device=d),
    "linspace none": lambda d: torch.linspace(3, 9, 0, device=d),
    "linspace int": lambda d: torch.linspace(-10, 10, 6, dtype=torch.int64, device=d),
    "linspace complex": lambda d: torch.linspace(1, 2j, 3, dtype=torch.complex64, device=d),
    "linspace tensors": lambda d: torch.linspace(torch.tensor(1.0, device=d), torch.tensor(2.0, device=d), 3, device=d),
    "logspace": lambda d: torch.logspace(-1, 2, 4, base=3.0, device=d),
    "eye": lambda d: torch.eye(3, device=d),
    "eye wide": lambda d: torch.eye(2, 4, dtype=torch.bool, device=d),
    "full": lambda d: torch.full((2, 3), 2.5, device=d),
    "full bool": lambda d: torch.full((2,), True, device=d),
    "full like": lambda d: torch.full_like(torch.ones(2, 2, device=d), 7, dtype=torch.int32),
    "fill": lambda d: torch.empty(2, 3, device=d).fill_(torch.tensor(4, device=d)),
    "fill a view": lambda d: torch.zeros(3, 4, device=d)[:, 1:3].fill_(2),
    "scalar tensor": lambda d: torch.tensor([3, 4], device=d)[1].clone(),
}

MOVEMENT: dict[str, Callable[[Tensor], Any]] = {
    "cat": lambda x: torch.cat([x, x[:, :1], x[:, :0]], 1),
    "cat with an empty one": lambda x: torch.cat([x.new_empty(0), x], -1),
    "cat of dtypes": lambda x: torch.cat([x, torch.ones(1, 4, 3, dtype=torch.int64, device=x.device)]),
    "cat of views": lambda x: torch.cat([x.transpose(1, 2), x.flip(0).transpose(1, 2)]),
    "stack": lambda x: torch.stack([x, x * 2], -1),
    "stack of numbers": lambda x: torch.stack([x[0, 0, 0], x[1, 1, 1]]),
    "hstack": lambda x: torch.hstack([x[0], x[1]]),
    "flip": lambda x: x.flip(0, -1),
    "roll": lambda x: x.roll((1, -2), (0, 1)),
    "roll flat": lambda x: x.roll(5),
    "roll far": lambda x: x.roll(-100, 1),
    "repeat": lambda x: x.repeat(2, 1, 2, 1),
    "repeat nothing": lambda x: x.repeat(0, 1, 1),
    "tile": lambda x: x.tile(2),
    "rot90": lambda x: x.rot90(1, (1, 2)),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :2] * 9, 1, 0, 3, 2),
    "slice_scatter to the end": lambda x: x.slice_scatter(x[:, :2] * 9, 1, -2),
    "select_scatter": lambda x: x.select_scatter(x[:, 0] * 9, 1, -1),
    "diagonal_scatter": lambda x: x.diagonal_scatter(torch.ones(2, 2, device=x.device), 1, 1, 2),
    "as_strided_scatter": lambda x: x.as_strided_scatter(torch.ones(2, 2, device=x.device), (2, 2), (5, 1), 1),
    "diag_embed": lambda x: torch.diag_embed(x, -1, 0, 2),
    "channel_shuffle": lambda x: torch.nn.functional.channel_shuffle(x[None].transpose(1, 2), 2),
    "pixel_shuffle": lambda x: torch.nn.functional.pixel_shuffle(x.transpose(0, 1)[None], 2),
    "narrow_copy": lambda x: torch.narrow_copy(x, 1, 1, 2),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "masked_fill": lambda x: x.masked_fill(x > 3, NAN),
    "masked_fill_ of a view": lambda x: x.clone().transpose(0, 1).masked_fill_(x[0, 0, 0] > -1, 2.0),
    "masked_fill of numbers": lambda x: x[0, 0, 0].masked_fill(x > 3, 1.0),
    "block_diag": lambda x: torch.block_diag(x[0], x[1]),
    "repeat_interleave": lambda x: x.repeat_interleave(torch.tensor([2, 0, 1, 3], device=x.device), 1),
    "repeat_interleave sized": lambda x: x.repeat_interleave(torch.tensor([2, 1], device=x.device), 0, output_size=3),
}

WITH_GRADIENT = [
    "cat",
    "cat of views",
    "stack",
    "flip",
    "roll",
    "repeat",
    "slice_scatter",
    "select_scatter",
    "diagonal_scatter",
    "as_strided_scatter",
    "diag_embed",
    "unfold",
    "masked_fill",
    "repeat_interleave",
]


def sample(device: str) -> Tensor:
    return torch.arange(24.0, device=device).view(2, 4, 3)


@pytest.mark.parametrize("name", CREATION)
def test_creation(device: str, name: str) -> None:
    agree(CREATION[name], device)


@pytest.mark.parametrize("name", MOVEMENT)
def test_movement(device: str, name: str) -> None:
    agree(lambda d: MOVEMENT[name](sample(d)), device)


@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradients_of_movement(device: str, name: str) -> None:
    def gradient(d: str) -> Tensor:
        x = sample(d).requires_grad_()
        y = MOVEMENT[name](x)
        (found,) = torch.autograd.grad(y, x, torch.arange(1.0, 1 + y.numel(), device=d).view(y.shape))
        return found

    agree(gradient, device)


@pytest.mark.parametrize(("size", "step"), [(2, 1), (2, 2), (2, 3), (3, 1), (20, 1)])
def test_unfold_backward(device: str, size: int, step: int) -> None:
    def gradient(d: str) -> Tensor:
        x = torch.arange(44.0, device=d).view(2, 22).requires_grad_()
        y = x.unfold(1, size, step)
        (found,) = torch.autograd.grad(y, x, torch.arange(1.0, 1 + y.numel(), device=d).view(y.shape))
        return found

    agree(gradient, device)


def test_gradients_of_slices(device: str) -> None:
    def gradients(d: str) -> list[Tensor]:
        x = sample(d).requires_grad_()
        ys = [x[:, 1], x[0], x[:, 1::2], x[..., -1:], x[:, 2:2], x.diagonal(1, 1, 2), x.diagonal(-3, 1, 2), x[1, 3, 2]]
        return [torch.autograd.grad(y, x, torch.arange(1.0, 1 + y.numel(), device=d).view(y.shape))[0] for y in ys]

    agree(gradients, device)


def test_numbers_that_vary_do_not_compile_anew(device: str, stats: Any) -> None:
    for start in (2, 3, 5):
        torch.linspace(start, 9, 4, device=device)
        torch.full((3,), start, device=device).masked_fill_(torch.ones(3, dtype=torch.bool, device=device), start + 0.5)
        if start == 2:
            stats.reset()
    assert stats["compiles"] == 0
