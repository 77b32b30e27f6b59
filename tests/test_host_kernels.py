"""PyTorch's own CPU kernels inside programs: the same values as without them, in every layout, and cached on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

pytestmark = pytest.mark.usefixtures("accelerator")


def _close(device: str, function: Any, *inputs: torch.Tensor, gradients: bool = True) -> None:
    """`function` and its gradients give the CPU's values."""
    gradients = gradients and inputs[0].dtype.is_floating_point
    host = [value.clone().requires_grad_(gradients) for value in inputs]
    moved = [value.to(device).requires_grad_(gradients) for value in inputs]
    expected, actual = function(*host), function(*moved)
    tolerance = {torch.bfloat16: 2e-2, torch.float16: 2e-3}.get(inputs[0].dtype, 1e-4)
    torch.testing.assert_close(actual.cpu(), expected, rtol=tolerance, atol=tolerance)
    if not gradients:
        return
    upstream = torch.linspace(-1, 1, expected.numel(), dtype=expected.dtype).view(expected.shape)
    expected.backward(upstream)
    actual.backward(upstream.to(device))
    for mine, theirs in zip(moved, host, strict=True):
        torch.testing.assert_close(mine.grad.cpu(), theirs.grad, rtol=10 * tolerance, atol=10 * tolerance)


def _random(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(sizes, dtype=dtype) / sizes[-1] ** 0.5


DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("sizes", [(37, 65, 129), (1, 300, 400), (300, 200, 1), (128, 256, 512)], ids=str)
def test_products_of_matrices(device: str, dtype: torch.dtype, transposed: tuple[bool, bool], sizes: Any) -> None:
    rows, inner, columns = sizes
    a, b = _random(rows, inner, dtype=dtype), _random(inner, columns, dtype=dtype)
    a, b = a.t().contiguous() if transposed[0] else a, b.t().contiguous() if transposed[1] else b

    def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.t() if transposed[0] else a) @ (b.t() if transposed[1] else b)

    _close(device, product, a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("batch", [(3,), (1,), (2, 3), (16,)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_products_of_batches(device: str, dtype: torch.dtype, batch: tuple[int, ...], transposed: bool) -> None:
    a, b = _random(*batch, 40, 70, dtype=dtype), _random(*batch, 70, 50, dtype=dtype)
    if transposed:
        _close(device, lambda a, b: a.mT @ b.mT, a.mT.contiguous(), b.mT.contiguous())
    else:
        _close(device, torch.matmul, a, b)


@pytest.mark.parametrize("bias", [(129,), (1, 129), (37, 1), (37, 129)], ids=str)
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0.5, 2), (0, 1)])
def test_products_that_are_added(device: str, bias: tuple[int, ...], beta: float, alpha: float) -> None:
    inputs = _random(*bias), _random(37, 65), _random(65, 129)
    _close(device, lambda c, a, b: torch.addmm(c, a, b, beta=beta, alpha=alpha), *inputs)


def test_a_product_with_views_of_one_storage(device: str) -> None:
    _close(device, lambda x: x[:64, 10:80] @ x[64:, 20:90].t(), _random(128, 96))
    _close(device, lambda x: x[::2, ::3] @ x[1::2, ::3].t(), _random(128, 300))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax], ids=lambda f: f.__name__)
def test_softmax(device: str, function: Any, dim: int, dtype: torch.dtype) -> None:
    _close(device, lambda x: function(x, dim), _random(7, 65, 129, dtype=dtype) * 30)


def test_softmax_of_infinities_and_nan(device: str) -> None:
    x = torch.randn(100, 100)
    x[3, 4], x[5] = float("nan"), float("-inf")
    x[7, 8], x[9, :50] = float("inf"), float("-inf")
    for function in (torch.softmax, torch.log_softmax):
        torch.testing.assert_close(function(x.to(device), -1).cpu(), function(x, -1), equal_nan=True)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [(256,), (16, 16)], ids=str)
def test_layer_norm(device: str, affine: bool, shape: tuple[int, ...]) -> None:
    x = _random(5, 13, *shape) + 3
    if affine:
        _close(device, lambda x, w, b: F.layer_norm(x, shape, w, b), x, torch.rand(shape), torch.rand(shape))
    else:
        _close(device, lambda x: F.layer_norm(x, shape), x)


def test_layer_norm_far_from_zero(device: str) -> None:
    x = torch.randn(64, 256) * 0.01 + 1000
    expected = F.layer_norm(x.double(), (256,)).float()
    torch.testing.assert_close(F.layer_norm(x.to(device), (256,)).cpu(), expected, rtol=1e-2, atol=2e-2)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("layout", ["heads first", "positions first", "one projection"])
@pytest.mark.parametrize("batch", [1, 3])
def test_attention(device: str, causal: bool, layout: str, batch: int) -> None:
    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    if layout == "heads first":
        _close(device, attend, *(_random(batch, 4, 33, 16) for _ in range(3)))
    elif layout == "positions first":
        _close(
            device, lambda *qkv: attend(*(x.transpose(1, 2) for x in qkv)), *(_random(batch, 33, 4, 16) for _ in "qkv")
        )
    else:
        _close(device, lambda x: attend(*x.permute(2, 0, 3, 1, 4)), _random(batch, 33, 3, 4, 16))


def test_attention_over_a_longer_memory_with_a_scale(device: str) -> None:
    inputs = _random(2, 4, 17, 16), _random(2, 4, 70, 16), _random(2, 4, 70, 16)
    _close(device, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), *inputs)


_PROGRAM = """
import torch, torch_pjrt
x = torch.ones(512, 512, device=d, requires_grad=True)
y = torch.nn.functional.layer_norm((x @ x / 512).softmax(-1), (512,)) @ x
q = x.view(4, 8, 128, 64)
(y.sum() + torch.nn.functional.scaled_dot_product_attention(q, q, q).sum()).backward()
assert x.grad.isfinite().all().item()
stats = torch_pjrt.stats()
print(stats["compiles"], stats["cache_hits_disk"])
"""


@pytest.mark.parametrize("mode", ["strict", "fused"])
def test_large_products_are_cached_on_disk(fresh_process: Any, tmp_path: Path, mode: str) -> None:
    def run() -> tuple[int, int]:
        finished = fresh_process.run(_PROGRAM, TORCH_PJRT_CACHE=str(tmp_path), TORCH_PJRT_MODE=mode)
        compiles, hits = finished.stdout.split()
        return int(compiles), int(hits)

    first, second = run(), run()
    assert first[0] > 0
    assert second == (0, first[0])


def test_they_can_be_switched_off(fresh_process: Any) -> None:
    program = """
    import torch
    a = torch.arange(40000.0, device=d).view(200, 200) / 40000
    torch.testing.assert_close((a @ a.t()).softmax(-1).cpu(), (a.cpu() @ a.cpu().t()).softmax(-1))
    """
    fresh_process.run(program, TORCH_PJRT_HOST_KERNELS="off")
