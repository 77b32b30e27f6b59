"""Field cases F: repeated indices, data-dependent shapes, order of ties."""

from __future__ import annotations

import time
from typing import Any

import torch
import torch.nn.functional as F


def test_F1_index_put_adds_up_repeated_indices(device: str) -> None:
    first = torch.zeros(3, device=device)
    indices = (torch.tensor([0, 0, 2], device=device),)
    first.index_put_(indices, torch.tensor([1.0, 2.0, 5.0], device=device), accumulate=True)
    assert first.tolist() == [3, 0, 5]
    second = torch.zeros(3, device=device)
    second.index_put_([torch.tensor([0, 0], device=device)], torch.tensor(1.0, device=device), accumulate=True)
    assert second.tolist() == [2, 0, 0]


def _seconds_of_scatter_reduce(device: str, size: int) -> float:
    source = torch.rand(size, device=device)
    index = torch.randint(0, 1000, (size,), device=device)

    def run() -> float:
        start = time.perf_counter()
        torch.full((1000,), 2.0, device=device).scatter_reduce(0, index, source, "amin").sum().item()
        return time.perf_counter() - start

    run()
    return min(run() for _ in range(5))


def test_F3_scatter_reduce_takes_time_in_proportion_to_size(device: str) -> None:
    small, large = (_seconds_of_scatter_reduce(device, size) for size in (100_000, 1_000_000))
    assert large < 40 * small


def test_F3_scatter_reduce_of_a_million(device: str) -> None:
    source, index = torch.rand(1_000_000), torch.randint(0, 1000, (1_000_000,))
    expected = torch.full((1000,), 2.0).scatter_reduce(0, index, source, "amin")
    base = torch.full((1000,), 2.0, device=device)
    result = base.scatter_reduce(0, index.to(device), source.to(device), "amin")
    assert torch.equal(result.cpu(), expected)


def test_F4_shapes_that_depend_on_data(device: str) -> None:
    values = torch.tensor([3.0, 0.0, 4.0, 0.0, 1.0], device=device)
    positions = (values > 0).nonzero().squeeze(1)
    assert values[positions].tolist() == [3, 4, 1]
    assert positions.tolist() == [0, 2, 4]
    mask = torch.tensor([[1, 0], [0, 1]], device=device).bool()
    assert torch.masked_select(torch.arange(4, device=device).view(2, 2).t(), mask).tolist() == [0, 3]
    assert torch.where(values > 5)[0].shape[0] == 0


def test_F5_unique_bincount_histc(device: str) -> None:
    values = torch.tensor([2, 0, 2, 1], device=device)
    unique, inverse, counts = values.unique(return_inverse=True, return_counts=True)
    assert unique.tolist() == [0, 1, 2]
    assert inverse.tolist() == [2, 0, 2, 1]
    assert counts.tolist() == [1, 1, 2]
    assert values.bincount(minlength=4).tolist() == [1, 1, 2, 0]
    assert torch.histc(values.float(), 3, 0, 2).tolist() == [1, 1, 2]


def test_F5_fallbacks_can_be_listed(stats: Any) -> None:
    assert stats["fallbacks"] == {}


def test_F7_order_of_ties(device: str) -> None:
    values = torch.tensor([1.0, 2.0, 2.0, 1.0], device=device)
    assert values.sort(stable=True).indices.tolist() == [0, 3, 1, 2]
    assert values.sort(stable=True, descending=True).indices.tolist() == [1, 2, 0, 3]
    assert values.topk(2).values.tolist() == [2, 2]
    assert values.argmax().item() in (1, 2)


def test_F8_embedding_bag(device: str) -> None:
    weight = torch.arange(8.0, device=device).view(4, 2)
    indices, offsets = torch.tensor([0, 1, 3, 1], device=device), torch.tensor([0, 2], device=device)
    bags = F.embedding_bag(indices, weight, offsets, mode="mean", padding_idx=3)
    assert bags.tolist() == [[1, 2], [2, 3]]
