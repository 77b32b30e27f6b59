"""Fused optimizer steps and loss scaling, against the CPU's fused kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

SHAPES = [(3, 4), (5,), ()]

OPTIMIZERS: dict[str, Callable[[list[Tensor]], torch.optim.Optimizer]] = {
    "adam": lambda p: torch.optim.Adam(p, 0.1, fused=True),
    "adam decayed": lambda p: torch.optim.Adam(p, 0.1, (0.8, 0.95), weight_decay=0.1, fused=True),
    "adam amsgrad": lambda p: torch.optim.Adam(p, 0.1, amsgrad=True, maximize=True, fused=True),
    "adam tensor lr": lambda p: torch.optim.Adam(p, torch.tensor(0.1, device=p[0].device), fused=True),
    "adamw": lambda p: torch.optim.AdamW(p, 0.1, weight_decay=0.1, fused=True),
    "sgd": lambda p: torch.optim.SGD(p, 0.1, fused=True),
    "sgd momentum": lambda p: torch.optim.SGD(p, 0.1, 0.9, 0.1, 0.01, fused=True),
    "sgd nesterov": lambda p: torch.optim.SGD(p, 0.1, 0.9, nesterov=True, maximize=True, fused=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1, 0.01, 0.1, fused=True),
}


def parameters(device: str, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(s, generator=generator).to(dtype).to(device).requires_grad_() for s in SHAPES]


def set_gradients(given: list[Tensor], step: int, scale: float = 1.0) -> None:
    generator = torch.Generator().manual_seed(step)
    for p in given:
        p.grad = (torch.randn(p.shape, generator=generator) * scale).to(p.device, p.dtype)


def tensors_of(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    """Parameters and state of an optimizer."""
    found: list[Tensor] = []
    for group in optimizer.param_groups:
        for p in group["params"]:
            found.append(p.detach())
            found.extend(v for v in optimizer.state[p].values() if isinstance(v, Tensor))
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(device: str, name: str) -> None:
    ours, theirs = OPTIMIZERS[name](parameters(device)), OPTIMIZERS[name](parameters("cpu"))
    for step in range(3):
        for optimizer in (ours, theirs):
            set_gradients(optimizer.param_groups[0]["params"], step)
            optimizer.step()
    for a, e in zip(tensors_of(ours), tensors_of(theirs), strict=True):
        torch.testing.assert_close(a.cpu(), e, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("lists", [4, 5])
def test_adagrad_kernel(device: str, lists: int) -> None:
    def step(d: str) -> list[Tensor]:
        ps, gs = [p.detach() for p in parameters(d)], [torch.full_like(p, 0.5) for p in parameters(d)]
        sums, steps = [torch.ones_like(p) for p in ps], [torch.tensor(3.0, device=d) for _ in ps]
        lr: Any = torch.tensor(0.1, device=d) if lists == 5 else 0.1
        torch._fused_adagrad_(ps, gs, sums, steps, lr=lr, lr_decay=0.1, weight_decay=0.2, eps=1e-8, maximize=True)
        return [*ps, *sums]

    for a, e in zip(step(device), step("cpu"), strict=True):
        torch.testing.assert_close(a.cpu(), e)


@pytest.mark.parametrize("name", ["adamw", "sgd momentum"])
def test_bfloat16_parameters(device: str, name: str) -> None:
    ours, theirs = OPTIMIZERS[name](parameters(device, torch.bfloat16)), OPTIMIZERS[name](parameters("cpu"))
    for optimizer in (ours, theirs):
        set_gradients(optimizer.param_groups[0]["params"], 1)
        optimizer.step()
    for a, e in zip(tensors_of(ours), tensors_of(theirs), strict=True):
        torch.testing.assert_close(a.cpu().float(), e, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("name", ["adamw", "adam amsgrad", "sgd momentum"])
@pytest.mark.parametrize("overflow", [False, True])
def test_scaled_steps(device: str, name: str, overflow: bool) -> None:
    def run(d: str) -> tuple[list[Tensor], float]:
        optimizer = OPTIMIZERS[name](parameters(d))
        scaler = torch.amp.GradScaler(d, init_scale=8.0, growth_interval=2)
        for step in range(3):
            set_gradients(optimizer.param_groups[0]["params"], step, 8.0)
            if overflow and step == 1:
                optimizer.param_groups[0]["params"][1].grad[2] = float("inf")
            scaler.scale(torch.zeros(1, device=d))
            scaler.step(optimizer)
            scaler.update()
        return tensors_of(optimizer), scaler.get_scale()

    (ours, our_scale), (theirs, their_scale) = run(device), run("cpu")
    assert our_scale == their_scale
    for a, e in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.cpu(), e, rtol=2e-6, atol=1e-6)


def test_unscaling(device: str) -> None:
    gradients = [torch.tensor([2.0, 4.0], device=device), torch.tensor(8.0, device=device)]
    found, inverse = torch.zeros(1, device=device), torch.tensor([0.5], device=device)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse)
    assert [g.tolist() for g in gradients] == [[1.0, 2.0], 4.0]
    assert found.item() == 0
    gradients[1].fill_(float("nan"))
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse)
    assert found.item() == 1


def test_one_program_serves_all_rates_and_steps(device: str, stats: Any) -> None:
    optimizer = torch.optim.AdamW(parameters(device), 0.1, fused=True)
    for step in range(4):
        set_gradients(optimizer.param_groups[0]["params"], 0)
        optimizer.param_groups[0]["lr"] = 0.1 / (step + 1)
        optimizer.param_groups[0]["betas"] = (0.9 - step / 100, 0.999)
        optimizer.step()
        if step == 1:
            torch.get_device_module(device).synchronize()
            stats.reset()
    torch.get_device_module(device).synchronize()
    assert stats["compiles"] == 0
    assert stats["launches"] <= 2 * 3
