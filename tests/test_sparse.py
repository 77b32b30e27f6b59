"""Sparse COO tensors on the device: what they hold, sums, products, gradients, and optimizers that take them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("accelerator")

INDICES = torch.tensor([[0, 2, 0, 1, 2], [3, 1, 3, 0, 1]])


def _sparse(device: str, *dense: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """[3, 4, dense..] with two places named twice."""
    values = (torch.arange(5 * torch.Size(dense).numel()) + 1).reshape(5, *dense).to(dtype)
    return torch.sparse_coo_tensor(INDICES.to(device), values.to(device), (3, 4, *dense))


DTYPES = [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("dense", [(), (2,), (2, 3)], ids=str)
def test_dense_and_back(device: str, dense: tuple[int, ...], dtype: torch.dtype) -> None:
    mine, theirs = _sparse(device, *dense, dtype=dtype), _sparse("cpu", *dense, dtype=dtype)
    assert (mine.layout, mine.device.type, mine.shape) == (torch.sparse_coo, device, theirs.shape)
    assert (mine.sparse_dim(), mine.dense_dim(), mine._nnz()) == (2, len(dense), 5)
    assert torch.equal(mine.to_dense().cpu(), theirs.to_dense())
    again = mine.to_dense().to_sparse(2)
    assert torch.equal(again.indices().cpu(), theirs.to_dense().to_sparse(2).indices())
    assert torch.equal(again.to_dense().cpu(), theirs.to_dense())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_coalesce(device: str, dtype: torch.dtype) -> None:
    mine, theirs = _sparse(device, 2, dtype=dtype), _sparse("cpu", 2, dtype=dtype)
    assert not mine.is_coalesced()
    mine, theirs = mine.coalesce(), theirs.coalesce()
    assert mine.is_coalesced()
    assert torch.equal(mine.indices().cpu(), theirs.indices())
    assert torch.equal(mine.values().cpu(), theirs.values())


def test_copies(device: str) -> None:
    host = _sparse("cpu")
    for mine in (host.to(device), _sparse(device).clone(), copy.deepcopy(_sparse(device)), _sparse(device).detach()):
        assert mine.device.type == device
        assert torch.equal(mine.cpu().to_dense(), host.to_dense())
    assert torch.equal(_sparse(device).to(torch.float64).to_dense().cpu(), host.to(torch.float64).to_dense())
    assert "nnz=5" in repr(_sparse(device))


def test_arithmetic(device: str) -> None:
    mine, theirs = _sparse(device), _sparse("cpu")
    dense = torch.arange(12.0).view(3, 4)
    for result, expected in (
        (mine + mine, theirs + theirs),
        (mine * 3, theirs * 3),
        (mine / 2, theirs / 2),
        (-mine, -theirs),
        (dense.to(device) + mine, dense + theirs),
        (torch.add(dense.to(device), mine, alpha=-2), torch.add(dense, theirs, alpha=-2)),
        (mine * dense.to(device), theirs * dense),
        (dense.to(device).sparse_mask(mine.coalesce()), dense.sparse_mask(theirs.coalesce())),
    ):
        assert result.layout == expected.layout
        torch.testing.assert_close(result.to_dense().cpu(), expected.to_dense())
    assert mine.sum().item() == theirs.sum().item()
    written = dense.to(device)
    written.add_(mine)
    torch.testing.assert_close(written.cpu(), dense + theirs.to_dense())


def test_products_and_their_gradients(device: str) -> None:
    right, start = torch.randn(4, 5), torch.randn(3, 5)

    def run(device: str) -> list[torch.Tensor]:
        left = _sparse(device).coalesce().requires_grad_()
        moved = [value.detach().to(device).requires_grad_() for value in (right, start)]
        product = torch.sparse.mm(left, moved[0])
        sum_of_two = torch.sparse.addmm(moved[1], left, moved[0], beta=0.5, alpha=2)
        (product.square().sum() + sum_of_two.square().sum()).backward()
        assert left.grad is not None
        plain = left.detach() @ moved[0].detach()
        results = [product, sum_of_two, plain, left.grad.to_dense(), *(value.grad for value in moved)]
        return [value.detach().cpu() for value in results]

    for mine, theirs in zip(run(device), run("cpu"), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)


def test_gradients_through_the_layouts(device: str) -> None:
    dense = torch.tensor([[0.0, 1.0], [2.0, 0.0]])

    def run(device: str) -> torch.Tensor:
        leaf = dense.detach().to(device).requires_grad_()
        (leaf.to_sparse().to_dense() ** 3).sum().backward()
        assert leaf.grad is not None
        return leaf.grad.to_dense().cpu()

    torch.testing.assert_close(run(device), run("cpu"))


@pytest.mark.parametrize("optimizer", ["SGD", "SparseAdam", "Adagrad"])
def test_embeddings_with_sparse_gradients(device: str, optimizer: str) -> None:
    tokens = torch.tensor([[1, 5, 5], [7, 1, 0]])

    def run(device: str) -> torch.Tensor:
        torch.manual_seed(0)
        embedding = nn.Embedding(10, 4, sparse=True).to(device)
        steps = getattr(torch.optim, optimizer)(embedding.parameters(), lr=0.1)
        for _ in range(3):
            steps.zero_grad()
            embedding(tokens.to(device)).square().sum().backward()
            assert embedding.weight.grad.is_sparse
            steps.step()
        return embedding.weight.detach().cpu()

    torch.testing.assert_close(run(device), run("cpu"), rtol=1e-5, atol=1e-6)


def test_what_is_wrong_is_said(device: str) -> None:
    with pytest.raises(RuntimeError, match=r"size|range|bounds"):
        torch.sparse_coo_tensor(INDICES.to(device), torch.ones(5, device=device), (2, 4), check_invariants=True)
    with pytest.raises(RuntimeError, match=r"cannot be multiplied|size"):
        torch.sparse.mm(_sparse(device), torch.ones(3, 3, device=device))
    with pytest.raises(RuntimeError, match="out of bounds"):
        torch.sparse_coo_tensor(INDICES.to(device), torch.ones(5, device=device), (2, 4)).to_dense().cpu()


def test_an_empty_one(device: str) -> None:
    empty: Any = torch.zeros(3, 4, device=device).to_sparse()
    assert empty._nnz() == 0
    assert empty.coalesce().to_dense().cpu().count_nonzero() == 0
    assert torch.sparse_coo_tensor((3, 4), device=device).to_dense().shape == (3, 4)
