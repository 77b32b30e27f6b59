"""Bad input is a clear Python error, never an abort; what was there before is still there, and the session goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F


@pytest.fixture(autouse=True)
def _session_goes_on(device: str) -> Iterator[None]:
    before = torch.arange(5.0, device=device)
    yield
    assert before.tolist() == [0, 1, 2, 3, 4]
    assert (before @ before).item() == 30


def _synchronize(device: str) -> None:
    if device != "cpu":
        torch.get_device_module(device).synchronize()


WRONG_SHAPES: dict[str, tuple[Callable[[str], object], str]] = {
    "add": (lambda d: torch.ones(2, device=d) + torch.ones(3, device=d), "size of tensor a"),
    "matmul": (lambda d: torch.ones(2, 3, device=d) @ torch.ones(2, 3, device=d), "cannot be multiplied"),
    "view": (lambda d: torch.ones(6, device=d).view(4, 2), "invalid for input of size"),
    "cat": (lambda d: torch.cat([torch.ones(2, 3, device=d), torch.ones(2, 4, device=d)]), "Sizes of tensors"),
    "conv": (lambda d: F.conv2d(torch.ones(1, 3, 4, 4, device=d), torch.ones(2, 4, 3, 3, device=d)), "channels"),
    "copy": (lambda d: torch.ones(3, device=d).copy_(torch.ones(4)), "size|expand"),
    "out of a view": (lambda d: torch.ones(3, device=d).expand(2, 3).add_(1), "single memory location"),
    "dim": (lambda d: torch.ones(3, device=d).sum(2), "Dimension out of range"),
}


@pytest.mark.parametrize("name", WRONG_SHAPES)
def test_wrong_shapes(device: str, name: str) -> None:
    use, message = WRONG_SHAPES[name]
    with pytest.raises((RuntimeError, IndexError), match=message):
        use(device)


WRONG_DTYPES: dict[str, Callable[[str], object]] = {
    "matmul": lambda d: torch.ones(2, 2, device=d) @ torch.ones(2, 2, dtype=torch.float64, device=d),
    "index by float": lambda d: torch.ones(3, device=d)[torch.ones(1, device=d)],
    "int in place plus float": lambda d: torch.ones(2, dtype=torch.int64, device=d).add_(1.5),
    "bitwise of float": lambda d: torch.ones(2, device=d) & torch.ones(2, device=d),
    "cross entropy of int": lambda d: F.cross_entropy(
        torch.ones(2, 3, dtype=torch.int64, device=d), torch.tensor([0, 1], device=d)
    ),
    "gradient of an integer": lambda d: torch.ones(2, dtype=torch.int64, device=d).requires_grad_(),
    "linear of mixed": lambda d: F.linear(torch.ones(2, 2, device=d), torch.ones(2, 2, device=d).bfloat16()),
}


@pytest.mark.parametrize("name", WRONG_DTYPES)
def test_wrong_dtypes(device: str, name: str) -> None:
    with pytest.raises((RuntimeError, IndexError, TypeError)):
        WRONG_DTYPES[name](device)


MIXED_DEVICES: dict[str, Callable[[str], object]] = {
    "add": lambda d: torch.ones(2, device=d) + torch.ones(2),
    "add, the other way round": lambda d: torch.ones(2) + torch.ones(2, device=d),
    "matmul": lambda d: torch.ones(2, 2, device=d) @ torch.ones(2, 2),
    "linear": lambda d: F.linear(torch.ones(2, 2, device=d), torch.ones(2, 2)),
    "cat": lambda d: torch.cat([torch.ones(2, device=d), torch.ones(2)]),
    "out": lambda d: torch.add(torch.ones(2, device=d), 1, out=torch.empty(2)),
    "in place": lambda d: torch.ones(2).mul_(torch.ones(2, device=d)),
    "where": lambda d: torch.where(torch.ones(2, device=d) > 0, torch.ones(2), torch.ones(2, device=d)),
    "embedding": lambda d: F.embedding(torch.tensor([0]), torch.ones(2, 2, device=d)),
}


@pytest.mark.parametrize("name", MIXED_DEVICES)
def test_mixed_devices(device: str, accelerator: Any, name: str) -> None:
    with pytest.raises(RuntimeError, match=r"same device|on cpu|Expected all tensors"):
        MIXED_DEVICES[name](device)


def test_zero_dimensional_cpu_tensors_mix(device: str) -> None:
    assert (torch.ones(2, device=device) * torch.tensor(3.0)).tolist() == [3, 3]
    value = torch.zeros(4, device=device)
    value[torch.tensor([1, 2])] = 5.0  # indices on the host are copied, as on CUDA
    assert value.tolist() == [0, 5, 5, 0]


OUT_OF_RANGE: dict[str, Callable[[str], object]] = {
    "index_select": lambda d: torch.ones(3, 2, device=d).index_select(0, torch.tensor([3], device=d)),
    "gather": lambda d: torch.ones(3, device=d).gather(0, torch.tensor([5], device=d)),
    "scatter": lambda d: torch.ones(3, device=d).scatter(0, torch.tensor([3], device=d), 1.0),
    "embedding": lambda d: F.embedding(torch.tensor([7], device=d), torch.ones(7, 2, device=d)),
    "index": lambda d: torch.ones(3, device=d)[torch.tensor([3], device=d)],
    "negative index": lambda d: torch.ones(3, device=d)[torch.tensor([-4], device=d)],
    "index_put": lambda d: torch.ones(3, device=d).index_put_((torch.tensor([9], device=d),), torch.tensor(1.0)),
    # In two dimensions: the CPU has another type for one.
    "index_add": lambda d: torch.ones(3, 2, device=d).index_add(
        0, torch.tensor([4], device=d), torch.ones(1, 2, device=d)
    ),
    "index_copy": lambda d: torch.ones(3, device=d).index_copy(0, torch.tensor([4], device=d), torch.ones(1, device=d)),
    "take": lambda d: torch.ones(3, device=d).take(torch.tensor([3], device=d)),
    "nll_loss": lambda d: F.nll_loss(torch.ones(1, 3, device=d), torch.tensor([3], device=d)),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_indices_out_of_range(device: str, name: str) -> None:
    def use_and_wait() -> None:  # on the device, the error comes with the next wait at the latest
        OUT_OF_RANGE[name](device)
        _synchronize(device)

    with pytest.raises((IndexError, RuntimeError), match=r"(?i)out of (range|bounds)") as on_cpu:
        OUT_OF_RANGE[name]("cpu")
    with pytest.raises((IndexError, RuntimeError), match=r"(?i)out of (range|bounds)") as caught:
        use_and_wait()
    assert caught.type is on_cpu.type


def test_an_index_error_says_which_operator_and_is_raised_once(device: str, accelerator: Any) -> None:
    torch.ones(3, device=device).gather(0, torch.tensor([5], device=device))
    with pytest.raises(RuntimeError, match=r"gather") as caught:
        accelerator.synchronize()
    assert "5" in str(caught.value)
    accelerator.synchronize()


def test_indices_within_the_range_from_both_ends(device: str) -> None:
    value = torch.arange(3.0, device=device)
    assert value[torch.tensor([-1, -3, 2], device=device)].tolist() == [2, 0, 2]


def test_debug_mode_raises_at_the_line(device: str, accelerator: Any) -> None:
    before = accelerator.eager_mode
    accelerator.eager_mode = accelerator.EagerMode.DEBUG
    try:
        value, index = torch.ones(3, device=device), torch.tensor([5], device=device)
        with pytest.raises(IndexError):
            value[index]
    finally:
        accelerator.eager_mode = before


def test_an_operator_without_a_row_is_an_error_that_says_what_to_do(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import torch
    library = torch.library.Library("field", "DEF")
    library.define("nowhere(Tensor value) -> Tensor")
    # Through numpy: in torch's operators it would run on the device.
    library.impl("nowhere", lambda value: torch.from_numpy(value.numpy() + 1), "CPU")
    try:
        torch.ops.field.nowhere(torch.ones(2, device=d))
    except NotImplementedError as error:
        assert "field::nowhere" in str(error), error
        print("refused")
    """
    assert fresh_process.run(program, TORCH_PJRT_FALLBACK="error").stdout.strip() == "refused"


def test_fallback_warns_once_and_counts(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import warnings
    import torch, torch_pjrt
    library = torch.library.Library("field", "DEF")
    library.define("nowhere(Tensor value) -> Tensor")
    # Through numpy: in torch's operators it would run on the device.
    library.impl("nowhere", lambda value: torch.from_numpy(value.numpy() + 1), "CPU")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            result = torch.ops.field.nowhere(torch.ones(2, device=d))
    assert result.device.type == d and result.tolist() == [2, 2]
    assert torch_pjrt.stats()["fallbacks"] == {"field::nowhere": 3}, torch_pjrt.stats()["fallbacks"]
    print(len([warning for warning in caught if "field::nowhere" in str(warning.message)]))
    """
    # torch.ops calls have no Python warning handler: torch then writes the warning to stderr.
    finished = fresh_process.run(program, TORCH_PJRT_FALLBACK="warn")
    assert int(finished.stdout) + finished.stderr.count("field::nowhere has no row") == 1
    assert fresh_process.run(program, TORCH_PJRT_FALLBACK="silent").stdout.strip() == "0"


def test_an_unknown_plugin_path(fresh_process: Any, accelerator: Any, tmp_path: Any) -> None:
    program = """
    import torch
    try:
        torch.ones(1, device=d)
    except RuntimeError as error:
        print(error)
    assert not torch.get_device_module(d).is_available()
    assert torch.ones(2).sum().item() == 2
    """
    assert "/nowhere/plugin.so" in fresh_process.run(program, TORCH_PJRT_PLUGIN="/nowhere/plugin.so").stdout
    no_library = tmp_path / "text.so"
    no_library.write_text("not a library")
    assert (
        str(no_library)
        in fresh_process.run(program.replace("assert not", "#"), TORCH_PJRT_PLUGIN=str(no_library)).stdout
    )


def test_a_library_that_is_no_plugin(fresh_process: Any, accelerator: Any) -> None:
    import ctypes.util

    program = """
    import torch
    try:
        torch.ones(1, device=d)
    except RuntimeError as error:
        print(error)
    """
    library = torch._C.__file__
    assert ctypes.util.find_library("c")
    assert "GetPjrtApi" in fresh_process.run(program, TORCH_PJRT_PLUGIN=library).stdout


def test_a_setting_that_is_not_allowed(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import torch
    try:
        torch.ones(1, device=d)
    except ValueError as error:
        print(error)
    """
    assert "TORCH_PJRT_MODE='quick'" in fresh_process.run(program, TORCH_PJRT_MODE="quick").stdout


@pytest.mark.parametrize(
    "fault",
    [
        "PJRT_LoadedExecutable_Execute:2:13",
        "PJRT_Client_BufferFromHostBuffer:2:13",
        "PJRT_Client_Compile:3:13",  # 1 and 2: the client's own question, and `kept`
        "PJRT_Buffer_ToHostBuffer:1:13",
    ],
)
def test_an_error_of_the_plugin_leaves_the_session_usable(
    fresh_process: Any, accelerator: Any, fault_plugin: dict[str, str], fault: str
) -> None:
    program = """
    import torch
    errors = 0
    kept = torch.arange(4.0, device=d)
    for _ in range(4):
        try:
            other = torch.tensor([1.0, 2.0, 3.0, 4.0], device=d) * 2
            total = (kept + other).tanh().sum().item()
        except RuntimeError as error:
            assert "13" in str(error) or "INTERNAL" in str(error).upper(), error
            errors += 1
    assert kept.tolist() == [0, 1, 2, 3]
    print(errors, round((kept + other).sum().item()))
    """
    errors, total = fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_FAIL=fault).stdout.split()
    assert int(errors) <= 1
    assert total == "26"


def test_out_of_memory_in_the_plugin_names_the_largest_tensors(
    fresh_process: Any, accelerator: Any, fault_plugin: dict[str, str]
) -> None:
    program = """
    import torch
    large = torch.ones(1000, 50, device=d)
    large.cpu()
    message = ""
    for _ in range(12):
        try:
            (torch.ones(7, device=d) + 1).cpu()
        except torch.OutOfMemoryError as error:
            message = str(error)
    assert "50" in message and "1000" in message, message
    print(torch.ones(7, device=d).sum().item())
    """
    finished = fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_FAIL="PJRT_LoadedExecutable_Execute:3:8")
    assert finished.stdout.strip() == "7.0"


def test_out_of_memory_for_a_size_beyond_reason(device: str, accelerator: Any) -> None:
    with pytest.raises(torch.OutOfMemoryError):
        torch.ones(2**45, device=device).cpu()
    with pytest.raises(RuntimeError):
        torch.empty(2**62, 8, device=device)


@pytest.mark.parametrize("preset", ["trainium"])
def test_a_plugin_that_lacks_entries(
    fresh_process: Any, accelerator: Any, fault_plugin: dict[str, str], preset: str
) -> None:
    program = """
    import torch
    value = torch.arange(6.0, device=d).view(2, 3)
    value[0] += 1
    assert (value @ value.t()).sum().item() == 116
    torch.get_device_module(d).synchronize()
    print(torch.get_device_module(d).memory_allocated() > 0)
    """
    finished = fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_PRESET=preset)
    assert finished.stdout.strip() == "True"


def _line_of(text: str) -> int:
    """Number of this file's line that holds `text`, other than in the call of this function."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line and "_line_of" not in line)


def test_a_failed_check_names_the_line_that_made_the_call(device: str, accelerator: Any) -> None:
    values, index = torch.ones(4, device=device), torch.tensor([1, 9], device=device)
    values[index % 2]
    values[index]  # this one fails
    with pytest.raises(IndexError) as caught:
        accelerator.synchronize()
    line = _line_of("# this one fails")
    assert f"{__file__}:{line}" in str(caught.value)


def test_what_was_compiled_names_a_line(device: str, accelerator: Any) -> None:
    import torch_pjrt

    torch.ones(7, 11, device=device).cosh()  # compiled here
    accelerator.synchronize()
    record = next(entry for entry in reversed(torch_pjrt.explain()) if "cosh" in entry["calls"])
    line = _line_of("# compiled here")
    assert record["first_called_at"] == f"{__file__}:{line}"
