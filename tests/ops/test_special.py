"""Special functions against the CPU: error and gamma functions, Bessel functions, orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

INF, NAN = float("inf"), float("nan")
POINTS = [0.0, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0, 1.5, 2.0, 2.5, 3.75, 7.9, 8.1, 12.5, 30.0, 60.0]


def same(device: str, call: Callable[..., Any], *inputs: Tensor, **tolerance: float) -> None:
    expected = call(*inputs)
    actual = call(*(x.to(device) for x in inputs))
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, **tolerance)


special = torch.special
FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    name: getattr(special, name)
    for name in [
        "erf",
        "erfc",
        "erfinv",
        "erfcx",
        "ndtri",
        "log_ndtr",
        "entr",
        "gammaln",
        "digamma",
        "i0",
        "i0e",
        "i1",
        "i1e",
        "bessel_j0",
        "bessel_j1",
        "bessel_y0",
        "bessel_y1",
        "modified_bessel_i0",
        "modified_bessel_i1",
        "modified_bessel_k0",
        "modified_bessel_k1",
        "scaled_modified_bessel_k0",
        "scaled_modified_bessel_k1",
        "spherical_bessel_j0",
        "airy_ai",
        "sinc",
        "ndtr",
    ]
}
FUNCTIONS["trigamma"] = lambda x: special.polygamma(1, x.abs() - 0.25)
FUNCTIONS["polygamma 3"] = lambda x: special.polygamma(3, x)
FUNCTIONS["mvlgamma"] = lambda x: torch.mvlgamma(x.abs() + 2, 3)
# PyTorch's own double precision has six digits here.
ROUGH = ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai")


@pytest.mark.parametrize("name", ROUGH)
def test_oscillating_functions_are_exact_in_double_precision(device: str, name: str) -> None:
    if device == "cpu":
        pytest.skip("PyTorch's own have six digits")
    mpmath = pytest.importorskip("mpmath")
    kind, order = name.split("_")[1][0], name[-1]
    exact = mpmath.airyai if kind == "a" else lambda x: getattr(mpmath, "bessel" + kind)(int(order), x)
    x = torch.linspace(-20 if kind == "a" else 0.1, 40, 120, dtype=torch.float64)
    expected = torch.tensor([float(exact(value)) for value in x.tolist()], dtype=torch.float64)
    actual = FUNCTIONS[name](x.to(device)).cpu()
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)


# Those with coefficients of their own here, which float32 would not show to be right.
DOUBLE = ["erfcx", "ndtri", "i0e", "i1e", "modified_bessel_k0", "modified_bessel_k1", "trigamma", "digamma"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_in_both_precisions(device: str, name: str) -> None:
    points = torch.tensor(POINTS + [-x for x in POINTS if x < 13] + [NAN], dtype=torch.float64)
    if name in DOUBLE:
        same(device, FUNCTIONS[name], points, rtol=1e-9, atol=1e-11)
    # In float32 against the function in double precision: PyTorch's own float32 functions are no better.
    single = points.float()
    expected = FUNCTIONS[name](single.double()).float()
    actual = FUNCTIONS[name](single.to(device)).cpu()
    away = (actual - expected).abs() > 3e-5 * expected.abs() + 2e-5
    assert not away.any(), (single[away], actual[away], expected[away])
    assert torch.equal(actual.isnan(), expected.isnan())


@pytest.mark.parametrize("name", ["bessel_j0", "i0e", "erfcx", "gammaln", "modified_bessel_k0"])
def test_infinities(device: str, name: str) -> None:
    same(device, FUNCTIONS[name], torch.tensor([INF, -INF, NAN, 1e10]))


def test_quantiles_far_in_the_tail(device: str) -> None:
    p = torch.logspace(-300, -0.31, 40, dtype=torch.float64)
    same(device, special.ndtri, p, rtol=1e-10, atol=1e-10)
    same(device, special.log_ndtr, -torch.logspace(-2, 3, 40, dtype=torch.float64), rtol=1e-10, atol=1e-10)


def test_incomplete_gamma_functions(device: str) -> None:
    a = torch.tensor([0.0, 0.01, 0.5, 1.0, 2.5, 10.0, 25.0, 150.0, 3e3, 2e6, INF], dtype=torch.float64)
    ratio = torch.tensor([0.0, 0.01, 0.5, 0.97, 1.0, 1.02, 1.5, 4.0, INF], dtype=torch.float64)
    x = torch.where(a[:, None].isinf(), ratio, a[:, None] * ratio)
    for call in (special.gammainc, special.gammaincc):
        same(device, call, a[:, None], x, rtol=1e-6, atol=1e-8)
    # One element does not depend on how many terms another one needs.
    actual = special.gammaincc(torch.tensor([1.0, 9e4], device=device), torch.tensor([2.0, 9e4], device=device))
    torch.testing.assert_close(actual.cpu()[0].item(), 0.1353352832, rtol=1e-6, atol=0.0)


def test_hurwitz_zeta(device: str) -> None:
    x = torch.tensor([0.5, 1.0, 1.1, 2.0, 3.0, 20.0, 1e10], dtype=torch.float64)[:, None]
    q = torch.tensor([-7.5, -2.0, -0.5, 0.0, 0.5, 1.0, 30.0], dtype=torch.float64)
    same(device, special.zeta, x, q, rtol=1e-9, atol=1e-11)
    same(device, lambda q: special.zeta(2.5, q), q[3:])
    same(device, lambda x: special.zeta(x, 2.5), x)


POLYNOMIALS = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
]


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_orthogonal_polynomials(device: str, name: str) -> None:
    call = getattr(special, name)
    x = torch.tensor([-1.0, -0.7, 0.0, 0.3, 0.99, 1.0], dtype=torch.float64)[:, None]
    n = torch.tensor([-2.0, 0.0, 1.0, 2.0, 5.0, 12.0], dtype=torch.float64)
    same(device, call, x, n, rtol=1e-8, atol=1e-8)
    if name.startswith("l"):
        same(device, lambda n: call(0.3, n), n, rtol=1e-8, atol=1e-8)
        same(device, lambda x: call(x, 5), x, rtol=1e-8, atol=1e-8)


def test_gradients(device: str) -> None:
    def gradient(x: Tensor) -> tuple[Tensor, ...]:
        x = x.detach().requires_grad_()
        y = x.erf() + x.erfinv() + x.lgamma() + x.digamma() + special.i0e(x) + special.i1(x) + special.ndtri(x)
        y = y + special.entr(x) + special.log_ndtr(x) + special.erfcx(x) + special.xlog1py(x, x) + special.xlogy(x, x)
        return torch.autograd.grad((y * y).sum(), x)

    same(device, gradient, torch.linspace(0.1, 0.9, 9), rtol=1e-4, atol=1e-4)
