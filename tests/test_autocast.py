"""torch.autocast and torch.amp.GradScaler on the device."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_lower_precision_operators(device: str, dtype: torch.dtype) -> None:
    matrix = torch.ones(4, 4, device=device)
    image, kernel = torch.ones(1, 2, 6, 6, device=device), torch.ones(3, 2, 3, 3, device=device)
    with torch.autocast(device, dtype=dtype):
        assert (matrix @ matrix).dtype == dtype
        assert F.linear(matrix, matrix).dtype == dtype
        assert torch.bmm(matrix[None], matrix[None]).dtype == dtype
        assert torch.addmm(matrix, matrix, matrix).dtype == dtype
        assert F.conv2d(image, kernel).dtype == dtype
        assert F.scaled_dot_product_attention(*[torch.ones(1, 1, 4, 8, device=device)] * 3).dtype == dtype
    assert (matrix @ matrix).dtype == torch.float32


def test_float32_operators(device: str) -> None:
    half = torch.ones(4, 4, dtype=torch.bfloat16, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert F.mse_loss(half, half).dtype == torch.float32
        assert F.nll_loss(half, torch.tensor([0, 1, 2, 3], device=device)).dtype == torch.float32
        if device != "cpu":  # torch.cuda's list; the CPU's is shorter
            assert half.softmax(-1).dtype == torch.float32
            assert F.layer_norm(half, (4,)).dtype == torch.float32
            assert half.exp().dtype == torch.float32
            assert half.sum().dtype == torch.float32


def test_widest_type(device: str) -> None:
    half, single = torch.ones(3, dtype=torch.bfloat16, device=device), torch.ones(3, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert torch.cat([half, single]).dtype == torch.float32


def test_nesting_and_switching_off(device: str) -> None:
    matrix = torch.ones(4, 4, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        with torch.autocast(device, enabled=False):
            assert (matrix @ matrix).dtype == torch.float32
        with torch.autocast(device, dtype=torch.float16):
            assert (matrix @ matrix).dtype == torch.float16
        assert (matrix @ matrix).dtype == torch.bfloat16
        assert torch.is_autocast_enabled(device)
        assert torch.get_autocast_dtype(device) == torch.bfloat16
    assert not torch.is_autocast_enabled(device)


def test_a_dtype_that_is_not_supported_is_a_warning(device: str) -> None:
    with pytest.warns(UserWarning, match="not supported"):
        context = torch.autocast(device, dtype=torch.int32)
    with context:
        assert (torch.ones(2, 2, device=device) @ torch.ones(2, 2, device=device)).dtype == torch.float32


def test_training_keeps_float32_weights_and_gradients(device: str) -> None:
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    inputs, labels = torch.randn(32, 8, device=device), torch.randint(0, 4, (32,), device=device)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = F.cross_entropy(network(inputs), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
    assert {parameter.grad.dtype for parameter in network.parameters()} == {torch.float32}


def test_grad_scaler_skips_steps_that_overflow(device: str) -> None:
    network = nn.Linear(4, 1, bias=False).to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(device, init_scale=4.0, growth_interval=1)
    before = network.weight.detach().clone()

    scaler.scale(network(torch.full((1, 4), float("inf"), device=device)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(network.weight, before)
    assert scaler.get_scale() == 2.0

    optimizer.zero_grad()
    scaler.scale(network(torch.ones(1, 4, device=device)).sum()).backward()
    scaler.unscale_(optimizer)
    assert network.weight.grad is not None
    assert network.weight.grad.tolist() == [[1, 1, 1, 1]]
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(network.weight, before - 0.05)
    assert scaler.get_scale() == 4.0


def test_autocast_in_checkpoint(device: str) -> None:
    from torch.utils.checkpoint import checkpoint

    seen: list[Any] = []

    def block(value: torch.Tensor) -> torch.Tensor:
        product = value @ value
        seen.append(product.dtype)
        return product.sin()  # saved too, so that recomputing does not stop before it

    matrix = torch.eye(4, device=device, requires_grad=True)
    with torch.autocast(device, dtype=torch.bfloat16):
        output = checkpoint(block, matrix, use_reentrant=False)
    output.float().sum().backward()
    assert seen == [torch.bfloat16, torch.bfloat16]
