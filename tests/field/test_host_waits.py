"""Field cases B: host reads, synchronization and the host's cost per operator."""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch


def test_B1_reading_the_loss_each_step(device: str) -> None:
    value, losses = torch.ones(4, device=device), []
    for _ in range(5):
        value = value * 2
        losses.append(value.sum().item())
    assert losses == [8, 16, 32, 64, 128]


def test_B1_a_read_runs_each_operator_once_and_copies_one_number(device: str, stats: Any, strict_mode: None) -> None:
    value = torch.ones(4, device=device)
    stats.reset()
    for _ in range(5):
        value = value * 2
        value.sum().item()
    assert stats["launches"] == 10
    assert stats["copies_to_host"] == 5
    assert stats["bytes_to_host"] == 20


def test_B2_copy_to_the_host_without_waiting(device: str) -> None:
    first = torch.arange(4.0, device=device)
    total = first.sum().to("cpu", non_blocking=True)
    second = first + 1
    if device != "cpu":
        torch.get_device_module(device).synchronize()
    assert (total.item(), second.sum().item()) == (6, 10)


def test_B2_a_copy_without_waiting_does_not_wait(device: str, stats: Any) -> None:
    total = torch.arange(4.0, device=device).sum()
    stats.reset()
    host = total.to("cpu", non_blocking=True)
    assert stats["blocking_waits"] == 0
    torch.get_device_module(device).synchronize()
    assert host.item() == 6


def test_B4_synchronize_waits(device: str, accelerator: Any) -> None:
    matrix = torch.randn(768, 768, device=device)
    (matrix @ matrix).cpu()
    start = time.perf_counter()
    product = matrix
    for _ in range(10):
        product = product @ matrix
    accelerator.synchronize()
    with_wait = time.perf_counter() - start
    start = time.perf_counter()
    product.cpu()
    assert time.perf_counter() - start < with_wait


def test_B4_elapsed_time_is_not_negative(device: str, accelerator: Any) -> None:
    start, end = accelerator.Event(enable_timing=True), accelerator.Event(enable_timing=True)
    start.record()
    torch.ones(256, 256, device=device) @ torch.ones(256, 256, device=device)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0


def test_B4_equal_calls_are_not_merged(device: str, stats: Any, strict_mode: None) -> None:
    left = torch.ones(8, 8, device=device)
    stats.reset()
    for _ in range(100):
        left @ left
    torch.get_device_module(device).synchronize()
    assert stats["launches"] == 100


def test_B5_host_cost_of_an_operator(device: str, accelerator: Any) -> None:
    value = torch.ones(16, 16, device=device)

    def microseconds_per_operator() -> float:
        result = value
        start = time.perf_counter()
        for _ in range(500):
            result = result + value
        elapsed = time.perf_counter() - start
        accelerator.synchronize()
        return elapsed / 500 * 1e6

    microseconds_per_operator()
    # `make bench` measures what it is; this only catches tracing of each operator on the host.
    assert statistics.median(microseconds_per_operator() for _ in range(5)) < 100


def test_B6_assignment_through_a_mask(device: str) -> None:
    value = torch.arange(6.0, device=device)
    value[value > 3] = -1.0
    assert value.tolist() == [0, 1, 2, 3, -1, -1]


def test_B6_assignment_through_a_mask_copies_nothing_to_the_host(device: str, stats: Any) -> None:
    value = torch.arange(6.0, device=device)
    stats.reset()
    value[value > 3] = -1.0
    assert stats["copies_to_host"] == 0
    assert stats["blocking_waits"] == 0
