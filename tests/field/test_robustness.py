"""Field cases L: errors that end the process, queries that hang, versions that do not match."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch


def test_L1_a_compiler_error_is_an_exception(
    accelerator: Any, fresh_process: Any, fault_plugin: dict[str, str]
) -> None:
    # 13: INTERNAL. The first compile is the client's own, which asks what options the plugin knows.
    program = """
    import torch
    try:
        (torch.ones(2, 3, device=d) + 1).cpu()
    except RuntimeError as error:
        message = str(error)
    assert "aten::" in message and "2, 3" in message.replace("2x3", "2, 3"), message
    print((torch.ones(4, device=d) + 1).sum().item())
    """
    finished = fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_FAIL="PJRT_Client_Compile:2:13")
    assert finished.stdout.strip() == "8.0"


def test_L2_the_answer_to_is_available_stays() -> None:
    start = time.perf_counter()
    answers = {torch.accelerator.is_available() for _ in range(3)}
    assert len(answers) == 1
    assert answers <= {True, False}
    assert time.perf_counter() - start < 1


def test_L2_without_a_plugin_every_call_says_the_same(accelerator: Any, fresh_process: Any) -> None:
    program = """
    import torch
    for _ in range(3):
        assert torch.accelerator.is_available() is False
        try:
            torch.ones(1, device=d)
        except RuntimeError as error:
            print("/nowhere/plugin.so" in str(error))
    """
    finished = fresh_process.run(program, TORCH_PJRT_PLUGIN="/nowhere/plugin.so")
    assert finished.stdout.split() == ["True", "True", "True"]


def test_L3_a_plugin_of_another_major_version(
    accelerator: Any, fresh_process: Any, fault_plugin: dict[str, str]
) -> None:
    program = """
    import torch
    try:
        torch.ones(1, device=d)
    except RuntimeError as error:
        print(str(error))
    """
    message = fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_MAJOR="7").stdout
    assert "7." in message
    assert "0." in message
    assert fault_plugin["TORCH_PJRT_PLUGIN"] in message


@pytest.mark.parametrize("entry", ["PJRT_Client_Create:1:13", "PJRT_Plugin_Initialize:1:13"])
def test_L1_a_plugin_that_does_not_start(
    accelerator: Any, fresh_process: Any, fault_plugin: dict[str, str], entry: str
) -> None:
    program = """
    import torch
    try:
        torch.ones(1, device=d)
    except RuntimeError as error:
        print("error", str(error))
    """
    assert fresh_process.run(program, **fault_plugin, TORCH_PJRT_FAULT_FAIL=entry).stdout.startswith("error")
