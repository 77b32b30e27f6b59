"""Softmax and normalisation layers, forward, backward and running statistics, against the CPU."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "layer_norm": (lambda: nn.LayerNorm((5, 6)), (3, 4, 5, 6)),
    "layer_norm without bias": (lambda: nn.LayerNorm(6, bias=False), (4, 6)),
    "rms_norm": (lambda: nn.RMSNorm(6), (4, 6)),
    "group_norm": (lambda: nn.GroupNorm(3, 6), (2, 6, 4)),
    "batch_norm": (lambda: nn.BatchNorm2d(3), (4, 3, 5, 2)),
    "batch_norm 1d": (lambda: nn.BatchNorm1d(6), (5, 6)),
    "batch_norm cumulative": (lambda: nn.BatchNorm1d(6, momentum=None), (5, 6)),
    "batch_norm plain": (lambda: nn.BatchNorm1d(6, affine=False, track_running_stats=False), (5, 6)),
    "instance_norm": (lambda: nn.InstanceNorm1d(3, affine=True, track_running_stats=True), (2, 3, 7)),
    "softmax": (lambda: nn.Softmax(1), (3, 5, 2)),
    "log_softmax": (lambda: nn.LogSoftmax(-1), (3, 5)),
}


def step(layer: nn.Module, x: Tensor, training: bool) -> list[Tensor]:
    """Output, gradients and buffers after a forward and backward pass."""
    layer.train(training)
    x = x.detach().requires_grad_()
    y = layer(x)
    loss = (y.float() * torch.arange(1, 1 + y.numel(), device=y.device).view(y.shape).cos()).sum()
    grads = torch.autograd.grad(loss, [x, *layer.parameters()])
    return [y.detach(), *grads, *(b.clone() for b in layer.buffers())]


def agree(actual: list[Tensor], expected: list[Tensor], **tolerance: float) -> None:
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        torch.testing.assert_close(a.cpu(), e, equal_nan=True, **tolerance)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_match_the_cpu(device: str, name: str, training: bool) -> None:
    make, shape = LAYERS[name]
    on_cpu = make()
    for p in on_cpu.parameters():
        nn.init.normal_(p, 1.0, 0.3)
    on_device = copy.deepcopy(on_cpu).to(device)
    for _ in range(2):
        x = torch.randn(shape) * 2 + 1
        agree(step(on_device, x.to(device), training), step(on_cpu, x, training), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["layer_norm", "group_norm", "batch_norm", "softmax", "log_softmax"])
def test_bfloat16_is_as_near_as_on_the_cpu(device: str, name: str) -> None:
    make, shape = LAYERS[name]
    layer = make()
    x = torch.randn(shape).bfloat16()
    exact = step(copy.deepcopy(layer), x.float(), training=True)
    actual = step(copy.deepcopy(layer).to(device).bfloat16(), x.to(device), training=True)
    for a, e in zip(actual, exact, strict=True):
        torch.testing.assert_close(a.float().cpu(), e.float(), rtol=0.05, atol=0.08)


def test_mixed_precision_batch_norm_keeps_float32_statistics(device: str) -> None:
    layer = nn.BatchNorm1d(4).to(device)
    y = layer(torch.randn(8, 4).bfloat16().to(device))
    assert y.dtype == torch.bfloat16
    assert layer.running_mean is not None
    assert layer.running_mean.dtype == torch.float32


def test_layer_norm_is_two_pass(device: str) -> None:
    x = torch.randn(2, 64) + 1000
    torch.testing.assert_close(F.layer_norm(x.to(device), (64,)).cpu(), F.layer_norm(x, (64,)), rtol=1e-3, atol=1e-3)


def test_softmax_of_infinities_and_nan(device: str) -> None:
    x = torch.tensor([[0.0, -math.inf, 1.0], [math.inf, 0.0, 1.0], [math.nan, 0.0, 1.0], [-math.inf] * 3])
    for call in (lambda x: x.softmax(1), lambda x: x.log_softmax(1), lambda x: torch._safe_softmax(x, 1)):
        torch.testing.assert_close(call(x.to(device)).cpu(), call(x), equal_nan=True)


def test_softmax_of_empty_and_0_dim(device: str) -> None:
    for x in (torch.empty(0, 3), torch.empty(3, 0), torch.tensor(2.0)):
        for call in (lambda x: x.softmax(-1), lambda x: x.log_softmax(-1)):
            torch.testing.assert_close(call(x.to(device)).cpu(), call(x))


def test_half_to_float_softmax(device: str) -> None:
    x = torch.randn(3, 4).bfloat16()
    y = x.to(device).softmax(-1, dtype=torch.float32)
    assert y.dtype == torch.float32
    torch.testing.assert_close(y.cpu(), x.float().softmax(-1))


def test_masked_softmax(device: str) -> None:
    x, mask = torch.randn(2, 3, 4, 4), torch.rand(2, 3, 4, 4) > 0.6
    mask[..., 0] = False
    expected = torch._masked_softmax(x, mask, 3, 2)
    torch.testing.assert_close(torch._masked_softmax(x.to(device), mask.to(device), 3, 2).cpu(), expected)
    for kind, part in ((0, mask[0, 0]), (1, mask[:, 0, 0])):
        expected = torch._masked_softmax(x, part, 3, kind)
        torch.testing.assert_close(torch._masked_softmax(x.to(device), part.to(device), 3, kind).cpu(), expected)


def test_momentum_is_not_part_of_the_program(device: str, stats) -> None:  # type: ignore[no-untyped-def]
    mean, var, x = torch.zeros(3, device=device), torch.ones(3, device=device), torch.randn(4, 3).to(device)
    F.batch_norm(x, mean, var, training=True, momentum=0.3)
    compiled = stats["compiles"]
    F.batch_norm(x, mean, var, training=True, momentum=0.2)
    assert stats["compiles"] == compiled


def test_sync_batch_norm_pieces_equal_batch_norm(device: str) -> None:
    x, g = torch.randn(6, 3, 4), torch.randn(6, 3, 4)
    weight, bias = torch.randn(3), torch.randn(3)
    reference = x.clone().requires_grad_(), weight.clone().requires_grad_(), bias.clone().requires_grad_()
    running_mean, running_var = torch.zeros(3), torch.ones(3)
    y = F.batch_norm(reference[0], running_mean, running_var, reference[1], reference[2], training=True)
    expected = torch.autograd.grad(y, reference, g)

    xd, gd, wd, bd = (t.to(device) for t in (x, g, weight, bias))
    mean_d, var_d = torch.zeros(3, device=device), torch.ones(3, device=device)
    parts = [torch.batch_norm_stats(part, 1e-5) for part in (xd[:2], xd[2:])]
    means, invstds = (torch.stack([part[k] for part in parts]) for k in range(2))
    counts = torch.tensor([8.0, 16.0], device=device)
    mean, invstd = torch.batch_norm_gather_stats_with_counts(xd, means, invstds, mean_d, var_d, 0.1, 1e-5, counts)
    agree([mean_d, var_d], [running_mean, running_var], rtol=1e-4, atol=1e-5)
    agree([torch.batch_norm_elemt(xd, wd, bd, mean, invstd, 1e-5)], [y.detach()], rtol=1e-4, atol=1e-4)
    sum_dy, along, of_weight, of_bias = torch.batch_norm_backward_reduce(gd, xd, mean, invstd, wd, True, True, True)
    of_input = torch.batch_norm_backward_elemt(gd, xd, mean, invstd, wd, sum_dy, along, counts.int())
    agree([of_input, of_weight, of_bias], list(expected), rtol=1e-4, atol=1e-4)
