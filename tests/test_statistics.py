"""`torch_pjrt.stats()`: every counter that is documented, and what makes each of them move."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torch_pjrt

pytestmark = pytest.mark.usefixtures("accelerator")

INTEGERS = (
    "compiles",
    "cache_hits_memory",
    "cache_hits_disk",
    "cache_misses_stale",
    "launches",
    "copies_to_device",
    "copies_to_host",
    "bytes_to_device",
    "bytes_to_host",
    "blocking_waits",
    "live_bytes",
    "peak_bytes",
)


def test_every_documented_counter_is_there(stats: Any) -> None:
    values = torch_pjrt.stats()
    assert {name: type(values[name]) for name in INTEGERS} == dict.fromkeys(INTEGERS, int)
    assert isinstance(values["compile_seconds"], float)
    assert isinstance(values["fallbacks"], dict)
    assert all(name in (torch_pjrt.stats.__doc__ or "") for name in values)


def test_reading_them_opens_no_client(fresh_process: Any) -> None:
    program = """
    import torch, torch_pjrt
    torch_pjrt.reset_stats()
    assert torch_pjrt.stats()["launches"] == 0 and torch_pjrt.explain() == []
    assert not torch.get_device_module(d).is_initialized()
    """
    fresh_process.run(program)


def test_copies(device: str, stats: Any) -> None:
    on_device = torch.arange(100.0).to(device)
    assert (stats["copies_to_device"], stats["bytes_to_device"]) == (1, 400)
    on_device.cpu()
    assert (stats["copies_to_host"], stats["bytes_to_host"]) == (1, 400)
    assert stats["blocking_waits"] >= 1
    assert stats["launches"] == 0


def test_launches_and_compiles(device: str, stats: Any, strict_mode: None) -> None:
    value = torch.ones(37, device=device)
    stats.reset()
    for _ in range(3):
        value = value.atan()
    torch.get_device_module(device).synchronize()
    assert stats["launches"] == 3
    assert stats["compiles"] + stats["cache_hits_disk"] == 1
    assert stats["cache_hits_memory"] == 2
    assert stats["compile_seconds"] > 0 or stats["compiles"] == 0


def test_views_and_metadata_launch_nothing(device: str, stats: Any) -> None:
    value = torch.arange(12.0).to(device)
    stats.reset()
    view = value.view(3, 4).t()[1:].unsqueeze(0).expand(2, 3, 3).detach()
    assert view.shape == (2, 3, 3)
    assert torch.empty(100, device=device).numel() == 100
    assert stats["launches"] == 0


@pytest.mark.parametrize("scalars", [(0.1, 0.2, 0.3), (2, 3, 4)])
def test_another_number_compiles_nothing(device: str, stats: Any, scalars: tuple[float, ...]) -> None:
    value = torch.ones(41, device=device)
    value.mul(7.5 if isinstance(scalars[0], float) else 17).add_(value, alpha=0.7)
    stats.reset()
    for scalar in scalars:
        value.mul(scalar).add_(value, alpha=float(scalar))
    assert stats["compiles"] + stats["cache_hits_disk"] == 0


def test_learning_rates_and_steps_compile_nothing(device: str, stats: Any) -> None:
    parameter = torch.nn.Parameter(torch.ones(43, device=device))
    optimizer = torch.optim.AdamW([parameter], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    compiled = []
    for _ in range(6):
        stats.reset()
        optimizer.zero_grad()
        parameter.square().sum().backward()
        optimizer.step()
        scheduler.step()
        compiled.append(stats["compiles"] + stats["cache_hits_disk"])
    assert compiled[3:] == [0, 0, 0]
