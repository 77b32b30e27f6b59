"""Losses and their gradients against the CPU: reductions, weights, ignored and wrong targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

REDUCTIONS = ["none", "mean", "sum"]


def value_and_gradient(call: Callable[..., Tensor], x: Tensor, *others: Tensor | None) -> tuple[Tensor, Tensor]:
    x = x.detach().requires_grad_()
    loss = call(x, *others)
    weight = torch.linspace(1, 2, loss.numel(), device=x.device, dtype=x.dtype).reshape(loss.shape)
    (gradient,) = torch.autograd.grad(loss, x, weight)
    return loss.detach(), gradient


def same(device: str, call: Callable[..., Tensor], *inputs: Tensor | None, **tolerance: float) -> None:
    expected = value_and_gradient(call, *inputs)
    actual = value_and_gradient(call, *(x if x is None else x.to(device) for x in inputs))
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, **tolerance)


PAIRS: dict[str, Callable[..., Tensor]] = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "smooth_l1": lambda x, y, **r: F.smooth_l1_loss(x, y, beta=0.7, **r),
    "smooth_l1 without a parabola": lambda x, y, **r: F.smooth_l1_loss(x, y, beta=0.0, **r),
    "huber": lambda x, y, **r: F.huber_loss(x, y, delta=0.7, **r),
    "soft_margin": lambda x, y, **r: F.soft_margin_loss(x, y.sign(), **r),
    "bce": lambda x, y, **r: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), **r),
    "bce weighted": lambda x, y, **r: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=y.abs(), **r),
    "bce logits": lambda x, y, **r: F.binary_cross_entropy_with_logits(x, y.sigmoid(), **r),
    "bce logits weighted": lambda x, y, **r: F.binary_cross_entropy_with_logits(
        x, y.sigmoid(), weight=y.abs(), pos_weight=y[0].abs(), **r
    ),
    "kl": lambda x, y, **r: F.kl_div(x, y.abs(), **r),
    "poisson": lambda x, y, **r: F.poisson_nll_loss(x, y.abs(), **r),
    "hinge embedding": lambda x, y, **r: F.hinge_embedding_loss(x, y.sign(), **r),
}


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize(
    ("name", "reduction"),
    [(name, REDUCTIONS[k % 3]) for k, name in enumerate(PAIRS)] + [("mse", "mean"), ("bce", "none"), ("huber", "sum")],
)
def test_losses_of_a_pair(device: str, name: str, reduction: str) -> None:
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    x[0] = y[0]
    same(device, lambda x, y: PAIRS[name](x, y, reduction=reduction), x, y)


@pytest.mark.parametrize("name", ["mse", "huber", "bce logits"])
def test_bfloat16_losses_sum_in_float32(device: str, name: str) -> None:
    x, y = (torch.randn(30, 40) + 2).bfloat16(), torch.randn(30, 40).bfloat16()
    expected = PAIRS[name](x.float(), y.float())
    actual = PAIRS[name](x.to(device), y.to(device))
    torch.testing.assert_close(actual.float().cpu(), expected, rtol=0.01, atol=0.0)


def test_logarithms_of_binary_cross_entropy_stay_finite(device: str) -> None:
    same(device, F.binary_cross_entropy, torch.tensor([0.0, 1.0, 0.0, 1.0]), torch.tensor([1.0, 0.0, 0.0, 1.0]))


@pytest.mark.parametrize(
    ("shape", "weighted", "reduction"),
    [
        ((5,), False, "mean"),
        ((5,), True, "none"),
        ((3, 5), False, "mean"),
        ((3, 5), True, "mean"),
        ((3, 5), True, "none"),
        ((3, 5), True, "sum"),
        ((2, 5, 3, 2), False, "none"),
        ((2, 5, 3, 2), True, "mean"),
    ],
)
def test_cross_entropy(device: str, shape: tuple[int, ...], weighted: bool, reduction: str) -> None:
    x, target = torch.randn(shape), torch.randint(0, 5, shape[:1] + shape[2:] if len(shape) > 1 else ())
    if target.dim():
        target.view(-1)[0] = 2
        target.view(-1)[-1] = -100
    weight = torch.rand(5) if weighted else None
    same(device, lambda x, t, w: F.cross_entropy(x, t, weight=w, reduction=reduction), x, target, weight)
    same(
        device,
        lambda x, t, w: F.nll_loss(x, t, weight=w, reduction=reduction, ignore_index=2),
        x,
        target.clamp_min(0),
        weight,
    )


def test_label_smoothing_and_class_probabilities(device: str) -> None:
    x, target = torch.randn(3, 5), torch.tensor([0, -100, 4])
    same(device, lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), x, target)
    same(device, F.cross_entropy, x, torch.randn(3, 5).softmax(1))


def test_a_mean_over_nothing_is_nan(device: str) -> None:
    same(device, F.cross_entropy, torch.randn(2, 3), torch.full((2,), -100))
    assert F.mse_loss(torch.empty(0, device=device), torch.empty(0, device=device)).isnan().item()
    assert (
        F.cross_entropy(torch.empty(0, 3, device=device), torch.empty(0, dtype=torch.long, device=device))
        .isnan()
        .item()
    )


def test_a_target_out_of_bounds_is_an_error(accelerator: Any, device: str) -> None:
    x = torch.randn(2, 3, device=device)
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        F.nll_loss(x, torch.tensor([1, 3], device=device)).item()
    with pytest.raises(RuntimeError, match="target out of range"):
        F.multi_margin_loss(x, torch.tensor([1, 3], device=device)).item()


def test_an_input_that_is_no_probability_is_an_error(accelerator: Any, device: str) -> None:
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        F.binary_cross_entropy(torch.tensor([0.5, 2.0], device=device), torch.ones(2, device=device)).item()


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_multilabel_margin_loss(device: str, reduction: str) -> None:
    x = torch.randn(3, 4)
    target = torch.tensor([[3, 0, -1, 1], [-1, 2, 2, 2], [0, 1, 2, 3]])
    same(device, lambda x, t: F.multilabel_margin_loss(x, t, reduction=reduction), x, target)
    same(device, lambda x, t: F.multilabel_margin_loss(x, t, reduction=reduction), x[0], target[0])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("p", [1, 2])
def test_multi_margin_loss(device: str, p: int, reduction: str) -> None:
    x, target, weight = torch.randn(3, 4), torch.tensor([3, 0, 1]), torch.rand(4)
    call = F.multi_margin_loss
    same(device, lambda x, t, w: call(x, t, p=p, margin=0.7, weight=w, reduction=reduction), x, target, weight)
    same(device, lambda x, t: call(x, t, p=p, reduction=reduction), x[0], target[0])


def test_losses_of_several_inputs(device: str) -> None:
    a, b, c = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)
    sign = torch.tensor([1.0, -1.0, 1.0])
    same(device, F.margin_ranking_loss, a[:, 0], b[:, 0], sign)
    same(device, F.cosine_embedding_loss, a, b, sign)
    same(device, F.triplet_margin_loss, a, b, c, rtol=1e-5, atol=1e-6)
    same(device, lambda x, t: F.multilabel_soft_margin_loss(x, t), a, (b > 0).float())
    same(device, lambda x, t: F.gaussian_nll_loss(x, t, torch.ones_like(x) * 0.7), a, b)


@pytest.mark.parametrize("zero_infinity", [False, True])
@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("steps", [[20, 12, 9, 0], [20, 12, 9, 15], [20, 5, 9, 3]])
def test_ctc_loss(device: str, joined: bool, steps: list[int], zero_infinity: bool) -> None:
    log_probs = torch.randn(20, 4, 7).log_softmax(-1)
    labels = torch.tensor([6, 4, 0, 3])
    targets = torch.randint(1, 7, (13,) if joined else (4, 6))
    targets[..., 1] = targets[..., 0]  # a blank has to come between

    def step(d: str) -> tuple[Tensor, Tensor]:
        x = log_probs.to(d).requires_grad_()
        y = F.ctc_loss(x, targets.to(d), torch.tensor(steps), labels, reduction="none", zero_infinity=zero_infinity)
        (grad,) = torch.autograd.grad(y.sum(), x)
        return y.detach().cpu(), grad.cpu()

    torch.testing.assert_close(step(device), step("cpu"), equal_nan=True, rtol=1e-4, atol=1e-5)


def test_ctc_losses_of_other_lengths_run_one_program(device: str, stats: dict[str, int], strict_mode: None) -> None:
    log_probs, targets = (
        torch.randn(20, 3, 7, device=device).log_softmax(-1),
        torch.randint(1, 7, (3, 6), device=device),
    )
    compiled = []
    for steps, labels in (([20, 12, 9], [1, 2, 3]), ([19, 5, 20], [6, 5, 4]), ([7, 8, 9], [3, 3, 3])):
        F.ctc_loss(log_probs, targets, torch.tensor(steps), torch.tensor(labels)).item()
        compiled.append(stats["compiles"] + stats["cache_hits_disk"])
    assert compiled[2] == compiled[0]
