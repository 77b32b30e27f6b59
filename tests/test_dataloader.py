"""DataLoader with worker processes and pinned memory, feeding the device."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


def _loader(**options: Any) -> DataLoader[Any]:
    features = torch.arange(40.0).view(20, 2)
    return DataLoader(TensorDataset(features, torch.arange(20)), batch_size=8, **options)


def _sum_on(device: str, loader: DataLoader[Any]) -> tuple[float, int]:
    total, labels = 0.0, 0
    for features, label in loader:
        total += features.to(device, non_blocking=True).sum().item()
        labels += int(label.to(device, non_blocking=True).sum())
    return total, labels


@pytest.mark.parametrize("workers", [0, 2])
def test_pinned_batches(device: str, workers: int) -> None:
    if workers and device != "cpu":
        torch.ones(1, device=device).cpu()  # workers are forked after the device was used
    loader = _loader(num_workers=workers, pin_memory=device != "cpu")
    assert _sum_on(device, loader) == (780, 190)


def test_persistent_workers_over_epochs(device: str) -> None:
    loader = _loader(num_workers=2, pin_memory=device != "cpu", persistent_workers=True, prefetch_factor=2)
    assert [_sum_on(device, loader) for _ in range(3)] == [(780, 190)] * 3


def test_spawned_workers(device: str) -> None:
    loader = _loader(num_workers=1, multiprocessing_context="spawn", pin_memory=device != "cpu")
    assert _sum_on(device, loader) == (780, 190)


def test_pinning(device: str, accelerator: Any) -> None:
    tensor = torch.arange(1000.0)
    assert not tensor.is_pinned()
    pinned = tensor.pin_memory()
    assert pinned.is_pinned()
    assert torch.equal(pinned, tensor)
    copied = pinned.to(device, non_blocking=True)
    pinned.zero_()  # torch allows this only after a wait; what was copied must be one of the two, not a mixture
    accelerator.synchronize()
    assert copied.sum().item() in (0, 499500)
    assert torch.empty(10, pin_memory=True).is_pinned()


def test_copy_to_pinned_memory_without_waiting(device: str, accelerator: Any) -> None:
    target = torch.empty(1000, pin_memory=True)
    target.copy_(torch.arange(1000.0, device=device) * 2, non_blocking=True)
    accelerator.synchronize()
    assert torch.equal(target, torch.arange(1000.0) * 2)


def test_a_shuffled_loader_is_the_same_on_each_device(device: str) -> None:
    orders = []
    for place in ("cpu", device):
        torch.manual_seed(4)
        orders.append([batch[1].to(place).tolist() for batch in _loader(shuffle=True)])
    assert orders[0] == orders[1]


def test_a_generator_of_the_device_cannot_shuffle_on_the_host(device: str, accelerator: Any) -> None:
    with pytest.raises(RuntimeError, match="device"):
        list(_loader(shuffle=True, generator=torch.Generator(device)))
