"""Fixtures of all Python tests: the device, its counters, and fresh processes.

Variables: TORCH_PJRT_TEST_DEVICE (default: the device's name; `cpu` checks the tests themselves against PyTorch's CPU),
TORCH_PJRT_TEST_PLUGIN (the real plugin below the fault-injecting one). An operator without a row is an error here, and
the program cache is a directory of this run alone, shared by its worker processes.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# All of this is read when torch is imported, or when the client opens.
os.environ.setdefault("TORCH_PJRT_FALLBACK", "error")
_OWN_CACHE: str | None = None
if "TORCH_PJRT_CACHE" not in os.environ:
    _OWN_CACHE = tempfile.mkdtemp(prefix="torch-pjrt-test-cache-")
    os.environ["TORCH_PJRT_CACHE"] = _OWN_CACHE
if "PYTEST_XDIST_WORKER" in os.environ:
    # Several processes whose OpenMP threads spin on the same cores are many times slower than one thread each.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
_NAME = os.environ.get("TORCH_PJRT_DEVICE") or "tpu"
_DEVICE = os.environ.get("TORCH_PJRT_TEST_DEVICE") or _NAME

import pytest
import torch

ROOT = Path(__file__).parent.parent


def pytest_unconfigure() -> None:
    if _OWN_CACHE is not None:
        shutil.rmtree(_OWN_CACHE, ignore_errors=True)


@pytest.fixture(scope="session")
def device() -> str:
    """The device that is tested, as a string."""
    return _DEVICE


@pytest.fixture
def accelerator(device: str) -> Any:
    """The device's module (`torch.tpu`). Tests that use it are about this device, and are skipped on the CPU."""
    if device == "cpu":
        pytest.skip("about the device itself, not about values")
    return torch.get_device_module(device)


class Counters:
    """`torch_pjrt.stats()`, read anew at each look. `counters["launches"]`."""

    def __getitem__(self, name: str) -> Any:
        import torch_pjrt

        return torch_pjrt.stats()[name]

    def reset(self) -> None:
        import torch_pjrt

        torch_pjrt.reset_stats()


@pytest.fixture
def stats(accelerator: Any) -> Counters:
    """The counters, reset after everything launched before has finished."""
    gc.collect()
    accelerator.synchronize()
    counters = Counters()
    counters.reset()
    return counters


@pytest.fixture(autouse=True)
def _seeded_and_settled() -> Iterator[None]:
    """Each test starts from the same seed, and an error on the device belongs to the test that caused it."""
    torch.manual_seed(0)
    yield
    if _DEVICE != "cpu":
        torch.get_device_module(_DEVICE).synchronize()


@dataclass
class Finished:
    """A process that has ended: its exit status and what it printed."""

    status: int
    stdout: str
    stderr: str


@dataclass
class FreshProcess:
    """Runs Python programs in new processes, on the tested device, which they know as `d`."""

    device: str
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, program: str, **environment: str) -> subprocess.Popen[str]:
        """Starts `program`; `environment` is added to this process's. A value of "" unsets a variable."""
        merged = {**os.environ, **self.environment, **environment}
        merged = {name: value for name, value in merged.items() if value != ""}
        text = f"d = {self.device!r}\n" + textwrap.dedent(program)
        return subprocess.Popen(
            [sys.executable, "-c", text],
            env=merged,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def finish(self, process: subprocess.Popen[str], *, check: bool = True) -> Finished:
        """Waits for `process`; with `check`, it must have exited with status 0."""
        try:
            stdout, stderr = process.communicate(timeout=300)
        finally:
            process.kill()
        if check:
            assert process.returncode == 0, f"status {process.returncode}\n{stdout}\n{stderr}"
        return Finished(process.returncode, stdout, stderr)

    def run(self, program: str, *, check: bool = True, **environment: str) -> Finished:
        """Runs `program` to its end."""
        return self.finish(self.start(program, **environment), check=check)


@pytest.fixture
def fresh_process(device: str) -> FreshProcess:
    return FreshProcess(device)


@pytest.fixture
def strict_mode(accelerator: Any) -> Iterator[None]:
    """Each operator is launched by itself, whatever TORCH_PJRT_MODE says."""
    before = accelerator.eager_mode
    accelerator.eager_mode = accelerator.EagerMode.STRICT
    yield
    accelerator.eager_mode = before


@pytest.fixture(scope="session")
def cpu_plugin() -> str:
    """Path of the CPU plugin."""
    given = os.environ.get("TORCH_PJRT_TEST_PLUGIN")
    if given:
        return given
    spec = importlib.util.find_spec("lammps_jax_pjrt_cpu")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).with_name("pjrt_c_api_cpu_plugin.so"))


@pytest.fixture(scope="session")
def fault_plugin(cpu_plugin: str) -> dict[str, str]:
    """The environment in which the plugin is the CPU plugin behind the fault-injecting one of crates/testkit."""
    for profile in ("release", "debug"):
        plugin = ROOT / "target" / profile / "libtestkit.so"
        if plugin.exists():
            return {"TORCH_PJRT_PLUGIN": str(plugin), "TORCH_PJRT_FAULT_REAL": cpu_plugin, "TORCH_PJRT_CACHE": "off"}
    pytest.fail("crates/testkit is not built: cargo build --release --package testkit")


@pytest.fixture
def live_bytes(accelerator: Any) -> Callable[[], int]:
    """Bytes that tensors hold on the device, once everything launched has finished and garbage is gone."""

    def measure() -> int:
        gc.collect()
        accelerator.synchronize()
        return int(accelerator.memory_allocated())

    return measure
