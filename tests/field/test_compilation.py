"""Field cases A: recompilation, compile time and the program cache."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn


def _values_of_lengths(module: nn.Module, device: str) -> list[float]:
    lengths = range(17, 65)
    return [module(torch.ones(2, length, 8, device=device)).softmax(-1).sum().item() for length in lengths]


def test_A1_length_varies_each_step(device: str) -> None:
    values = _values_of_lengths(nn.Linear(8, 8).to(device), device)
    assert values == pytest.approx([2 * length for length in range(17, 65)], rel=1e-5)


def test_A1_a_second_sweep_of_lengths_compiles_nothing(device: str, stats: Any) -> None:
    module = nn.Linear(8, 8).to(device)
    _values_of_lengths(module, device)
    stats.reset()
    _values_of_lengths(module, device)
    assert stats["compiles"] == 0


@pytest.mark.xfail(run=False, reason="sizes are not bucketed yet: each length is a program of its own")
def test_A1_compiles_are_bounded_by_buckets(device: str, stats: Any) -> None:
    _values_of_lengths(nn.Linear(8, 8).to(device), device)
    assert stats["compiles"] < 48


def _fuse_step(device: str, length: int) -> float:
    base = torch.zeros(6, device=device)
    return torch.cat([base[:length], torch.ones(length, device=device)]).sum().item()


def test_A2_small_step_of_varying_shape(device: str) -> None:
    assert [_fuse_step(device, length) for length in (1, 3, 2)] == [1, 3, 2]


def test_A2_a_length_seen_before_compiles_nothing(device: str, stats: Any) -> None:
    for length in (1, 3, 2):
        _fuse_step(device, length)
    stats.reset()
    for length in (2, 1, 3, 3, 1):
        _fuse_step(device, length)
    assert stats["compiles"] == 0


def _identity_layers(device: str, count: int) -> nn.Sequential:
    layers = nn.Sequential(*[nn.Linear(16, 16) for _ in range(count)]).to(device)
    for layer in layers:
        layer.weight.data.copy_(torch.eye(16))
        layer.bias.data.zero_()
    return layers


def test_A3_identical_layers(device: str) -> None:
    result = _identity_layers(device, 48)(torch.ones(1, 16, device=device))
    assert torch.equal(result.cpu(), torch.ones(1, 16))


def test_A3_identical_layers_share_their_programs(device: str, stats: Any, strict_mode: None) -> None:
    # Sizes that no other test uses, so that nothing is compiled already.
    layers = nn.Sequential(*[nn.Linear(19, 19) for _ in range(48)]).to(device)
    stats.reset()
    layers(torch.ones(1, 19, device=device)).cpu()
    assert stats["compiles"] + stats["cache_hits_disk"] <= 4


def test_A3_a_layer_more_does_not_recompile_the_others(device: str, stats: Any, strict_mode: None) -> None:
    layers = nn.Sequential(*[nn.Linear(21, 21) for _ in range(8)]).to(device)
    layers(torch.ones(1, 21, device=device)).cpu()
    stats.reset()
    nn.Sequential(*layers[:4], nn.ReLU(), *layers[4:])(torch.ones(1, 21, device=device)).cpu()
    assert stats["compiles"] + stats["cache_hits_disk"] <= 1


def test_A4_value(device: str) -> None:
    result = (torch.zeros(4, device=device) * 2 + 1).tanh()
    torch.testing.assert_close(result.cpu(), torch.full((4,), math.tanh(1)))


_A4 = """
import torch, torch_pjrt
(torch.zeros(4, device=d) * 2 + 1).tanh().cpu()
stats = torch_pjrt.stats()
print(stats["compiles"], stats["cache_hits_disk"])
"""


def test_A4_the_second_process_compiles_nothing(accelerator: Any, fresh_process: Any, tmp_path: Path) -> None:
    first = fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path)).stdout.split()
    second = fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path)).stdout.split()
    assert int(first[0]) > 0
    assert second == ["0", first[0]]


def test_A4_processes_that_start_together_share_one_entry(accelerator: Any, fresh_process: Any, tmp_path: Path) -> None:
    processes = [fresh_process.start(_A4, TORCH_PJRT_CACHE=str(tmp_path)) for _ in range(4)]
    counts = [fresh_process.finish(process).stdout.split() for process in processes]
    alone = int(fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path)).stdout.split()[1])
    assert sum(int(compiles) for compiles, _ in counts) == alone
    assert all(int(compiles) + int(hits) == alone for compiles, hits in counts)


_KEYS = """
import torch, torch_pjrt
(torch.ones(4, device=d) + 1).cpu()
for entry in torch_pjrt.explain():
    print(entry["calls"], entry["key_parts"])
"""


def test_A5_keys_are_the_same_in_each_process(accelerator: Any, fresh_process: Any) -> None:
    first = fresh_process.run(_KEYS, TORCH_PJRT_CACHE="off", PYTHONHASHSEED="1").stdout
    second = fresh_process.run(_KEYS, TORCH_PJRT_CACHE="off", PYTHONHASHSEED="2").stdout
    assert first.strip() != ""
    assert first == second


def test_A5_precision_is_part_of_the_key(device: str, accelerator: Any, stats: Any) -> None:
    left, right = torch.ones(11, 13, device=device), torch.ones(13, 11, device=device)
    (left @ right).cpu()
    stats.reset()
    with accelerator.precision(accelerator.Precision.DEFAULT):
        (left @ right).cpu()
    assert stats["compiles"] + stats["cache_hits_disk"] == 1


def test_A5_compiler_options_are_part_of_the_key(device: str, accelerator: Any, stats: Any) -> None:
    value = torch.ones(17, device=device)
    (value + 1).cpu()
    stats.reset()
    with accelerator.compiler.custom_compiler_options({"xla_backend_optimization_level": 0}):
        (value + 1).cpu()
    assert stats["compiles"] + stats["cache_hits_disk"] == 1


def test_A6_a_corrupt_entry_is_a_counted_miss(accelerator: Any, fresh_process: Any, tmp_path: Path) -> None:
    fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path))
    entries = [path for path in tmp_path.rglob("*.program") if path.is_file()]
    assert entries
    for entry in entries:
        content = bytearray(entry.read_bytes())
        content[len(content) // 2] ^= 1
        entry.write_bytes(content)
    program = _A4.replace('"cache_hits_disk"', '"cache_misses_stale"')
    compiles, stale = fresh_process.run(program, TORCH_PJRT_CACHE=str(tmp_path)).stdout.split()
    assert int(compiles) == int(stale) == len(entries)


def test_A8_eager_compiles_only_what_is_called(device: str, stats: Any) -> None:
    module = nn.Sequential(nn.Linear(23, 23), nn.ReLU(), nn.Linear(23, 3)).to(device)
    assert stats["compiles"] + stats["cache_hits_disk"] == 0
    assert next(module.parameters()).device.type == device


def test_A8_the_cache_directory_can_be_moved(accelerator: Any, fresh_process: Any, tmp_path: Path) -> None:
    fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path / "here"))
    shutil.move(tmp_path / "here", tmp_path / "there")
    compiles, hits = fresh_process.run(_A4, TORCH_PJRT_CACHE=str(tmp_path / "there")).stdout.split()
    assert compiles == "0"
    assert int(hits) > 0
