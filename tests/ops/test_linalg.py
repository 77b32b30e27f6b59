"""Factorizations and solvers against the CPU, or against what they must satisfy where signs are free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor


def tolerance(dtype: torch.dtype) -> float:
    return 1e-8 if dtype == torch.float64 else 2e-4


def close(actual: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            close(a, e)
        return
    assert actual.dtype == expected.dtype
    error = tolerance(expected.dtype)
    torch.testing.assert_close(actual.detach().cpu(), expected.detach(), rtol=error, atol=error)


def positive(a: Tensor) -> Tensor:
    return a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype)


FUNCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "det of a transpose": lambda a: torch.linalg.det(a.mT),
    "slogdet": torch.linalg.slogdet,
    "lu": torch.linalg.lu,
    "lu_factor": torch.linalg.lu_factor,
    "solve": lambda a: torch.linalg.solve(a, a[..., :2] + 1),
    "solve from the right": lambda a: torch.linalg.solve(a, a[..., :2, :] + 1, left=False),
    "solve a transpose": lambda a: torch.linalg.solve(a.mT, a[..., :2]),
    "lu_solve": lambda a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a + 1, adjoint=True),
    "cholesky": lambda a: torch.linalg.cholesky(a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype).to(a.device)),
    "solve_triangular": lambda a: torch.linalg.solve_triangular(a.triu() + 3 * torch.eye(4).to(a), a, upper=True),
    "cholesky_solve": lambda a: torch.cholesky_solve(a[..., :2], a.tril() + 3 * torch.eye(4).to(a)),
    "cholesky_inverse": lambda a: torch.cholesky_inverse(a.tril() + 3 * torch.eye(4).to(a)),
    "qr": torch.linalg.qr,
    "matrix_exp": torch.linalg.matrix_exp,
    "pinv": torch.linalg.pinv,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_gradients_match_the_cpu(device: str, name: str) -> None:
    def step(on: str) -> list[Tensor]:
        torch.manual_seed(0)
        a = (torch.randn(2, 4, 4) + 2 * torch.eye(4)).to(on).requires_grad_()
        results = FUNCTIONS[name](a)
        results = [r for r in (results if isinstance(results, tuple) else (results,)) if r.requires_grad]
        weights = [torch.arange(r.numel()).view(r.shape).cos().to(on) for r in results]
        return [*results, *torch.autograd.grad(results, (a,), weights)]

    for actual, expected in zip(step(device), step("cpu"), strict=True):
        torch.testing.assert_close(actual.detach().cpu(), expected.detach(), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", ["inv", "det", "solve", "cholesky", "qr", "matrix_exp"])
def test_complex(device: str, name: str) -> None:
    a = torch.randn(3, 3, dtype=torch.complex64) + 2 * torch.eye(3)
    close(FUNCTIONS[name](a.to(device)), FUNCTIONS[name](a))


@pytest.mark.parametrize("shape", [(150, 140), (3, 0), (5, 3), (3, 5)], ids=str)
def test_lu_of_blocks_and_odd_shapes(device: str, shape: tuple[int, int]) -> None:
    a = torch.randn(shape, dtype=torch.float64)
    close(tuple(torch.linalg.lu_factor(a.to(device))), tuple(torch.linalg.lu_factor(a)))


def test_cholesky_of_blocks(device: str) -> None:
    a = positive(torch.randn(150, 150, dtype=torch.float64))
    close(torch.linalg.cholesky(a.to(device)), torch.linalg.cholesky(a))


def test_failures_are_reported_as_on_the_cpu(device: str) -> None:
    indefinite = torch.diag(torch.tensor([1.0, -1.0, 2.0]))
    assert (
        torch.linalg.cholesky_ex(indefinite.to(device)).info.item() == torch.linalg.cholesky_ex(indefinite).info.item()
    )
    singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    assert torch.linalg.inv_ex(singular.to(device)).info.item() == torch.linalg.inv_ex(singular).info.item()
    for function, a in ((torch.linalg.cholesky, indefinite), (torch.linalg.inv, singular)):
        with pytest.raises(torch.linalg.LinAlgError) as on_cpu:
            function(a)
        with pytest.raises(torch.linalg.LinAlgError) as on_device:
            function(a.to(device))
        assert str(on_device.value).split(":")[0] == str(on_cpu.value).split(":")[0]


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(
    ("shape", "dtype"), [((5, 3), torch.float32), ((2, 3, 4), torch.complex64), ((3, 3), torch.float64)]
)
def test_singular_values(device: str, shape: tuple[int, ...], dtype: torch.dtype, full: bool) -> None:
    a = torch.randn(shape, dtype=dtype)
    u, s, vh = (x.cpu() for x in torch.linalg.svd(a.to(device), full_matrices=full))
    close(s, torch.linalg.svdvals(a))
    k = s.shape[-1]
    close((u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :], a)
    for basis in (u, vh.mH):
        close(basis.mH @ basis, torch.eye(basis.shape[-1], dtype=dtype).expand(*a.shape[:-2], -1, -1))


@pytest.mark.parametrize("kind", ["rank deficient", "zero", "equal", "large"])
def test_hard_singular_values(device: str, kind: str) -> None:
    a = {
        "rank deficient": torch.randn(4, 2) @ torch.randn(2, 4),
        "zero": torch.zeros(4, 4),
        "equal": torch.diag(torch.tensor([1.0, 1.0, 2.0, 2.0])),
        "large": torch.randn(4, 4) * 1e30,
    }[kind]
    u, s, vh = (x.cpu() for x in torch.linalg.svd(a.to(device)))
    scale = max(1.0, float(a.abs().max()))
    k = s.shape[0]
    torch.testing.assert_close((u[:, :k] * s) @ vh / scale, a / scale, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(u.mT @ u, torch.eye(u.shape[1]), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(vh @ vh.mT, torch.eye(vh.shape[0]), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("triangle", "dtype"), [("L", torch.float32), ("U", torch.complex64), ("L", torch.float64)])
def test_eigenvalues(device: str, triangle: str, dtype: torch.dtype) -> None:
    a = torch.randn(2, 5, 5, dtype=dtype)
    a = a + a.mH
    values, vectors = (x.cpu() for x in torch.linalg.eigh(a.to(device), UPLO=triangle))
    close(values, torch.linalg.eigvalsh(a, UPLO=triangle))
    close(a @ vectors, vectors * values.unsqueeze(-2))


def test_eigenvectors_of_opposite_eigenvalues(device: str) -> None:
    basis = torch.linalg.qr(torch.randn(8, 8))[0]
    a = basis @ torch.diag(torch.tensor([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 2.0, -2.0])) @ basis.mT
    values, vectors = (x.cpu() for x in torch.linalg.eigh(a.to(device)))
    torch.testing.assert_close(a @ vectors, vectors * values, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(vectors.mT @ vectors, torch.eye(8), rtol=1e-4, atol=1e-5)


def test_spectral_gradients(device: str) -> None:
    def step(on: str) -> list[Tensor]:
        torch.manual_seed(0)
        a = torch.randn(4, 4).to(on).requires_grad_()
        values, vectors = torch.linalg.eigh(a + a.mT)
        s = torch.linalg.svdvals(a)
        return list(torch.autograd.grad((vectors.abs() * values).sum() + s.square().cos().sum(), (a,)))

    for actual, expected in zip(step(device), step("cpu"), strict=True):
        torch.testing.assert_close(actual.cpu(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)], ids=str)
def test_qr_modes(device: str, mode: str, shape: tuple[int, int]) -> None:
    a = torch.randn(shape)
    close(tuple(torch.linalg.qr(a.to(device), mode)), tuple(torch.linalg.qr(a, mode)))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)], ids=str)
def test_least_squares(device: str, shape: tuple[int, int]) -> None:
    a, b = torch.randn(2, *shape), torch.randn(2, shape[0], 2)
    actual = torch.linalg.lstsq(a.to(device), b.to(device))
    expected = torch.linalg.lstsq(a, b, driver="gels")
    close(actual.solution, expected.solution)
    close(actual.residuals, expected.residuals)


def test_reflectors(device: str) -> None:
    a = torch.randn(5, 3)
    packed, taus = torch.geqrf(a)
    close(tuple(torch.geqrf(a.to(device))), (packed, taus))
    close(
        torch.linalg.householder_product(packed.to(device), taus.to(device)),
        torch.linalg.householder_product(packed, taus),
    )
    other = torch.randn(5, 2)
    expected = torch.ormqr(packed, taus, other, transpose=True)
    close(torch.ormqr(packed.to(device), taus.to(device), other.to(device), transpose=True), expected)


@pytest.mark.parametrize("diagonal", [-2, 0, 1, 9])
def test_triangles(device: str, diagonal: int) -> None:
    for x in (torch.randn(2, 3, 4), torch.ones(4, 3, dtype=torch.bool), torch.randn(0, 3)):
        for function in (torch.tril, torch.triu):
            assert torch.equal(function(x.to(device), diagonal).cpu(), function(x, diagonal))
    for function in (torch.tril_indices, torch.triu_indices):
        for rows, columns in ((3, 4), (5, 2), (0, 3)):
            actual = function(rows, columns, diagonal, device=device)
            assert torch.equal(actual.cpu(), function(rows, columns, diagonal))


def test_trace_and_cross(device: str) -> None:
    for a in (torch.randn(3, 5), torch.arange(12).view(4, 3), torch.randn(0, 2)):
        torch.testing.assert_close(torch.trace(a.to(device)).cpu(), torch.trace(a))
    a, b = torch.randn(4, 3, 2), torch.randn(1, 3, 2)
    torch.testing.assert_close(
        torch.linalg.cross(a.to(device), b.to(device), dim=1).cpu(), torch.linalg.cross(a, b, dim=1)
    )
