"""Field cases C: views, in-place writes, aliasing and donation."""

from __future__ import annotations

import io

import pytest
import torch


def test_C1_data_assignment_leaves_older_views(device: str) -> None:
    tensor = torch.zeros(4, device=device)
    view = tensor.view(2, 2)
    tensor.data = tensor.data + 1
    assert (view.sum().item(), tensor.sum().item()) == (0, 4)


def test_C2_data_assignment_of_another_shape(device: str) -> None:
    tensor = torch.zeros(8, device=device)
    tensor.data = tensor.data[:3]
    assert tensor.shape == (3,)


def test_C4_write_to_memory_that_overlaps_itself(device: str) -> None:
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(4, device=device).expand(3, 4)[:, 1:].add_(1)


def _doubled(rows: torch.Tensor) -> torch.Tensor:
    return rows + rows


def test_C5_storage_offset_of_a_strided_view(device: str) -> None:
    view = torch.arange(9.0, device=device)[:, None].repeat(1, 4)[1::2]
    assert _doubled(view)[:, 0].tolist() == [2, 6, 10, 14]


def test_C5_storage_offset_of_a_strided_view_compiled(device: str) -> None:
    view = torch.arange(9.0, device=device)[:, None].repeat(1, 4)[1::2]
    assert torch.compile(_doubled)(view)[:, 0].tolist() == [2, 6, 10, 14]


def test_C7_permuted_tensors_copied_and_made_contiguous(device: str) -> None:
    source = torch.arange(24, device=device).view(2, 3, 4).permute(2, 0, 1)
    target = torch.empty(4, 2, 3, dtype=source.dtype, device=device)
    target.copy_(source)
    assert source.contiguous().flatten()[:3].tolist() == [0, 4, 8]
    assert target.flatten()[:3].tolist() == [0, 4, 8]


def _write_rows(row: torch.Tensor) -> torch.Tensor:
    positions = torch.tensor([1, 3], device=row.device)
    row.index_copy_(0, positions, torch.tensor([5.0, 6.0], device=row.device))
    return row.sum()


def test_C8_write_to_an_argument(device: str) -> None:
    cache = torch.zeros(2, 4, device=device)
    keys, _values = cache
    assert _write_rows(keys).item() == 11
    assert cache[0].tolist() == [0, 5, 0, 6]


def test_C8_write_to_an_argument_compiled(device: str) -> None:
    cache = torch.zeros(2, 4, device=device)
    keys, _values = cache
    assert torch.compile(_write_rows)(keys).item() == 11
    assert cache[0].tolist() == [0, 5, 0, 6]


def test_C10_saving_a_tensor_leaves_the_others(device: str) -> None:
    first = torch.ones(1, device=device)
    second = first * 2
    third = first + second
    second.add_(1)
    torch.save(second, io.BytesIO())
    assert (third.item(), second.item()) == (3, 3)


def test_C10_a_donated_buffer_is_never_that_of_a_live_tensor(device: str) -> None:
    parameter = torch.ones(1000, device=device, requires_grad=True)
    detached, view = parameter.detach(), parameter.detach()[::3]
    squared = parameter**2  # saves `parameter` for backward
    copy = parameter.detach().clone()
    copy.mul_(5)
    kept = copy.clone()
    for _ in range(3):
        copy.mul_(2).add_(1)
    squared.sum().backward()
    assert parameter.grad is not None
    assert torch.equal(parameter.grad.cpu(), torch.full((1000,), 2.0))
    assert (detached.sum().item(), view.sum().item()) == (1000, 334)
    assert kept[0].item() == 5
    assert copy[0].item() == 47
