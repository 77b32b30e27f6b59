"""Field cases H: random numbers."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def test_H1_manual_seed_controls_the_device(device: str) -> None:
    torch.manual_seed(0)
    first = torch.rand(5, device=device)
    torch.manual_seed(0)
    again, next_draw = torch.rand(5, device=device), torch.rand(5, device=device)
    assert torch.equal(first, again)
    assert not torch.equal(again, next_draw)


def test_H2_each_call_draws_another_mask(device: str) -> None:
    ones = torch.ones(256, device=device)
    assert not torch.equal(F.dropout(ones, 0.5), F.dropout(ones, 0.5))


def test_H2_each_call_draws_another_mask_compiled(device: str) -> None:
    ones = torch.ones(256, device=device)
    dropout = torch.compile(lambda value: F.dropout(value, 0.5))
    assert not torch.equal(dropout(ones), dropout(ones))


def test_H4_checkpoint_replays_the_mask(device: str) -> None:
    ones = torch.ones(64, device=device, requires_grad=True)
    dropped = checkpoint(lambda value: F.dropout(value, 0.5), ones, use_reentrant=False)
    dropped.sum().backward()
    assert ones.grad is not None
    assert torch.equal(ones.grad, dropped.detach())


def test_H4_fork_rng_restores_the_device(device: str) -> None:
    torch.manual_seed(0)
    expected = torch.rand(5, device=device)
    torch.manual_seed(0)
    with torch.random.fork_rng(device_type=None if device == "cpu" else device):
        torch.rand(3, device=device)
    assert torch.equal(torch.rand(5, device=device), expected)
