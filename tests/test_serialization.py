"""Copies and files: deepcopy, pickle, torch.save and torch.load, state_dict, tied weights."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn


def _tied_network() -> nn.Sequential:
    network = nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 5), nn.Linear(5, 7, bias=False))
    network[2].weight = network[0].weight
    return network


def _round_trip(value: Any, **options: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **options)


@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int8, torch.bool, torch.complex64],
)
def test_save_and_load_each_dtype(device: str, dtype: torch.dtype) -> None:
    tensor = torch.arange(6, device=device).view(2, 3).to(dtype)
    loaded = _round_trip(tensor)
    assert (loaded.device, loaded.dtype, loaded.stride()) == (tensor.device, dtype, tensor.stride())
    assert torch.equal(loaded.cpu(), tensor.cpu())


def test_a_view_is_saved_with_its_strides_and_its_storage(device: str) -> None:
    base = torch.arange(12.0, device=device).view(3, 4)
    loaded_base, loaded_view = _round_trip((base, base.t()[1::2]))
    assert loaded_view.stride() == base.t()[1::2].stride()
    assert loaded_view.storage_offset() == 1
    assert loaded_view.tolist() == base.t()[1::2].tolist()
    loaded_base.fill_(7)
    assert loaded_view.tolist() == [[7.0] * 3] * 2


def test_load_onto_the_cpu_and_back(device: str) -> None:
    tensor = torch.arange(5.0, device=device)
    on_cpu = _round_trip(tensor, map_location="cpu")
    assert on_cpu.device.type == "cpu"
    on_device = _round_trip(on_cpu, map_location=device)
    assert on_device.device.type == device
    assert torch.equal(on_device, tensor)


def test_load_from_a_memory_mapped_file(device: str, tmp_path: Path) -> None:
    torch.save({"weight": torch.arange(1000.0)}, tmp_path / "weights.pt")
    loaded = torch.load(tmp_path / "weights.pt", mmap=True)["weight"].to(device)
    assert torch.equal(loaded.cpu(), torch.arange(1000.0))


def test_empty_and_zero_dimensional(device: str) -> None:
    empty, scalar = _round_trip((torch.empty(0, 3, device=device), torch.tensor(2.5, device=device)))
    assert empty.shape == (0, 3)
    assert scalar.item() == 2.5


def test_pickle(device: str) -> None:
    tensor = torch.arange(6.0, device=device, requires_grad=True).view(2, 3).detach().t()
    loaded = pickle.loads(pickle.dumps(tensor))
    assert loaded.device == tensor.device
    assert loaded.stride() == tensor.stride()
    assert torch.equal(loaded, tensor)


def test_deepcopy_is_independent_and_keeps_gradients(device: str) -> None:
    leaf = torch.arange(3.0, device=device, requires_grad=True)
    (leaf**2).sum().backward()
    copied = copy.deepcopy(leaf)
    assert copied.requires_grad
    assert copied.grad is not None
    assert copied.grad.tolist() == [0, 2, 4]
    with torch.no_grad():
        copied.add_(1)
    assert leaf.tolist() == [0, 1, 2]


def test_deepcopy_keeps_sharing(device: str) -> None:
    base = torch.zeros(4, device=device)
    copied_base, copied_view = copy.deepcopy([base, base[1:3]])
    copied_view.fill_(1)
    assert copied_base.tolist() == [0, 1, 1, 0]
    assert base.tolist() == [0, 0, 0, 0]


def test_tied_weights_stay_tied(device: str) -> None:
    network = _tied_network().to(device)
    assert network[2].weight is network[0].weight
    copied = copy.deepcopy(network)
    assert copied[2].weight is copied[0].weight
    assert copied[2].weight is not network[2].weight
    loaded = pickle.loads(pickle.dumps(network))
    assert loaded[2].weight is loaded[0].weight
    network.to("cpu")
    assert network[2].weight is network[0].weight
    with torch.no_grad():
        copied[0].weight.zero_()
    assert copied[2].weight.abs().sum().item() == 0


def test_state_dict_round_trip(device: str) -> None:
    network = _tied_network().to(device)
    optimizer = torch.optim.AdamW(network.parameters())
    network[1](network[0](torch.tensor([1, 2], device=device))).sum().backward()
    optimizer.step()
    state = _round_trip({"network": network.state_dict(), "optimizer": optimizer.state_dict()})

    other = _tied_network().to(device)
    other_optimizer = torch.optim.AdamW(other.parameters())
    other.load_state_dict(state["network"])
    other_optimizer.load_state_dict(state["optimizer"])
    for ours, theirs in zip(network.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    moment, other_moment = (next(iter(o.state.values()))["exp_avg"] for o in (optimizer, other_optimizer))
    assert other_moment.device.type == device
    assert torch.equal(moment, other_moment)


def test_load_state_dict_by_assignment_and_from_meta(device: str) -> None:
    state = {name: value.to(device) for name, value in nn.Linear(3, 4).state_dict().items()}
    with torch.device("meta"):
        network = nn.Linear(3, 4)
    network.load_state_dict(state, assign=True)
    assert network.weight.device.type == device
    with torch.device("meta"):
        other = nn.Linear(3, 4)
    other.to_empty(device=device).load_state_dict(state)
    assert torch.equal(other.weight, network.weight)


def test_storages(device: str) -> None:
    tensor = torch.arange(4.0, device=device)
    storage = tensor.untyped_storage()
    assert (storage.nbytes(), storage.device.type) == (16, device)
    clone = storage.clone()
    tensor.zero_()
    restored = torch.empty(0, device=device).set_(clone, 0, (4,), (1,))
    assert restored.tolist() == [0, 1, 2, 3]
    storage.resize_(0)
    assert storage.nbytes() == 0
    storage.resize_(16)
    tensor.copy_(restored)
    assert tensor.tolist() == [0, 1, 2, 3]


def test_numpy_and_lists_come_from_the_host(device: str) -> None:
    tensor = torch.arange(6, device=device).view(2, 3).t()
    assert tensor.cpu().numpy().tolist() == tensor.tolist() == [[0, 3], [1, 4], [2, 5]]
    if device != "cpu":
        with pytest.raises(TypeError, match=device):
            tensor.numpy()
