"""Matrix products against the CPU: every form, dtype and degenerate size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

Product = Callable[..., Tensor]

FORMS: dict[str, tuple[Product, tuple[tuple[int, ...], ...]]] = {
    "mm": (torch.mm, ((3, 4), (4, 5))),
    "bmm": (torch.bmm, ((2, 3, 4), (2, 4, 5))),
    "mv": (torch.mv, ((3, 4), (4,))),
    "dot": (torch.dot, ((6,), (6,))),
    "vdot": (torch.vdot, ((6,), (6,))),
    "addmm": (torch.addmm, ((5,), (3, 4), (4, 5))),
    "addmv": (torch.addmv, ((3,), (3, 4), (4,))),
    "addr": (torch.addr, ((3, 4), (3,), (4,))),
    "baddbmm": (torch.baddbmm, ((2, 3, 5), (2, 3, 4), (2, 4, 5))),
    "addbmm": (torch.addbmm, ((3, 5), (2, 3, 4), (2, 4, 5))),
    "one row": (torch.mm, ((1, 8), (8, 5))),
    "nothing contracted": (torch.mm, ((3, 0), (0, 5))),
    "no rows": (torch.mm, ((0, 4), (4, 5))),
    "empty batch": (torch.bmm, ((0, 3, 4), (0, 4, 5))),
}


def values(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 9, shape).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.complex64], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_products_match_the_cpu(device: str, form: str, dtype: torch.dtype) -> None:
    function, shapes = FORMS[form]
    arguments = [values(shape, dtype) for shape in shapes]
    # The CPU rounds bfloat16 sums more than once.
    expected = function(*(a.float() if dtype == torch.bfloat16 else a for a in arguments)).to(dtype)
    actual = function(*(a.to(device) for a in arguments))
    assert actual.dtype == expected.dtype
    torch.testing.assert_close(actual.cpu(), expected, rtol=1e-5 if dtype != torch.bfloat16 else 1e-2, atol=1e-5)


def test_int64_products_are_exact(device: str) -> None:
    a = torch.tensor([[2**40 + 1, 3]])
    b = torch.tensor([[5], [2**33]])
    assert (a.to(device) @ b.to(device)).item() == 5 * (2**40 + 1) + 3 * 2**33


def test_float32_products_are_float32_accurate(device: str) -> None:
    a, b = torch.randn(64, 256), torch.randn(256, 64)
    error = (a.to(device) @ b.to(device)).cpu().double() - a.double() @ b.double()
    assert error.abs().max() < 1e-4


@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0, 1), (0.5, -2.5), (0, 0.5)])
def test_scales_of_addmm(device: str, beta: float, alpha: float) -> None:
    a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)
    if beta == 0:
        c[0, 0] = float("nan")  # not read
    expected = torch.addmm(c, a, b, beta=beta, alpha=alpha)
    actual = torch.addmm(c.to(device), a.to(device), b.to(device), beta=beta, alpha=alpha)
    torch.testing.assert_close(actual.cpu(), expected)


def test_a_new_scale_does_not_recompile(device: str, stats: dict[str, int]) -> None:
    a, b, c = (torch.randn(4, 4, device=device) for _ in range(3))
    torch.addmm(c, a, b, alpha=0.25).cpu()
    before = stats["compiles"]
    torch.addmm(c, a, b, alpha=0.75).cpu()
    assert stats["compiles"] == before


def test_views_and_gradients(device: str) -> None:
    def step(on: str) -> list[Tensor]:
        torch.manual_seed(0)
        x = torch.randn(5, 4, 3).to(on).requires_grad_()
        w = torch.randn(6, 4).to(on).requires_grad_()
        y = torch.einsum("bij,ki->bjk", x, w[:, ::1]) @ w[1:3].mT.contiguous()[:2].repeat(3, 1)
        return [y.detach(), *torch.autograd.grad(y.square().sum(), (x, w))]

    for actual, expected in zip(step(device), step("cpu"), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("gelu", [True, False])
def test_addmm_activation(device: str, gelu: bool) -> None:
    arguments = torch.randn(5), torch.randn(3, 4), torch.randn(4, 5)
    expected = torch._addmm_activation(*arguments, use_gelu=gelu)
    actual = torch._addmm_activation(*(a.to(device) for a in arguments), use_gelu=gelu)
    torch.testing.assert_close(actual.cpu(), expected)
