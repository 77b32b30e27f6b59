"""Resizing, padding, blocks as columns and grid sampling, forward and backward, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor


def step(function: Callable[..., Tensor], *arguments: Tensor) -> list[Tensor]:
    leaves = [a.detach().requires_grad_() for a in arguments]
    y = function(*leaves)
    weights = torch.arange(y.numel()).view(y.shape).cos().to(y.device)
    return [y.detach(), *torch.autograd.grad(y, leaves, weights)]


def agree(device: str, function: Callable[..., Tensor], *arguments: Tensor) -> None:
    actual = step(function, *(a.to(device) for a in arguments))
    for a, e in zip(actual, step(function, *arguments), strict=True):
        torch.testing.assert_close(a.cpu(), e, rtol=1e-4, atol=1e-4)


SIZES: dict[str, dict[str, Any]] = {
    "doubled": {"scale_factor": 2},
    "smaller": {"size": (5, 4)},
    "larger": {"size": (13, 21)},
    "mixed": {"scale_factor": (1.7, 0.6)},
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
def test_interpolation(device: str, mode: str, size: str) -> None:
    x = torch.randn(1, 2, 7, 9)
    agree(device, lambda x: F.interpolate(x, mode=mode, **SIZES[size]), x)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_aligned_corners_and_antialiasing(device: str, mode: str) -> None:
    x = torch.randn(1, 2, 7, 9)
    agree(device, lambda x: F.interpolate(x, size=(4, 12), mode=mode, align_corners=True), x)
    agree(device, lambda x: F.interpolate(x, size=(3, 5), mode=mode, antialias=True), x)


def test_interpolation_in_1_and_3_dimensions(device: str) -> None:
    agree(device, lambda x: F.interpolate(x, size=9, mode="linear"), torch.randn(2, 3, 5))
    agree(device, lambda x: F.interpolate(x, size=8), torch.randn(2, 3, 5))
    agree(device, lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), torch.randn(1, 2, 3, 4, 3))
    agree(device, lambda x: F.interpolate(x, scale_factor=2), torch.randn(1, 2, 3, 4, 3))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [True, False])
def test_pixels_are_those_of_the_cpu(device: str, mode: str, antialias: bool) -> None:
    x = torch.randint(0, 256, (1, 3, 20, 30)).to(torch.uint8)
    expected = F.interpolate(x, size=(11, 41), mode=mode, antialias=antialias)
    assert torch.equal(F.interpolate(x.to(device), size=(11, 41), mode=mode, antialias=antialias).cpu(), expected)


@pytest.mark.parametrize("pads", [(1, 2, 3, 0), (-1, 2, 3, -2)], ids=str)
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_padding(device: str, mode: str, pads: tuple[int, ...]) -> None:
    agree(device, lambda x: F.pad(x, pads, mode=mode), torch.randn(1, 2, 5, 6))


def test_padding_with_a_value(device: str) -> None:
    agree(device, lambda x: F.pad(x, (1, 0), value=1.5), torch.randn(2, 3))
    agree(device, lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="reflect"), torch.randn(1, 2, 3, 3, 4))
    counts = torch.arange(6).view(2, 3)
    assert torch.equal(F.pad(counts.to(device), (1, 1), value=7).cpu(), F.pad(counts, (1, 1), value=7))


@pytest.mark.parametrize("options", [(3, 1, 0, 1), ((2, 3), (1, 2), (1, 0), 2), (3, 2, 2, 3)], ids=str)
def test_blocks_as_columns(device: str, options: tuple[Any, ...]) -> None:
    agree(device, lambda x: F.unfold(x, *options), torch.randn(2, 3, 7, 8))
    columns = F.unfold(torch.randn(2, 3, 7, 8), *options)
    agree(device, lambda x: F.fold(x, (7, 8), *options), columns)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sampling(device: str, mode: str, padding: str) -> None:
    image, grid = torch.randn(2, 3, 5, 6), torch.rand(2, 4, 3, 2) * 4 - 2
    corners = (mode == "nearest") == (padding == "border")
    agree(device, lambda x, g: F.grid_sample(x, g, mode, padding, corners), image, grid)


def test_grid_sampling_of_volumes(device: str) -> None:
    image, grid = torch.randn(1, 2, 4, 5, 3), torch.rand(1, 2, 3, 2, 3) * 3 - 1.5
    agree(device, lambda x, g: F.grid_sample(x, g, align_corners=False), image, grid)


def test_shuffles(device: str) -> None:
    agree(device, lambda x: F.pixel_shuffle(x, 2), torch.randn(1, 8, 3, 4))
    agree(device, lambda x: F.pixel_unshuffle(x, 2), torch.randn(1, 2, 4, 6))
    agree(device, lambda x: F.channel_shuffle(x, 2), torch.randn(1, 6, 2, 2))
