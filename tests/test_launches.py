"""Launches run in their order on whatever thread gets to them, and one that fails loses nothing but its own results."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

# The n-th execution fails. The ones before belong to the lines above the failing one.
_FAILING = """
import torch
x = torch.arange(4.0, device=d)
y = x * 2
torch.get_device_module(d).synchronize()
{body}
"""


def _fail(fresh_process: Any, fault_plugin: dict[str, str], body: str, execution: int = 3) -> str:
    program = _FAILING.format(body=body)
    fault = f"PJRT_LoadedExecutable_Execute:{execution}:13"
    return fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_FAIL=fault).stdout.strip()


def _raised_at(call: str) -> str:
    """A program's lines that expect `call` to raise the plugin's error."""
    return f"""
try:
    {call}
    print("nothing was raised")
except RuntimeError as error:
    assert "13" in str(error) or "INTERNAL" in str(error).upper(), error
"""


@pytest.mark.parametrize("reader", ["x.tolist()", "torch.get_device_module(d).synchronize()", "x.sum().item()"])
def test_a_failed_write_keeps_the_old_value(
    fresh_process: Any, accelerator: Any, fault_plugin: Any, reader: str
) -> None:
    body = "x.add_(1)" + _raised_at(reader) + "print(x.tolist(), y.tolist())"
    assert _fail(fresh_process, fault_plugin, body) == "[0.0, 1.0, 2.0, 3.0] [0.0, 2.0, 4.0, 6.0]"


def test_what_depends_on_a_failed_launch_fails_with_it(fresh_process: Any, accelerator: Any, fault_plugin: Any) -> None:
    # The failing launch is x + 1; the writes after it are recorded before anyone knows.
    body = """
z = x + 1
x.mul_(z)
view = y[1:3]
view.add_(z[1:3])
""" + _raised_at("torch.get_device_module(d).synchronize()")
    body += _raised_at("z.tolist()") + "x.add_(1)\nprint(x.tolist(), y.tolist(), view.tolist())"
    assert _fail(fresh_process, fault_plugin, body) == "[1.0, 2.0, 3.0, 4.0] [0.0, 2.0, 4.0, 6.0] [2.0, 4.0]"


def test_what_does_not_depend_on_it_is_done(fresh_process: Any, accelerator: Any, fault_plugin: Any) -> None:
    body = "z = x + 1\nw = y + 1\n" + _raised_at("torch.get_device_module(d).synchronize()") + "print(w.tolist())"
    assert _fail(fresh_process, fault_plugin, body) == "[1.0, 3.0, 5.0, 7.0]"


def test_a_failure_is_raised_once(fresh_process: Any, accelerator: Any, fault_plugin: Any) -> None:
    synchronize = "torch.get_device_module(d).synchronize()"
    body = "z = x + 1\n" + _raised_at(synchronize) + synchronize + "\nprint((y + 1).tolist())"
    assert _fail(fresh_process, fault_plugin, body) == "[1.0, 3.0, 5.0, 7.0]"


def test_a_failed_copy_to_the_host_in_the_background(fresh_process: Any, accelerator: Any, fault_plugin: Any) -> None:
    body = "z = x + 1\nhost = z.to('cpu', non_blocking=True)\n"
    body += _raised_at("torch.get_device_module(d).synchronize()") + "print(y.tolist())"
    assert _fail(fresh_process, fault_plugin, body) == "[0.0, 2.0, 4.0, 6.0]"


def test_many_small_launches_keep_their_order(device: str, accelerator: Any, stats: Any) -> None:
    value = torch.zeros(8, device=device)
    for step in range(3000):
        value.mul_(0.5).add_(step)
    expected = torch.zeros(8)
    for step in range(3000):
        expected.mul_(0.5).add_(step)
    torch.testing.assert_close(value.cpu(), expected)


def test_a_short_launch_runs_though_no_one_waits_for_it(device: str, accelerator: Any) -> None:
    value = torch.ones(8, device=device)
    accelerator.synchronize()
    event = accelerator.Event()
    value.add_(1)
    event.record()
    polls = 0
    while not event.query():
        polls += 1
        assert polls < 10_000_000
    assert value.tolist() == [2.0] * 8


def test_what_is_recorded_after_a_wait_is_done(device: str, accelerator: Any) -> None:
    value = torch.ones(300, 300, device=device)
    for _ in range(200):
        value @ value
        accelerator.synchronize()
        event = accelerator.Event()
        event.record()
        assert event.query()
        assert accelerator.current_stream().query()


def test_threads_launch_and_read_at_once(device: str, accelerator: Any) -> None:
    failures = []

    def work(seed: int) -> None:
        value = torch.full((32, 32), float(seed), device=device)
        for step in range(200):
            value = value * 0.5 + step
            if step % 20 == seed % 20 and value[0, 0].item() != value[31, 31].item():
                failures.append((seed, step))
        expected = torch.full((), float(seed))
        for step in range(200):
            expected = expected * 0.5 + step
        if value[3, 4].item() != pytest.approx(expected.item()):
            failures.append((seed, value[3, 4].item()))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_counted_memory_does_not_run_ahead_of_the_device(device: str, accelerator: Any, stats: Any) -> None:
    value = torch.ones(256, 1024, device=device)
    accelerator.synchronize()
    accelerator.reset_peak_memory_stats()
    before = accelerator.memory_allocated()
    for _ in range(200):
        value = value * 0.5 + value
    assert accelerator.max_memory_allocated() <= before + 4 * value.nbytes


class _Watch(TorchDispatchMode):
    """Sees every operator of its thread."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def test_the_modes_of_a_waiting_thread_do_not_see_the_kernels_that_it_runs(device: str, accelerator: Any) -> None:
    matrix = torch.ones(128, 128, device=device)
    accelerator.synchronize()
    with _Watch() as watch, torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
        total = (matrix @ matrix).softmax(-1).sum().item()
    assert total == pytest.approx(128)
    assert not any("out" in name.split(".")[-1] for name in watch.seen)
    assert not any("Half" in name or "BFloat" in name for name in watch.seen)
