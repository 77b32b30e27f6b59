"""Which calls run as one program: loops in fused mode, runs of foreach calls in strict mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

pytestmark = pytest.mark.usefixtures("accelerator")


@pytest.fixture
def fused_mode(accelerator: Any) -> Iterator[None]:
    before = accelerator.eager_mode
    accelerator.eager_mode = accelerator.EagerMode.FUSED
    yield
    accelerator.eager_mode = before


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("length", [1, 2, 7, 31, 50, 97, 160])
def test_a_loop_of_any_length_compiles_nothing_new(
    device: str, stats: Any, fused_mode: None, length: int, reads: bool
) -> None:
    value = torch.ones(3, length + 1, device=device)

    def iteration() -> None:
        for size in range(1, length + 1):
            value[:, :size].mul_(0.5).add_(1)
        if reads:
            value[0, 0].item()

    calls = 4 * length
    for _ in range(max(4, 1500 // calls)):
        iteration()
    torch.tpu.synchronize()
    for _ in range(2):
        before = stats["compiles"], stats["launches"]
        for _ in range(max(4, 1500 // calls)):
            iteration()
        torch.tpu.synchronize()
    assert stats["compiles"] == before[0]
    assert stats["launches"] > before[1]
    assert value.isfinite().all().item()


def _parameters(device: str, count: int = 12) -> list[torch.nn.Parameter]:
    parameters = [torch.nn.Parameter(torch.full((2, 3), float(k), device=device)) for k in range(count)]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    return parameters


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "NAdam", "RMSprop"])
def test_a_foreach_optimizer_steps_in_one_program(device: str, stats: Any, strict_mode: None, kind: str) -> None:
    on_device, on_cpu = _parameters(device), _parameters("cpu")
    optimizers = [getattr(torch.optim, kind)(ps, lr=0.1, foreach=True) for ps in (on_device, on_cpu)]
    for optimizer in optimizers:
        optimizer.step()
    stats.reset()
    for optimizer in optimizers:
        optimizer.step()
    # It was started by the end of the step, not by what reads the parameters.
    assert stats["launches"] == 1
    for actual, expected in zip(on_device, on_cpu, strict=True):
        torch.testing.assert_close(actual.cpu(), expected)


def test_another_call_ends_a_run_of_foreach_calls(device: str, stats: Any, strict_mode: None) -> None:
    values = [torch.ones(3, device=device) for _ in range(3)]
    stats.reset()
    torch._foreach_add_(values, 1.0)
    torch._foreach_mul_(values, 2.0)
    assert stats["launches"] == 0
    total = values[0] + values[1]
    torch._foreach_mul_(values, 3.0)
    assert stats["launches"] == 2
    assert total.tolist() == [8, 8, 8]
    assert values[2].tolist() == [12, 12, 12]


def test_a_run_of_foreach_calls_is_seen_by_the_autograd_threads(device: str, strict_mode: None) -> None:
    value = torch.ones(3, device=device, requires_grad=True)
    loss = (value * value).sum()
    with torch.no_grad():
        scales = [torch.full((), 3.0, device=device)]
        torch._foreach_mul_(scales, 2.0)
    (grad,) = torch.autograd.grad(loss, value, grad_outputs=scales[0])
    assert grad.tolist() == [12, 12, 12]


def test_debug_mode_runs_each_foreach_call(device: str, stats: Any, accelerator: Any) -> None:
    before = accelerator.eager_mode
    accelerator.eager_mode = accelerator.EagerMode.DEBUG
    try:
        values = [torch.ones(3, device=device) for _ in range(3)]
        stats.reset()
        torch._foreach_add_(values, 1.0)
        torch._foreach_mul_(values, 2.0)
        assert stats["launches"] == 2
    finally:
        accelerator.eager_mode = before
