"""Field cases E: NaN, precision, resampling."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn


def test_E1_nan_goes_through_clamp_and_maximum(device: str) -> None:
    values = torch.tensor([float("nan"), 5.0, -5.0], device=device)
    zeros = torch.zeros(3, device=device)
    assert values.clamp(0, 1).isnan().tolist() == [True, False, False]
    assert torch.maximum(values, zeros).isnan()[0].item()
    assert torch.relu(values).isnan()[0].item()
    assert values.max().isnan().item()
    assert torch.fmax(values, zeros)[0].item() == 0


def test_E3_attention_rows_that_are_masked_out(device: str) -> None:
    query = torch.ones(1, 1, 2, 4, device=device)
    mask = torch.tensor([[True, False], [False, False]], device=device)
    rows = F.scaled_dot_product_attention(query, query, query, mask)[0, 0].sum(-1)
    assert rows.tolist() == [4, 0]


def test_E4_softmax_of_the_lowest_numbers(device: str) -> None:
    lowest = torch.finfo(torch.float32).min
    scores = torch.tensor([lowest, lowest, 0.0], device=device)
    mask = torch.tensor([lowest, 0.0, 0.0], device=device)
    assert torch.softmax(scores + mask, 0).tolist() == [0, 0, 1]


def test_E5_float32_products_are_float32_accurate(device: str) -> None:
    left = torch.tensor([[0.3744, 0.1656], [0.4707, 0.1663]], device=device)
    right = torch.tensor([[0.3946, 0.1186], [0.1569, 0.3145]], device=device)
    assert torch.get_float32_matmul_precision() == "highest"
    assert (left @ right)[0].tolist() == pytest.approx([0.173721, 0.096485], abs=1e-6)


def _resampled(device: str) -> tuple[list[float], list[float]]:
    image = torch.arange(4.0, device=device).view(1, 1, 2, 2).requires_grad_()
    F.interpolate(image, scale_factor=2).sum().backward()
    assert image.grad is not None
    grid = F.affine_grid(torch.eye(2, 3, device=device)[None], [1, 1, 2, 2], align_corners=True)
    sampled = F.grid_sample(image.detach(), grid, align_corners=True)
    return image.grad.flatten().tolist(), sampled.flatten().tolist()


def test_E7_upsample_and_grid_sample(device: str) -> None:
    gradient, sampled = _resampled(device)
    assert gradient == [4, 4, 4, 4]
    assert sampled == pytest.approx([0, 1, 2, 3], abs=1e-6)


def test_E7_upsample_and_grid_sample_stay_on_the_device(device: str, stats: Any) -> None:
    _resampled(device)
    assert stats["fallbacks"] == {}


def test_E9_batch_norm_of_bfloat16_with_float32_statistics(device: str) -> None:
    norm = nn.BatchNorm2d(2).to(device)
    result = norm(torch.ones(2, 2, 3, 3, device=device, dtype=torch.bfloat16))
    assert result.dtype == torch.bfloat16
    assert norm.running_mean is not None
    assert norm.running_mean.dtype == torch.float32
    torch.testing.assert_close(norm.running_mean.cpu(), torch.full((2,), 0.1))


def test_E9_autocast_convolution_into_batch_norm(device: str) -> None:
    network = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)).to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        result = network(torch.ones(2, 2, 5, 5, device=device))
    result.float().sum().backward()
    assert result.dtype == torch.bfloat16
    assert network[0].weight.grad.dtype == torch.float32


def test_E10_a_row_alone_and_inside_a_matrix(device: str) -> None:
    rows = torch.linspace(0, 1, 64 * 8, device=device).view(64, 8)
    weight = torch.linspace(-1, 1, 64, device=device).view(8, 8)
    assert ((rows @ weight)[3:4] - rows[3:4] @ weight).abs().max().item() < 1e-5
