"""Field cases I: leaks, buffers held too long, memory figures, running out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psutil
import pytest
import torch
from torch import nn

_GIBIBYTE = 2**30


def test_I1_memory_is_returned_with_the_tensor(device: str, live_bytes: Callable[[], int]) -> None:
    before = live_bytes()
    tensor = torch.ones(1000, 1000, device=device)
    assert live_bytes() >= before + 4_000_000
    del tensor
    assert live_bytes() == before


def test_I1_a_loop_holds_no_steps_before_the_last(device: str, live_bytes: Callable[[], int]) -> None:
    value = torch.ones(1000, device=device)
    value = value * 1.01
    after_one = live_bytes()
    for _ in range(100):
        value = value * 1.01
    assert live_bytes() == after_one


def test_I2_training_neither_grows_on_the_device_nor_on_the_host(device: str, live_bytes: Callable[[], int]) -> None:
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    optimizer = torch.optim.AdamW(network.parameters())
    inputs = torch.randn(32, 64, device=device)

    def steps(count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            network(inputs).square().mean().backward()
            optimizer.step()

    steps(50)
    live, resident = live_bytes(), psutil.Process().memory_info().rss
    steps(200)
    assert live_bytes() == live
    assert psutil.Process().memory_info().rss - resident < 20e6


@pytest.mark.slow
def test_I3_an_update_in_place_does_not_double_the_peak(accelerator: Any, device: str, fresh_process: Any) -> None:
    # In a process of its own: the peak is then this tensor's, and the memory goes back to the system.
    program = """
    import torch
    module = torch.get_device_module(d)
    tensor = torch.zeros(2**28, device=d)
    tensor.add_(1)
    module.synchronize()
    module.reset_peak_memory_stats()
    for _ in range(3):
        tensor.add_(1)
    module.synchronize()
    print(module.max_memory_allocated(), tensor[-1].item())
    """
    peak, last = fresh_process.run(program).stdout.split()
    assert float(last) == 4
    assert int(peak) < 1.1 * _GIBIBYTE


def test_I4_out_of_memory_is_a_runtime_error() -> None:
    assert issubclass(torch.OutOfMemoryError, RuntimeError)


def test_I4_memory_calls_do_nothing_before_the_first_use(accelerator: Any, fresh_process: Any) -> None:
    program = """
    import torch
    module = torch.get_device_module(d)
    for part in (module, torch.accelerator):
        part.empty_cache()
        part.reset_peak_memory_stats()
        part.reset_accumulated_memory_stats()
        assert part.memory_allocated() == part.max_memory_allocated() == part.memory_reserved() == 0
        assert len(part.memory_stats()) == 0
    assert module.memory_summary()
    assert not module.is_initialized()
    """
    fresh_process.run(program)


def test_I4_running_out_says_how_much(device: str, accelerator: Any) -> None:
    with pytest.raises(torch.OutOfMemoryError, match=r"(?i)tried to allocate .*B"):
        torch.zeros(2**50, device=device).cpu()
    assert torch.ones(3, device=device).sum().item() == 3
