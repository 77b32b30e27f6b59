"""Random numbers: their distributions, seeds and gradients. What must hold is checked at five standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

COUNT = 20_000
NAN = float("nan")


def near(x: Tensor, mean: float, variance: float) -> None:
    """Mean and variance of independent numbers, the latter to a quarter."""
    x = x.double().flatten()
    assert abs(x.mean().item() - mean) < 5 * math.sqrt(variance / x.numel())
    assert 0.75 * variance <= x.var().item() <= 1.25 * variance


def fill(device: str, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(COUNT, dtype=dtype, device=device)


FILLS: dict[str, tuple[Callable[[Tensor], Tensor], float, float]] = {
    "uniform": (lambda x: x.uniform_(), 0.5, 1 / 12),
    "uniform between": (lambda x: x.uniform_(-3, 1), -1, 16 / 12),
    "normal": (lambda x: x.normal_(), 0, 1),
    "normal moved": (lambda x: x.normal_(2, 3), 2, 9),
    "exponential": (lambda x: x.exponential_(2.0), 0.5, 0.25),
    "geometric": (lambda x: x.geometric_(0.25), 4, 12),
    "log_normal": (lambda x: x.log_normal_(0, 0.5), math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25)),
    "bernoulli": (lambda x: x.bernoulli_(0.3), 0.3, 0.21),
    "random": (lambda x: x.random_(10), 4.5, 99 / 12),
    "random from": (lambda x: x.random_(-3, 5), 0.5, 63 / 12),
}


@pytest.mark.parametrize("name", FILLS)
def test_fills(device: str, name: str) -> None:
    draw, mean, variance = FILLS[name]
    near(draw(fill(device)).cpu(), mean, variance)


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential"])
def test_bfloat16_fills(device: str, name: str) -> None:
    draw, mean, variance = FILLS[name]
    drawn = draw(fill(device, torch.bfloat16)).cpu()
    assert drawn.dtype == torch.bfloat16
    near(drawn, mean, variance)


def test_fills_through_a_view(device: str) -> None:
    base = torch.zeros(4, 6, device=device)
    base[:, 1::2].uniform_(2, 3)
    values = base.cpu()
    assert (values[:, ::2] == 0).all()
    assert ((values[:, 1::2] >= 2) & (values[:, 1::2] < 3)).all()


def test_cauchy(device: str) -> None:
    drawn = fill(device).cauchy_(1.0, 2.0).cpu()
    assert abs(drawn.median().item() - 1) < 0.15
    assert 0.47 < ((drawn > -1) & (drawn < 3)).float().mean() < 0.53


def test_integers(device: str) -> None:
    for low, high in ((0, 7), (-5, 3), (0, 2**31), (-(2**40), 2**50)):
        drawn = torch.randint(low, high, (COUNT,), device=device).cpu()
        assert drawn.min() >= low
        assert drawn.max() < high
        near(drawn, (low + high - 1) / 2, ((high - low) ** 2 - 1) / 12)
    assert torch.randint(3, (COUNT,), device=device).unique().tolist() == [0, 1, 2]
    everything = fill(device, torch.int64).random_().cpu()
    assert everything.min() >= 0
    assert everything.max() > 2**62
    whole = fill(device, torch.int64).random_(-(2**63), None).cpu()
    assert (whole < 0).any()
    assert set(fill(device, torch.bool).random_().tolist()) == {True, False}
    assert fill(device, torch.uint8).random_().unique().numel() == 256
    assert fill(device).random_().max() > 2**23


def test_creation(device: str) -> None:
    near(torch.rand(COUNT, device=device).cpu(), 0.5, 1 / 12)
    near(torch.randn(COUNT, dtype=torch.float64, device=device).cpu(), 0, 1)
    z = torch.randn(COUNT, dtype=torch.complex64, device=device).cpu()
    near(z.real, 0, 0.5)
    near(z.imag, 0, 0.5)
    near(torch.randn_like(torch.empty(COUNT, device=device)).cpu(), 0, 1)
    means, deviations = torch.tensor([[-5.0], [5.0]], device=device), torch.full((1, COUNT), 2.0, device=device)
    for row, mean in zip(torch.normal(means.expand(2, COUNT), deviations.expand(2, COUNT)).cpu(), (-5, 5), strict=True):
        near(row, mean, 4)
    with pytest.raises(RuntimeError, match="std >= 0"):
        torch.normal(means, -means.abs()).cpu()


def test_permutations(device: str) -> None:
    for size in (0, 1, 10, 5000):
        assert torch.randperm(size, device=device).sort().values.tolist() == list(range(size))
    drawn = torch.stack([torch.randperm(3, device=device) for _ in range(60)])
    assert drawn.unique(dim=0).shape[0] == 6


def test_seeds(device: str, accelerator: Any) -> None:
    def draw() -> list[Tensor]:
        return [torch.randn(5, device=device), torch.rand(5, device=device), torch.randperm(5, device=device)]

    torch.manual_seed(7)
    first = draw()
    second = draw()
    torch.manual_seed(7)
    again = draw()
    for a, b, c in zip(first, again, second, strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)
    generator = torch.Generator(device=device).manual_seed(3)
    one = torch.rand(5, generator=generator, device=device)
    assert torch.equal(one, torch.rand(5, generator=generator.manual_seed(3), device=device))


@pytest.mark.parametrize("p", [0.2, 0.75])
def test_dropout(device: str, p: float) -> None:
    x = torch.full((COUNT,), 2.0, device=device, requires_grad=True)
    y = F.dropout(x, p)
    y.sum().backward()
    assert x.grad is not None
    kept = y.detach().cpu() != 0
    assert abs(kept.float().mean().item() - (1 - p)) < 5 * math.sqrt(p * (1 - p) / COUNT)
    torch.testing.assert_close(y.detach().cpu()[kept], torch.full((int(kept.sum()),), 2 / (1 - p)))
    torch.testing.assert_close(x.grad.cpu(), kept / (1 - p))


def test_dropout_at_its_ends(device: str) -> None:
    x = torch.ones(10, device=device, requires_grad=True)
    assert F.dropout(x, 0.0).tolist() == [1.0] * 10
    assert F.dropout(x, 1.0).tolist() == [0.0] * 10
    assert F.dropout(x, 0.5, training=False).tolist() == [1.0] * 10
    y, mask = torch.native_dropout(x, 0.5, True)
    assert ((y == 2) == mask).all()
    y, mask = torch.native_dropout(x, 0.5, False)
    assert mask.all()


def test_a_varying_p_does_not_compile_anew(device: str, stats: Any) -> None:
    x = torch.ones(16, device=device, requires_grad=True)
    for p in (0.3, 0.4, 0.45):
        F.dropout(x, p)
        if p == 0.3:
            stats.reset()
    assert stats["compiles"] == 0


def test_rrelu(device: str) -> None:
    x = torch.linspace(-2, 2, 4000, device=device, requires_grad=True)
    y = F.rrelu(x, 0.1, 0.4, training=True)
    y.sum().backward()
    assert x.grad is not None
    slope = (y / x).detach().cpu()
    negative = x.detach().cpu() < 0
    assert ((slope[negative] >= 0.0999) & (slope[negative] <= 0.4001)).all()
    assert (slope[~negative] - 1).abs().max() < 1e-6
    near(slope[negative], 0.25, 0.09 / 12)
    torch.testing.assert_close(x.grad.cpu(), slope)
    torch.testing.assert_close(F.rrelu(x, 0.1, 0.4).cpu(), F.rrelu(x.detach().cpu(), 0.1, 0.4))


def test_multinomial(device: str) -> None:
    weights = torch.tensor([[1.0, 0.0, 3.0, 4.0], [0.0, 1.0, 0.0, 0.0]], device=device)
    drawn = torch.multinomial(weights, COUNT, replacement=True).cpu()
    shares = torch.nn.functional.one_hot(drawn[0], 4).float().mean(0)
    torch.testing.assert_close(shares, torch.tensor([1, 0, 3, 4]) / 8, atol=0.02, rtol=0)
    assert (drawn[1] == 1).all()
    for _ in range(5):
        assert torch.multinomial(weights[0], 3).sort().values.tolist() == [0, 2, 3]
    one = torch.multinomial(weights[:1].expand(COUNT, 4), 1).cpu().flatten()
    torch.testing.assert_close(F.one_hot(one, 4).float().mean(0), torch.tensor([1, 0, 3, 4]) / 8, atol=0.02, rtol=0)
    for bad in ([-1.0, 2.0], [NAN, 1.0], [0.0, 0.0]):
        with pytest.raises(RuntimeError, match="probabilit"):
            torch.multinomial(torch.tensor(bad, device=device), 1).cpu()


def test_bernoulli(device: str) -> None:
    p = torch.tensor([0.0, 0.25, 1.0], device=device)
    drawn = torch.bernoulli(p[:, None].expand(3, COUNT)).cpu()
    assert (drawn[0] == 0).all()
    assert (drawn[2] == 1).all()
    near(drawn[1], 0.25, 0.1875)
    assert torch.empty(2, 3, dtype=torch.bool, device=device).bernoulli_(p[1:2].double()).dtype == torch.bool
    with pytest.raises(RuntimeError, match="p_in"):
        torch.bernoulli(p + 0.5).cpu()


def test_poisson_and_binomial(device: str) -> None:
    rates = torch.tensor([0.0, 0.3, 4.0, 9.9, 10.0, 60.0, 2000.0], device=device)
    for drawn, rate in zip(torch.poisson(rates[:, None].expand(-1, COUNT)).cpu(), rates.tolist(), strict=True):
        near(drawn, rate, rate) if rate else None
        assert (drawn == drawn.floor()).all()
        assert (drawn >= 0).all()
    assert (torch.poisson(torch.zeros(3, device=device)) == 0).all()
    counts = torch.tensor([0.0, 1.0, 12.0, 50.0, 400.0, 30.0], device=device)
    odds = torch.tensor([0.5, 0.3, 0.1, 0.9, 0.4, 1.0], device=device)
    drawn = torch.binomial(counts[:, None].expand(-1, COUNT), odds[:, None].expand(-1, COUNT)).cpu()
    for row, n, p in zip(drawn, counts.tolist(), odds.tolist(), strict=True):
        assert ((row >= 0) & (row <= n)).all()
        near(row, n * p, n * p * (1 - p)) if 0 < p < 1 and n else None
    assert (drawn[5] == 30).all()


def test_gamma_family(device: str) -> None:
    shapes = torch.tensor([0.3, 1.0, 7.5, 100.0], device=device)
    drawn = torch._standard_gamma(shapes[:, None].expand(-1, COUNT)).cpu()
    for row, shape in zip(drawn, shapes.tolist(), strict=True):
        assert (row > 0).all()
        near(row, shape, shape)
    concentration = torch.tensor([0.5, 2.0, 3.0], device=device)
    points = torch.distributions.Dirichlet(concentration).sample((COUNT,)).cpu()
    torch.testing.assert_close(points.sum(-1), torch.ones(COUNT))
    for column, a in zip(points.T, (0.5, 2.0, 3.0), strict=True):
        near(column, a / 5.5, a * (5.5 - a) / (5.5**2 * 6.5))


def test_gradients_of_samples(device: str) -> None:
    """To the accuracy of PyTorch's own approximation, three digits."""
    shapes = torch.tensor([0.05, 0.7, 1.0, 4.0, 30.0, 900.0])
    for scale in (0.3, 1.0, 1.6):
        x = shapes * scale
        actual = torch._standard_gamma_grad(shapes.to(device), x.to(device)).cpu()
        torch.testing.assert_close(actual, torch._standard_gamma_grad(shapes, x), rtol=2e-3, atol=1e-6)
    a, b = torch.tensor([0.3, 1.0, 5.0, 40.0]), torch.tensor([2.0, 0.4, 5.0, 3.0])
    for x in (0.05, 0.5, 0.93):
        point = torch.full((4,), x)
        actual = torch._dirichlet_grad(point.to(device), a.to(device), (a + b).to(device)).cpu()
        torch.testing.assert_close(actual, torch._dirichlet_grad(point, a, a + b), rtol=2e-3, atol=1e-6)
    concentration = torch.tensor([1.5, 2.5], device=device, requires_grad=True)
    torch.distributions.Dirichlet(concentration).rsample().sum().backward()
    assert concentration.grad is not None
    assert concentration.grad.abs().max() < 1e-3
