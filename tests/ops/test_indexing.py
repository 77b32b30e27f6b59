"""Reads and writes at index tensors, against the CPU: repeated, negative and empty indices, masks, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor


def values(dtype: torch.dtype, *shape: int) -> Tensor:
    """Numbers whose sums are exact in every dtype."""
    return (torch.randint(-4, 5, shape) if dtype != torch.bool else torch.randint(0, 2, shape)).to(dtype)


def agree(device: str, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """`function` gives on the device what it gives on the CPU."""

    def moved(argument: Any) -> Any:
        if isinstance(argument, Tensor):
            return argument.to(device)
        return type(argument)(moved(a) for a in argument) if isinstance(argument, (list, tuple)) else argument

    actual = function(*moved(arguments), **{k: moved(v) for k, v in keywords.items()})
    expected = function(*arguments, **keywords)
    pairs = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
    for a, e in pairs:
        assert a.device.type == torch.device(device).type
        torch.testing.assert_close(a.cpu(), e, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_reads(device: str, dtype: torch.dtype) -> None:
    x = values(dtype, 4, 5, 3)
    agree(device, torch.index_select, x, 1, torch.tensor([4, 0, 0]))
    agree(device, torch.gather, x.transpose(0, 2), 1, torch.tensor([[[0, 4], [3, 3]]]))
    agree(device, torch.take, x, torch.tensor([[0, -1], [59, 7]]))
    agree(device, lambda x, i: x[i], x, torch.tensor([[0, -1], [2, 2]]))
    agree(device, lambda x, i, j: x[:, i, j], x, torch.tensor([[1], [-2]]), torch.tensor([0, 2, 1]))
    agree(device, lambda x, i, j: x[i, :, j], x, torch.tensor([1, 3]), torch.tensor(2))
    agree(device, lambda x: x[:, None, 2, ..., :2], x)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.bool])
def test_masks(device: str, dtype: torch.dtype) -> None:
    x = values(dtype, 4, 5, 3)
    deep, column = torch.rand(4, 5) < 0.5, torch.tensor([True, False, True, True, False])
    agree(device, lambda x, m: x[m], x, deep)
    agree(device, lambda x, m: x[:, m], x, column)
    agree(device, lambda x, m: x[..., m], x, torch.tensor([False, False, False]))
    agree(device, lambda x, m: x[m], x, torch.zeros(4, dtype=torch.bool))
    agree(device, lambda x, m, i: x[m, :, i], x, torch.tensor([True, False, True, False]), torch.tensor([2, 0]))
    agree(device, lambda x, m, i: x[:, m, i], x, column, torch.tensor(1))
    agree(device, lambda x, m: x[m], x, torch.ones(4, 5, 3, dtype=torch.bool))
    agree(device, torch.masked_select, x, column[:, None])
    agree(device, torch.masked_scatter, x, deep[..., None], values(dtype, 60))
    agree(device, torch.masked_fill, x, column[:, None], 1)
    agree(device, torch.masked_fill, x[0, 0, 0], column, torch.tensor(1, dtype=dtype))


def test_a_mask_of_a_tensor_without_elements(device: str) -> None:
    agree(device, lambda x, m: x[m], torch.ones(0, 3), torch.ones(0, dtype=torch.bool))
    agree(device, lambda x, m: x[m], torch.ones(0, 3), torch.ones(0, 3, dtype=torch.bool))
    agree(device, torch.nonzero, torch.ones(0, 3))
    agree(device, torch.nonzero, torch.tensor(7))
    agree(device, torch.nonzero, torch.tensor(0.0))


def written(write: Callable[..., Any]) -> Callable[..., Tensor]:
    """A write into `x` as a function of `x`, through a non-contiguous view."""

    def function(x: Tensor, *arguments: Any) -> Tensor:
        base = x.transpose(0, -1).clone()
        write(base.transpose(0, -1), *arguments)
        return base

    return function


def setitem(x: Tensor, index: Any, value: Any) -> None:
    x[index] = value


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64])
def test_writes(device: str, dtype: torch.dtype) -> None:
    x = values(dtype, 4, 5, 3)
    i, j = torch.tensor([[1], [-2]]), torch.tensor([0, 2, 1])
    agree(device, written(setitem), x, (slice(None), i, j), values(dtype, 4, 2, 3))
    agree(device, written(setitem), x, (i, slice(None), j), values(dtype, 5))
    agree(
        device,
        written(lambda x, i, v: x.index_put_((i,), v, accumulate=True)),
        x,
        torch.tensor([0, 3, 0]),
        values(dtype, 3, 5, 3),
    )
    agree(
        device,
        written(lambda x, i, v: torch.ops.aten.index_put_(x, [None, i], v, True)),
        x,
        torch.tensor([0, 0]),
        values(dtype, 1),
    )
    agree(device, written(lambda x, i, v: x.put_(i, v, accumulate=True)), x, torch.tensor([0, -1, 0]), values(dtype, 3))
    agree(device, written(lambda x, i, v: x.put_(i, v)), x, torch.tensor([0, -1]), values(dtype, 2))
    agree(device, torch.index_copy, x, 1, torch.tensor([4, 0]), values(dtype, 4, 2, 3))
    agree(device, torch.index_fill, x, 1, torch.tensor([4, -5]), 1)
    agree(device, torch.index_fill, x[0, 0, 0], 0, torch.tensor(0), torch.tensor(1, dtype=dtype))
    agree(device, torch.index_add, x, 2, torch.tensor([1, 1, 0, 1]), values(dtype, 4, 5, 4))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_writes_under_a_mask(device: str, dtype: torch.dtype) -> None:
    x = values(dtype, 4, 5, 3)
    deep, column = torch.rand(4, 5) < 0.5, torch.tensor([True, False, True, True, False])
    count = int(deep.sum())
    agree(device, written(setitem), x, deep, 1)
    agree(device, written(setitem), x, deep, values(dtype, 3))
    agree(device, written(setitem), x, deep, values(dtype, count, 3))
    agree(device, written(setitem), x, (slice(None), column), values(dtype, 4, 3, 1))
    agree(device, written(setitem), x, (slice(None), column), values(dtype, 3, 3))
    agree(device, written(setitem), x, (slice(None), column, torch.tensor(2)), values(dtype, 4, 3))
    agree(device, written(setitem), x, (slice(None), column, torch.tensor([2, 0, 1])), values(dtype, 3))
    agree(device, written(lambda x, m, v: x.index_put_((m,), v, accumulate=True)), x, deep, values(dtype, count, 3))


def test_writes_under_a_mask_do_not_wait(device: str, stats: Any) -> None:
    x, mask = torch.zeros(8, device=device), torch.tensor([True, False] * 4, device=device)
    some = torch.arange(4.0, device=device)
    for value in (2.0, some):
        stats.reset()
        x[mask] = value
        assert stats["blocking_waits"] == 0
    assert x.tolist() == [0, 0, 1, 0, 2, 0, 3, 0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.bool])
def test_scatter(device: str, dtype: torch.dtype) -> None:
    x, source = values(dtype, 4, 5), values(dtype, 3, 6)
    index = torch.tensor([[0, 4, 0], [2, 2, 2]])
    agree(device, torch.scatter, x, 1, torch.tensor([[0, 4], [3, 2]]), source)
    agree(device, torch.scatter, x, 0, torch.tensor([[3, 1, 0]]), 1)
    agree(device, torch.scatter_add, x, 1, index, source)
    agree(device, torch.scatter_add, x, 0, index.clamp(max=3), source)
    agree(device, torch.scatter_add, x, 1, torch.zeros(0, 3, dtype=torch.int64), source)
    agree(device, torch.scatter_add, x[0, 0], 0, torch.tensor(0), source[0, 0])
    agree(device, torch.scatter, x, 1, index, source, reduce="add")
    agree(device, torch.scatter, x, 1, index, 2, reduce="multiply")


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_scatter_reduce(device: str, dtype: torch.dtype, reduce: str, include_self: bool) -> None:
    x, source = values(dtype, 4, 5), values(dtype, 3, 6)
    index = torch.tensor([[0, 4, 0], [2, 2, 2]])
    agree(device, torch.scatter_reduce, x, 1, index, source, reduce, include_self=include_self)
    if reduce != "sum":
        rows = torch.tensor([0, 2, 2, 0, 0])
        agree(device, torch.index_reduce, x, 0, rows, values(dtype, 5, 5), reduce, include_self=include_self)


def test_scatter_reduce_keeps_nan(device: str) -> None:
    nan = float("nan")
    x, index = torch.tensor([1.0, nan, 3.0]), torch.tensor([0, 0, 1, 2, 2])
    source = torch.tensor([nan, 0.0, 5.0, 4.0, nan])
    for reduce in ("amax", "amin"):
        for include_self in (True, False):
            agree(device, torch.scatter_reduce, x, 0, index, source, reduce, include_self=include_self)


def test_gradients(device: str) -> None:
    def gradients(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, ...]]:
        def run(x: Tensor, source: Tensor, *rest: Any) -> tuple[Tensor, ...]:
            leaves = [x.detach().requires_grad_(), source.detach().requires_grad_()]
            y = function(*leaves, *rest)
            weights = torch.arange(1.0, 1 + y.numel(), device=y.device).view(y.shape)
            found = torch.autograd.grad((y * weights).sum(), leaves, allow_unused=True)
            return tuple(g for g in found if g is not None)

        return run

    x, source = torch.randn(4, 5), torch.randn(4, 5)
    index, rows = torch.randint(0, 4, (4, 5)), torch.tensor([1, 1, 3, 0])
    mask = torch.rand(4, 5) < 0.5
    for function, rest in {
        lambda x, s, i: x.gather(0, i): (index,),
        lambda x, s, i: x.scatter_add(0, i, s): (index,),
        lambda x, s, i: x.scatter_reduce(0, i, s, "amax"): (index,),
        lambda x, s, i: x.scatter_reduce(0, i, s, "prod"): (index,),
        lambda x, s, i: x.index_select(0, i) * s: (rows,),
        lambda x, s, i: x.index_add(0, i, s, alpha=2): (rows,),
        lambda x, s, i: x[i] + s: (rows,),
        lambda x, s, i: x[i, -1] + s[0, 0]: (rows,),
        lambda x, s, m: x.masked_scatter(m, s): (mask,),
        lambda x, s, m: x[m] * s[m]: (mask,),
        lambda x, s, m: x.masked_fill(m, 2.0) * s: (mask,),
        lambda x, s, i: x.index_put((i,), s, accumulate=True): (rows,),
    }.items():
        agree(device, gradients(function), x, source, *rest)


WRONG: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "index 6 is out of bounds": lambda x, six, minus: x[:, six],
    "index 7 is out of bounds for dimension 1 with size 5": lambda x, six, minus: x.gather(1, six[None] + 1),
    "index out of range in self": lambda x, six, minus: x.index_select(0, minus),
    "out of range in self": lambda x, six, minus: F.embedding(six, x),
    "tried to access index 600 on a tensor of 15 elements": lambda x, six, minus: x.take(six * 100),
    "index -1 is out of bounds for dimension 0 with size 3": lambda x, six, minus: x.scatter(0, minus[None], 1.0),
    "index 6 is out of bounds for dimension 0 with size 3": lambda x, six, minus: x.index_add(0, six, x[:1]),
    "tried to access index -100": lambda x, six, minus: x.put(minus * 100, x[0, :1]),
    "index 6 is out of bounds for dimension 0": lambda x, six, minus: x.index_put((six,), x[0]),
    "size 3": lambda x, six, minus: x.index_fill(0, six, 1.0),
    "source": lambda x, six, minus: x.masked_scatter(x == 0, x[0]),
    "shape mismatch": lambda x, six, minus: x.index_put((x == 0,), x[0]),
    "shape mismatch: indexing tensors": lambda x, six, minus: x[x[:, 0] < 20, (six * 0).expand(2)],
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_indices_raise_what_the_cpu_raises(device: str, words: str) -> None:
    arguments = [torch.arange(15.0).view(3, 5), torch.tensor([6]), torch.tensor([-1])]
    if "masked" in words or words in ("source", "shape mismatch"):
        arguments[0] *= 0
    with pytest.raises((IndexError, RuntimeError), match=words) as on_cpu:
        WRONG[words](*arguments)
    with pytest.raises(on_cpu.type, match=words):
        WRONG[words](*(a.to(device) for a in arguments)).cpu()


def test_embedding(device: str) -> None:
    weight, index = torch.randn(6, 4), torch.tensor([[1, 5, 1], [0, 2, 1]])
    for keywords in ({}, {"padding_idx": 1}, {"scale_grad_by_freq": True, "padding_idx": -4}):

        def run(weight: Tensor, index: Tensor, keywords: dict[str, Any] = keywords) -> tuple[Tensor, Tensor]:
            leaf = weight.detach().requires_grad_()
            y = F.embedding(index, leaf, **keywords)
            y.backward(torch.arange(1.0, 25.0, device=y.device).view(2, 3, 4))
            assert leaf.grad is not None
            return y.detach(), leaf.grad

        agree(device, run, weight, index)
    table = torch.randn(6, 4) * 3
    agree(device, lambda t, i: torch.embedding_renorm_(t.clone(), i, 1.5, 2.0), table, index.flatten())
    agree(device, lambda t, i: torch.embedding_renorm_(t.clone(), i, 1.5, 1.0), table, index.flatten())


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag(device: str, mode: str) -> None:
    weight, index = torch.randn(6, 4), torch.tensor([1, 5, 1, 0, 2, 1])
    offsets, scales = torch.tensor([0, 3, 3, 5]), torch.randn(6)
    for keywords in ({}, {"padding_idx": 1}, {"include_last_offset": True}):

        def run(
            weight: Tensor, index: Tensor, offsets: Tensor, scales: Tensor, keywords: dict[str, Any] = keywords
        ) -> tuple[Tensor, ...]:
            if "include_last_offset" in keywords:
                offsets = torch.cat([offsets, offsets.new_tensor([6])])
            leaves = [weight.detach().requires_grad_()]
            weights = None
            if mode == "sum":
                leaves.append(scales.detach().requires_grad_())
                weights = leaves[1]
            y = F.embedding_bag(index, leaves[0], offsets, mode=mode, per_sample_weights=weights, **keywords)
            return (y.detach(), *torch.autograd.grad(y, leaves, torch.arange(1.0, 17.0, device=y.device).view(4, 4)))

        agree(device, run, weight, index, offsets, scales)
