"""What `import torch` does: registers the device, prints nothing, opens no client, costs little."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("accelerator")


def test_import_prints_nothing_and_opens_no_client(fresh_process: Any) -> None:
    program = """
    import torch
    assert not torch.get_device_module(d).is_initialized()
    assert str(torch.device(d, 0)) == d + ":0"
    """
    finished = fresh_process.run(program, PYTHONWARNINGS="error::RuntimeWarning")
    assert (finished.stdout, finished.stderr) == ("", "")


def test_import_starts_no_thread(fresh_process: Any) -> None:
    program = """
    import os
    import torch
    print(len(os.listdir("/proc/self/task")))
    """
    without = fresh_process.run(program, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stdout
    assert fresh_process.run(program).stdout == without


def test_import_costs_less_than_150_ms_over_that_of_torch(fresh_process: Any) -> None:
    program = """
    import time
    import torch
    start = time.perf_counter()
    import torch_pjrt
    print(time.perf_counter() - start)
    """
    seconds = [float(fresh_process.run(program, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stdout) for _ in range(5)]
    assert min(seconds) < 0.15


def test_no_autoload_means_no_device_until_it_is_imported(fresh_process: Any) -> None:
    program = """
    import torch
    assert not hasattr(torch, d)
    import torch_pjrt
    assert torch.ones(3, device=d).sum().item() == 3
    """
    fresh_process.run(program, TORCH_DEVICE_BACKEND_AUTOLOAD="0")


def test_imported_before_torch(fresh_process: Any) -> None:
    program = """
    import torch_pjrt
    import torch
    assert torch.ones(3, device=d).sum().item() == 3
    """
    assert fresh_process.run(program).stderr == ""


def test_device_none(fresh_process: Any) -> None:
    program = """
    import torch
    assert not hasattr(torch, d)
    assert torch._C._get_privateuse1_backend_name() == "privateuseone"
    """
    fresh_process.run(program, TORCH_PJRT_DEVICE="none")


def test_another_name(fresh_process: Any) -> None:
    program = """
    import torch
    value = torch.ones(3, device="neuron")
    assert value.device == torch.device("neuron", 0)
    assert value.is_neuron and torch.ones(1).neuron().device.type == "neuron"
    assert torch.neuron.current_device() == 0
    assert torch.accelerator.current_accelerator().type == "neuron"
    with torch.autocast("neuron", dtype=torch.bfloat16):
        assert (torch.ones(2, 2, device="neuron") @ torch.ones(2, 2, device="neuron")).dtype == torch.bfloat16
    print(value.sum().item(), value)
    """
    finished = fresh_process.run(program, TORCH_PJRT_DEVICE="neuron")
    assert finished.stdout.strip() == "3.0 tensor([1., 1., 1.], device='neuron:0')"


def test_a_name_that_cannot_be_is_refused(fresh_process: Any) -> None:
    finished = fresh_process.run("import torch", check=False, TORCH_PJRT_DEVICE="cuda")
    assert finished.status != 0
    assert "TORCH_PJRT_DEVICE='cuda'" in finished.stderr


def test_a_native_module_that_does_not_load_leaves_torch_alone(fresh_process: Any) -> None:
    program = """
    import sys
    sys.modules["torch_pjrt._C"] = None
    import torch
    assert not hasattr(torch, d)
    assert torch.ones(3).sum().item() == 3
    """
    finished = fresh_process.run(program)
    assert "torch-pjrt" in finished.stderr
    assert "is not available" in finished.stderr


@pytest.fixture
def other_package(tmp_path: Path) -> Path:
    """A directory with a package torch_tpu that registers the device `tpu`, as Google's does on a TPU machine."""
    package = tmp_path / "torch_tpu"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_loader.py").write_text(
        "import sys, types, torch\n"
        "def load():\n"
        "    torch.utils.rename_privateuse1_backend('tpu')\n"
        "    torch._register_device_module('tpu', types.ModuleType('theirs'))\n"
    )
    metadata = tmp_path / "torch_tpu-0.2.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-tpu\nVersion: 0.2.0\n")
    (metadata / "entry_points.txt").write_text("[torch.backends]\ntorch_tpu = torch_tpu._loader:load\n")
    return tmp_path


@pytest.mark.parametrize(("position", "active"), [("0", "torch_tpu"), ("len(sys.path)", "torch_pjrt")])
def test_with_the_other_package_a_warning_names_which_one_is_active(
    fresh_process: Any, other_package: Path, position: str, active: str
) -> None:
    program = f"""
    import sys
    sys.path.insert({position}, {str(other_package)!r})
    import torch
    print("torch_tpu" if torch.tpu.__name__ == "theirs" else "torch_pjrt")
    """
    finished = fresh_process.run(program, TORCH_PJRT_DEVICE="tpu")
    assert finished.stdout.strip() == active
    assert f"{active} is active" in finished.stderr
    assert finished.stderr.count(f"{active} is active") == 1
