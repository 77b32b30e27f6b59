"""Results whose size depends on data, searches and histograms, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

NAN = float("nan")


def agree(device: str, function: Callable[..., Any], *arguments: Tensor) -> None:
    actual = function(*(a.to(device) for a in arguments))
    expected = function(*arguments)
    pairs = zip(actual, expected, strict=True) if isinstance(expected, (tuple, list)) else [(actual, expected)]
    for a, e in pairs:
        assert a.device.type == torch.device(device).type
        torch.testing.assert_close(a.cpu(), e, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_unique(device: str, dtype: torch.dtype) -> None:
    x = torch.tensor([[3, 1, 3, 0], [1, 1, 0, -2]]).to(dtype)
    agree(device, lambda x: x.unique(), x)
    agree(device, lambda x: x.unique(return_inverse=True, return_counts=True), x)
    agree(device, lambda x: x.unique_consecutive(return_inverse=True, return_counts=True), x)
    rows = torch.tensor([[1, 0, 3], [0, 2, 3], [1, 0, 3], [0, 2, 1]]).to(dtype)
    agree(device, lambda x: x.unique(dim=0, return_inverse=True, return_counts=True), rows)
    agree(device, lambda x: x.unique(dim=1, return_inverse=True, return_counts=True), rows.T)
    agree(device, lambda x: x.unique_consecutive(dim=1, return_counts=True), torch.stack([rows.T, rows.T], 2)[..., :1])


def test_unique_of_little(device: str) -> None:
    agree(device, lambda x: x.unique(return_inverse=True, return_counts=True), torch.empty(0))
    agree(device, lambda x: x.unique(return_inverse=True, return_counts=True), torch.tensor(3.0))
    agree(device, lambda x: x.unique_consecutive(), torch.empty(0, dtype=torch.int64))
    agree(device, lambda x: x.unique(), torch.tensor([2.0, NAN, 1.0, NAN, 2.0, float("inf")]))
    agree(device, lambda x: x.unique(), torch.tensor([2**40 + 1, 2**40, 2**40 + 1]))


def test_nonzero(device: str) -> None:
    x = torch.tensor([[0.0, 1.0, NAN], [0.0, 0.0, -2.0]])
    agree(device, torch.nonzero, x)
    agree(device, torch.nonzero, x.T)
    agree(device, lambda x: x.nonzero(as_tuple=True), x)
    agree(device, torch.argwhere, x)
    agree(device, lambda x: torch.where(x > 0), x)
    agree(device, torch.count_nonzero, x)
    for size in (1, 3, 5):
        agree(device, lambda x, size=size: torch.nonzero_static(x, size=size, fill_value=-7), x)
    agree(device, lambda x: torch.nonzero_static(x, size=2), torch.tensor(1.0))


def test_results_of_one_program_serve_all_counts(device: str, stats: Any) -> None:
    x = torch.arange(6, device=device)
    for limit in (2, 3, 5):
        assert x[x > limit].tolist() == list(range(limit + 1, 6))
        if limit == 2:
            stats.reset()
    assert stats["compiles"] == 0


@pytest.mark.parametrize("size", [3, 40])
@pytest.mark.parametrize("right", [False, True])
def test_searches(device: str, size: int, right: bool) -> None:
    sequence = torch.linspace(-2, 3, size).round(decimals=1)
    wanted = torch.cat([sequence[:3], torch.tensor([-9.0, 9.0, 0.05, NAN, float("inf")])]).view(2, -1)
    agree(device, lambda s, v: torch.searchsorted(s, v, right=right), sequence, wanted)
    agree(device, lambda s, v: torch.bucketize(v, s, right=right, out_int32=True), sequence, wanted)
    agree(device, lambda s, v: torch.searchsorted(s, v, right=right), torch.stack([sequence, sequence + 1]), wanted)
    agree(device, lambda s: torch.searchsorted(s, 0.5, right=right), sequence)
    order = torch.randperm(size)
    agree(
        device,
        lambda s, v, o: torch.searchsorted(s, v, right=right, sorter=o),
        sequence[order],
        wanted[:, :3],
        order.argsort(),
    )
    agree(
        device, lambda s, v: torch.searchsorted(s, v, side="right"), (sequence * 10).long(), (wanted[:, :3] * 10).long()
    )


@pytest.mark.parametrize("size", [2, 50])
def test_isin(device: str, size: int) -> None:
    values, tests = torch.randint(0, 20, (3, 4)), torch.randint(0, 20, (size,))
    agree(device, torch.isin, values, tests)
    agree(device, lambda v, t: torch.isin(v.float(), t, invert=True), values, tests)
    agree(device, lambda v: torch.isin(v, 3), values)
    agree(device, lambda t: torch.isin(3, t), tests)
    agree(device, torch.isin, values, tests[:0])


def test_counts(device: str) -> None:
    x = torch.tensor([3, 1, 1, 5])
    agree(device, torch.bincount, x)
    agree(device, lambda x: torch.bincount(x, minlength=9), x)
    agree(device, torch.bincount, x, torch.tensor([0.5, 1.5, 2.0, -1.0]))
    agree(device, torch.bincount, x[:0])
    y = torch.tensor([0.1, 2.0, -1.0, 3.9, 4.0, NAN, 2.5])
    agree(device, lambda y: torch.histc(y, 4, 0, 4), y)
    agree(device, lambda y: torch.histc(y, 3), y[:5])
    agree(device, lambda y: torch.histc(y, 3), torch.ones(5))
    agree(device, lambda x: torch.nn.functional.one_hot(x, 7), x)
    with pytest.raises(RuntimeError, match="non-negative"):
        torch.bincount((x - 4).to(device))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8], ids=str)
def test_histc_of_integers(device: str, dtype: torch.dtype) -> None:
    """As on CUDA: the CPU has no kernel for them. Mixtures of experts count their tokens with it."""
    if device == "cpu":
        pytest.skip("not there on the CPU")
    experts = torch.tensor([0, 3, 1, 1, 7, 3, 3, 2, 9])
    counts = torch.histc(experts.to(device, dtype), bins=8, min=0, max=7)
    assert counts.dtype == dtype
    assert counts.tolist() == torch.bincount(experts, minlength=10)[:8].tolist()
    assert torch.histc(experts.to(device, dtype), 3).tolist() == [4, 3, 2]


def test_equal(device: str) -> None:
    x = torch.arange(3.0, device=device)
    assert torch.equal(x, x.clone())
    assert not torch.equal(x, x + 1)
    assert not torch.equal(x, x[:2])
