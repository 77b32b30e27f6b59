"""Work is asynchronous: calls return before the device is done; waits, events and streams mean what torch says."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import torch


@pytest.fixture
def slow(device: str, accelerator: Any) -> torch.Tensor:
    """A matrix whose square takes the device tens of milliseconds; the programs are compiled already."""
    matrix = torch.ones(1536, 1536, device=device) / 1536
    (matrix @ matrix).sum().item()
    accelerator.synchronize()
    return matrix


def _seconds(use: Any) -> float:
    start = time.perf_counter()
    use()
    return time.perf_counter() - start


def test_a_call_returns_before_the_device_is_done(slow: torch.Tensor, accelerator: Any) -> None:
    def launch() -> None:
        slow @ slow

    ratios = []
    for _ in range(3):
        launched = _seconds(launch)
        ratios.append(launched / (launched + _seconds(accelerator.synchronize)))
    assert min(ratios) < 0.5


def test_a_read_waits_for_what_it_needs(slow: torch.Tensor) -> None:
    assert (slow @ slow).sum().item() == pytest.approx(1536, rel=1e-3)


def test_a_chain_of_calls_does_not_wait(slow: torch.Tensor, stats: Any) -> None:
    product = slow
    for _ in range(4):
        product = product @ slow
    assert stats["blocking_waits"] == 0
    assert product.sum().item() == pytest.approx(1536, rel=1e-3)


def test_metadata_needs_no_wait(slow: torch.Tensor, stats: Any) -> None:
    product = slow @ slow
    assert (product.shape, product.dtype, product.t().stride()) == ((1536, 1536), torch.float32, (1, 1536))
    assert product.is_contiguous()
    assert product.data_ptr() != slow.data_ptr()
    assert stats["blocking_waits"] == 0


def test_elapsed_time_is_that_of_the_work_between(slow: torch.Tensor, accelerator: Any) -> None:
    start, middle, end = (accelerator.Event(enable_timing=True) for _ in range(3))
    wall = time.perf_counter()
    start.record()
    slow @ slow
    middle.record()
    for _ in range(4):
        slow @ slow
    end.record()
    end.synchronize()
    milliseconds = (time.perf_counter() - wall) * 1000
    assert 0 < start.elapsed_time(middle) < start.elapsed_time(end)
    assert middle.elapsed_time(end) > start.elapsed_time(middle)
    assert start.elapsed_time(end) <= milliseconds * 1.1 + 1


def test_an_event_is_not_done_before_the_work_is(slow: torch.Tensor, accelerator: Any) -> None:
    event = accelerator.Event()
    assert event.query()  # nothing recorded yet
    for _ in range(8):
        slow @ slow
    event.record()
    queried = event.query()
    event.synchronize()
    assert event.query()
    assert not queried


def test_elapsed_time_without_timing_is_an_error(accelerator: Any, device: str) -> None:
    first, second = accelerator.Event(), accelerator.Event()
    first.record()
    second.record()
    with pytest.raises((RuntimeError, ValueError)):
        first.elapsed_time(second)


def test_a_stream_waits_for_another(slow: torch.Tensor, accelerator: Any) -> None:
    side = accelerator.Stream()
    with accelerator.stream(side):
        product = slow @ slow
        recorded = side.record_event()
    accelerator.current_stream().wait_event(recorded)
    total = product.sum()
    assert total.item() == pytest.approx(1536, rel=1e-3)
    assert recorded.query()


def test_generic_events_and_streams(device: str, slow: torch.Tensor) -> None:
    stream, event = torch.Stream(device=device), torch.Event(device=device, enable_timing=True)
    with stream:
        product = slow @ slow
        event.record()
    event.synchronize()
    stream.synchronize()
    assert product.sum().item() == pytest.approx(1536, rel=1e-3)


def test_a_copy_to_the_host_without_waiting(slow: torch.Tensor, accelerator: Any, stats: Any) -> None:
    host = (slow @ slow).to("cpu", non_blocking=True)
    assert stats["blocking_waits"] == 0
    accelerator.synchronize()
    assert host.sum().item() == pytest.approx(1536, rel=1e-3)


def test_a_host_tensor_may_change_after_a_copy_to_the_device(device: str, accelerator: Any) -> None:
    host = torch.arange(100_000.0)
    copied = host.to(device)
    host.zero_()
    assert copied.sum().item() == pytest.approx(4999950000, rel=1e-6)


def test_other_python_threads_run_during_a_wait(slow: torch.Tensor, accelerator: Any) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    for _ in range(8):
        slow @ slow
    before = ticks
    accelerator.synchronize()
    during = ticks - before
    done.set()
    thread.join()
    assert during > 3


def test_several_threads_use_the_device(device: str) -> None:
    results: dict[int, float] = {}

    def work(number: int) -> None:
        value = torch.full((32, 32), float(number), device=device)
        for _ in range(30):
            value = (value + 1) - 1
        results[number] = value.sum().item()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: 1024.0 * number for number in range(4)}


def test_the_process_ends_with_work_in_flight(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import torch
    value = torch.ones(1024, 1024, device=d)
    for _ in range(20):
        value = value @ value
    kept = [torch.ones(10, device=d) for _ in range(100)]
    print("end")
    """
    finished = fresh_process.run(program)
    assert (finished.stdout, finished.stderr) == ("end\n", "")


def test_the_last_tensors_may_die_after_the_interpreter(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import atexit, threading, torch
    value = torch.ones(10, device=d)
    atexit.register(lambda: print(value.sum().item()))
    torch.kept_for_ever = value * 2
    # Python ends a daemon thread that asks for the interpreter lock, and torch's own bindings abort on that. So this
    # one is still there at the end, holds tensors, and waits outside of torch.
    computed, never = threading.Event(), threading.Event()
    def hold():
        held = value + 1
        computed.set()
        never.wait()
    threading.Thread(target=hold, daemon=True).start()
    computed.wait()
    """
    assert fresh_process.run(program).stdout == "10.0\n"
