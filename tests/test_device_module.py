"""`torch.tpu`: the names that users of torch.cuda know, and the device's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

pytestmark = pytest.mark.usefixtures("accelerator")


def test_every_public_name_exists(accelerator: Any) -> None:
    assert [name for name in accelerator.__all__ if not hasattr(accelerator, name)] == []


def test_submodules_can_be_imported(device: str, accelerator: Any) -> None:
    import importlib

    for name in ("compiler", "memory", "random", "streams"):
        assert importlib.import_module(f"torch.{device}.{name}") is getattr(accelerator, name)


def test_counting_and_choosing(accelerator: Any, device: str) -> None:
    assert accelerator.is_available()
    assert accelerator.device_count() >= 1
    assert accelerator.current_device() == 0
    for same in (0, device, f"{device}:0", torch.device(device), torch.device(device, 0)):
        accelerator.set_device(same)
        assert accelerator.current_device() == 0
    accelerator.set_device(-1)
    with accelerator.device(0), accelerator.device(None), accelerator.device_of(torch.ones(1)):
        assert torch.ones(1, device=device).device == torch.device(device, 0)


def test_a_device_that_does_not_exist(accelerator: Any, device: str) -> None:
    beyond = accelerator.device_count()
    for use in (
        lambda: accelerator.set_device(beyond),
        lambda: accelerator.get_device_name(beyond),
        lambda: torch.ones(1, device=f"{device}:{beyond}"),
    ):
        with pytest.raises(RuntimeError, match=f"{device}:{beyond}|device index|invalid device"):
            use()
    with pytest.raises(ValueError, match=f"expected a {device} device"):
        accelerator.set_device("cpu")


def test_properties(accelerator: Any, device: str) -> None:
    properties = accelerator.get_device_properties()
    assert properties == accelerator.get_device_properties(f"{device}:0")
    assert properties.name == accelerator.get_device_name() != ""
    assert properties.platform != ""
    assert properties.plugin_path.endswith(".so")
    assert properties.total_memory > 0
    assert accelerator.is_bf16_supported()
    assert torch.bfloat16 in accelerator.get_amp_supported_dtype()
    assert torch.float32 in accelerator.get_device_capability()["supported_dtypes"]
    assert not accelerator.is_current_stream_capturing()


def test_init_may_be_called_again(accelerator: Any) -> None:
    accelerator.init()
    accelerator.init()
    assert accelerator.is_initialized()
    assert accelerator._initialized


def test_methods_on_tensors_and_modules(device: str) -> None:
    moved = getattr(torch.ones(3), device)()
    assert getattr(moved, f"is_{device}")
    assert not getattr(torch.ones(3), f"is_{device}")
    assert next(getattr(torch.nn.Linear(2, 2), device)().parameters()).device.type == device
    assert getattr(moved.untyped_storage(), f"is_{device}")


def test_printing(device: str) -> None:
    assert str(torch.arange(3.0, device=device)) == f"tensor([0., 1., 2.], device='{device}:0')"
    assert repr(torch.device(device)) == f"device(type='{device}')"


def test_eager_mode(accelerator: Any, device: str) -> None:
    modes = accelerator.EagerMode
    before = accelerator.eager_mode
    try:
        for mode in (modes.STRICT, modes.DEBUG, modes.FUSED):
            accelerator.eager_mode = mode
            assert accelerator.eager_mode is mode
            value = torch.ones(4, device=device)
            for _ in range(3):
                value = value * 2 + 1
            value[1:3].mul_(10)
            assert value.tolist() == [15, 150, 150, 15]
        accelerator.set_eager_mode("debug")
        assert accelerator.eager_mode is modes.DEBUG
    finally:
        accelerator.eager_mode = before
    with pytest.raises(ValueError, match="quick"):
        accelerator.set_eager_mode("quick")


def test_eager_modes_have_the_names_of_torch_tpu(accelerator: Any) -> None:
    modes = accelerator.EagerMode
    assert modes.DEFER_NEVER is modes.STRICT
    assert modes.DEFER_NEVER_AND_LAUNCH_BLOCKING is modes.DEBUG
    assert modes.DEFER_AND_FUSE is modes.FUSED


def test_precision_is_restored(accelerator: Any, device: str) -> None:
    value = torch.eye(4, device=device)
    with accelerator.precision(accelerator.Precision.HIGH):
        assert torch.equal(value @ value, value)
        with pytest.raises(KeyError), accelerator.precision("default"):
            raise KeyError
    assert torch.equal(value @ value, value)
    with pytest.raises(ValueError, match="exact"), accelerator.precision("exact"):
        pass


def test_compiler_options_nest_and_are_restored(accelerator: Any, device: str) -> None:
    options = accelerator.compiler.custom_compiler_options
    with options({"xla_backend_optimization_level": 0}):
        assert (torch.ones(5, device=device) + 1).sum().item() == 10
        with options({"xla_cpu_fast_math_honor_nans": True}):
            pass
    with pytest.raises(TypeError, match="compiler option"), options({"name": object()}):
        pass
    with pytest.raises(RuntimeError, match="no_such_option"), options({"no_such_option": "1"}):
        (torch.ones(29, device=device) + 1).cpu()
    assert (torch.ones(29, device=device) + 1).sum().item() == 58


def test_streams(accelerator: Any, device: str) -> None:
    default = accelerator.default_stream()
    assert accelerator.current_stream() == default
    other = accelerator.Stream()
    assert isinstance(other, torch.Stream)
    value = torch.ones(256, 256, device=device)
    with accelerator.stream(other):
        assert accelerator.current_stream() == other
        product = value @ value
    assert accelerator.current_stream() == default
    default.wait_stream(other)
    assert (product + 1)[0, 0].item() == 257
    other.synchronize()
    assert other.query()
    accelerator.set_stream(other)
    assert accelerator.current_stream() == other
    accelerator.set_stream(default)
    with accelerator.stream(None):
        assert accelerator.current_stream() == default


def test_events(accelerator: Any, device: str) -> None:
    start, end = accelerator.Event(enable_timing=True), accelerator.Event(enable_timing=True)
    assert isinstance(start, torch.Event)
    start.record()
    value = torch.ones(256, 256, device=device)
    for _ in range(5):
        value = value @ value / 256
    end.record()
    end.wait()
    end.synchronize()
    assert start.query()
    assert end.query()
    assert 0 < start.elapsed_time(end) < 60_000
    with pytest.raises(NotImplementedError):
        accelerator.Event(interprocess=True)


def test_accelerator_names(accelerator: Any, device: str) -> None:
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_device_index() == 0
    torch.accelerator.set_device_index(0)
    with torch.accelerator.device_index(0):
        assert torch.ones(1, device=device).device.index == 0
    assert torch.accelerator.current_stream() == accelerator.current_stream()
    torch.accelerator.synchronize(device)
    free, total = torch.accelerator.get_memory_info()
    assert 0 < free <= total


def test_two_devices(fresh_process: Any, cpu_plugin: str) -> None:
    program = """
    import torch
    module = torch.get_device_module(d)
    assert module.device_count() == 2 and not module.is_initialized()
    second = torch.arange(3.0, device=d + ":1")
    assert second.device.index == 1
    assert (second * 2).device.index == 1
    with module.device(1):
        assert module.current_device() == 1
        assert torch.ones(1, device=d).device.index == 1
        assert module.current_stream().device.index == 1
    assert module.current_device() == 0
    assert torch.equal(second.to(d + ":0").cpu(), torch.arange(3.0))
    assert (second.to(d + ":0") + torch.ones(3, device=d)).tolist() == [1, 2, 3]
    try:
        second + torch.ones(3, device=d + ":0")
    except RuntimeError as error:
        assert "same device" in str(error), error
    else:
        raise AssertionError
    torch.manual_seed(3)
    on_each = [torch.rand(4, device=f"{d}:{index}").tolist() for index in range(2)]
    assert on_each[0] == on_each[1]
    assert len(module.get_rng_state_all()) == len(module.default_generators) == 2
    before = module.memory_allocated(0)
    kept = torch.ones(1000, device=d + ":1")
    module.synchronize(1)
    assert module.memory_allocated(0) == before and module.memory_allocated(1) >= 4000
    """
    fresh_process.run(program, TORCH_PJRT_PLUGIN=cpu_plugin, TORCH_PJRT_CPU_DEVICES="2")


def test_command_line(fresh_process: Any, device: str, tmp_path: Path) -> None:
    program = """
    import sys
    from torch_pjrt import cli
    status = cli.main(["doctor"]) + cli.main(["settings"]) + cli.main(["cache"]) + cli.main(["cache", "clear"])
    sys.exit(status)
    """
    # A directory of its own: other tests fill the shared one meanwhile.
    printed = fresh_process.run(program, TORCH_PJRT_CACHE=str(tmp_path)).stdout
    for text in (
        "plugin",
        "PJRT",
        f"torch.device('{device}')",
        "self-test   passed",
        "TORCH_PJRT_PLUGIN",
        "0 programs",
    ):
        assert text in printed


def test_doctor_says_what_is_wrong(fresh_process: Any) -> None:
    program = """
    import sys
    from torch_pjrt import cli
    sys.exit(cli.main(["doctor"]))
    """
    finished = fresh_process.run(program, check=False, TORCH_PJRT_PLUGIN="/nowhere/plugin.so")
    assert finished.status == 1
    assert "FAILED" in finished.stdout
    assert "/nowhere/plugin.so" in finished.stdout
