"""Field cases G: empty and zero-dimensional tensors, small linear algebra."""

from __future__ import annotations

import pytest
import torch


def test_G1_empty_tensors(device: str) -> None:
    empty = torch.randn(2, 3, device=device)[:, 1:1]
    assert empty.shape == (2, 0)
    assert empty.sum().item() == 0
    assert torch.cummax(torch.rand(4, 0, device=device), -1)[0].shape == (4, 0)
    assert torch.randint_like(torch.zeros(5, 0, device=device), 6).shape == (5, 0)
    assert empty.cpu().numel() == 0
    assert torch.cat([empty, torch.ones(2, 1, device=device)], 1).shape == (2, 1)
    assert (empty @ torch.ones(0, 4, device=device)).sum().item() == 0


def test_G3_zero_dimensional_tensors_have_a_dimension_0(device: str) -> None:
    value = torch.tensor(2.0, device=device)
    assert value.cumsum(0).item() == 2
    assert value.log_softmax(0).item() == 0
    assert value.topk(1).values.item() == 2
    assert value.index_select(0, torch.tensor(0, device=device)).item() == 2
    assert value.sum(0).item() == 2


def test_G5_small_linear_algebra(device: str) -> None:
    assert torch.linalg.svd(torch.zeros(0, 0, device=device)).S.shape == (0,)
    assert torch.linalg.inv(2 * torch.eye(2, device=device)).diagonal().tolist() == pytest.approx([0.5, 0.5])
    assert torch.linalg.cholesky(4 * torch.eye(2, device=device))[1, 1].item() == pytest.approx(2)
    assert torch.linalg.det(torch.eye(3, device=device)).item() == pytest.approx(1)
