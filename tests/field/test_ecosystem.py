"""Field cases J: what PyTorch's own libraries and other people's code expect of a device."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def test_J1_shared_weights_stay_shared(device: str) -> None:
    network = nn.Sequential(nn.Embedding(4, 3), nn.Linear(3, 4, bias=False))
    network[1].weight = network[0].weight
    network = network.to(device)
    assert network[1].weight is network[0].weight
    assert len(list(network.parameters())) == 1


def test_J3_deepcopy_pickle_detach(device: str) -> None:
    tensor = torch.arange(6.0, device=device).view(2, 3).t()
    copied = copy.deepcopy(tensor)
    unpickled = pickle.loads(pickle.dumps(tensor))
    copied.add_(1)
    assert (tensor.sum().item(), copied.sum().item()) == (15, 21)
    assert unpickled.stride() == tensor.stride()
    assert torch.equal(unpickled, tensor)
    assert tensor.detach().data_ptr() == tensor.data_ptr()


def test_J5_autocast(device: str) -> None:
    with torch.autocast(device, dtype=torch.bfloat16):
        product = torch.ones(2, 2, device=device) @ torch.ones(2, 2, device=device)
    assert product.dtype == torch.bfloat16


def test_J6_pinned_batches(device: str) -> None:
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, pin_memory=device != "cpu")
    sums = []
    for (batch,) in loader:
        assert batch.is_pinned() == (device != "cpu")
        sums.append(batch.to(device, non_blocking=True).sum().item())
    assert sums == [1, 5]


@pytest.mark.parametrize("dynamic", [False, True])
def test_J8_compile(device: str, dynamic: bool) -> None:
    function = torch.compile(lambda value: (value * 2).tanh().sum(), fullgraph=True, dynamic=dynamic)
    value = torch.ones(4, device=device, requires_grad=True)
    function(value).backward()
    assert value.grad is not None


@pytest.mark.xfail(run=False, reason="launches are not reported to torch.profiler yet")
def test_J9_profiler(device: str) -> None:
    activity = torch.profiler.ProfilerActivity.PrivateUse1
    assert activity in torch.profiler.supported_activities()
    with torch.profiler.profile(activities=[activity]) as profile:
        torch.ones(4, device=device).tanh().cpu()
    assert any("tanh" in event.key for event in profile.key_averages())


def test_J10_device_module(device: str) -> None:
    assert torch.get_device_module(device) is not None


def test_J10_names_that_libraries_call(accelerator: Any, device: str) -> None:
    names = "device_count current_device set_device synchronize Stream Event stream current_stream empty_cache"
    assert all(callable(getattr(accelerator, name)) for name in names.split())
    found = torch.accelerator.current_accelerator()
    assert found is not None
    assert found.type == device
    assert torch.accelerator.device_count() == accelerator.device_count() >= 1
    torch.accelerator.synchronize()
