"""Sizes that vary under torch.compile: lengths of a bucket share one program, and results are those of the real length.

Arguments are padded with NaN and out-of-range numbers here, so that anything that reads the padding is seen.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from torch_pjrt import bucketing
from torch_pjrt.bucketing import buckets
from torch_pjrt.bucketing.buckets import BucketedGraph, bucket_of

pytestmark = pytest.mark.usefixtures("accelerator", "strict_mode")

# The first two have one bucket; so have the last two.
LENGTHS = (19, 32, 23, 33, 64)

Function = Callable[..., Any]


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BucketedGraph]]:
    """The graphs that a test makes. Their arguments are padded with what would spoil a result."""
    made: list[BucketedGraph] = []
    start = BucketedGraph.__init__

    def remember(self: BucketedGraph, *args: Any) -> None:
        start(self, *args)
        made.append(self)

    def poison(dtype: torch.dtype) -> Any:
        return math.nan if dtype.is_floating_point or dtype.is_complex else True if dtype == torch.bool else 77

    monkeypatch.setattr(BucketedGraph, "__init__", remember)
    monkeypatch.setattr(buckets, "padding_of", poison)
    torch._dynamo.reset()
    yield made
    torch._dynamo.reset()


def _leaves(results: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]


def _run(function: Function, inputs: list[torch.Tensor], device: str) -> list[torch.Tensor]:
    """The results and the gradients of the inputs, on the CPU."""
    moved = [tensor.detach().clone().to(device).requires_grad_(tensor.is_floating_point()) for tensor in inputs]
    results = _leaves(function(*moved))
    torch.manual_seed(1)
    weights = [torch.randn(result.shape) for result in results]
    gradients: list[torch.Tensor | None] = []
    chosen = [(r, w) for r, w in zip(results, weights, strict=True) if r.requires_grad]
    if chosen:
        torch.autograd.backward([r for r, _ in chosen], [w.to(device) for _, w in chosen])
        gradients = [tensor.grad for tensor in moved]
    return [leaf.detach().cpu() for leaf in [*results, *gradients] if leaf is not None]


def _check(function: Function, make: Callable[[int], list[torch.Tensor]], device: str) -> None:
    compiled = torch.compile(function, dynamic=True, fullgraph=True)
    for length in LENGTHS:
        torch.manual_seed(length)
        inputs = make(length)
        expected = _run(function, inputs, "cpu")
        actual = _run(compiled, inputs, device)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert one.stride() == other.contiguous().stride() or not other.is_contiguous()
            torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-5, equal_nan=True)


def _of(*shape: Any) -> Callable[[int], list[torch.Tensor]]:
    """One tensor; "n" is the length in its shape."""
    return lambda n: [torch.randn([n if size == "n" else n - 1 if size == "n-1" else size for size in shape])]


def _both(*makers: Callable[[int], list[torch.Tensor]]) -> Callable[[int], list[torch.Tensor]]:
    return lambda n: [tensor for make in makers for tensor in make(n)]


def _indices(limit: int, *shape: Any) -> Callable[[int], list[torch.Tensor]]:
    return lambda n: [torch.randint(0, limit, [n if size == "n" else size for size in shape])]


def _positions(x: torch.Tensor, start: int = 0) -> torch.Tensor:
    return torch.arange(start, x.shape[1] + start, device=x.device)


attend = F.scaled_dot_product_attention

ROWS = _of(12, "n")
SEQUENCES = _of(3, "n", 10)
HEADS = _of(2, 3, "n", 4)
CLASSES = _both(SEQUENCES, _indices(10, 3, "n"))

CASES: dict[str, tuple[Function, Callable[[int], list[torch.Tensor]]]] = {
    # elementwise
    "elementwise": (lambda x: (x.exp() + 1).log() * x.sigmoid(), SEQUENCES),
    "broadcast": (lambda x, y: x * y + x.mean(1, keepdim=True), _both(SEQUENCES, _of("n", 1))),
    "division by a size": (lambda x: x.sum(1) / x.shape[1] + x.shape[1] * 2, SEQUENCES),
    "where": (lambda x: torch.where(x > 0, x, x * 0.5).clamp(-1, 1), SEQUENCES),
    "masked_fill": (lambda x: x.masked_fill(x > 0, -1.0), SEQUENCES),
    "cast": (lambda x: x.to(torch.float64).to(torch.float32) + x.int(), SEQUENCES),
    # constants
    "zeros": (lambda x: torch.cat([x, torch.zeros_like(x)], -1), SEQUENCES),
    "ones": (lambda x: x + torch.ones(x.shape[1], 1, device=x.device), SEQUENCES),
    "full": (lambda x: x * torch.full((3, x.shape[1], 1), 2.0, device=x.device).sum(1, keepdim=True), SEQUENCES),
    "arange": (lambda x: x * _positions(x)[:, None], SEQUENCES),
    "arange with start": (lambda x: x * _positions(x, 3)[:, None], SEQUENCES),
    "positions from the end": (lambda x: x * (x.shape[1] - 1 - _positions(x))[:, None], SEQUENCES),
    # views
    "flatten": (lambda x: x.reshape(-1, 10) * 2, SEQUENCES),
    "flatten all": (lambda x: x.flatten() * 2, SEQUENCES),
    "flatten inner": (lambda x: x.transpose(1, 2).reshape(30, -1).cumsum(1), SEQUENCES),
    "unflatten": (lambda x: x.view(3, -1, 2, 5).transpose(1, 2).sum(1), SEQUENCES),
    "permute": (lambda x: x.permute(2, 0, 1) + 1, SEQUENCES),
    "squeeze": (lambda x: x.unsqueeze(1).squeeze(1).unsqueeze(-1).expand(-1, -1, -1, 2), SEQUENCES),
    "expand to a size": (lambda x, y: x.expand(y.shape[1], 4).cumsum(0), _both(_of(4), ROWS)),
    "repeat": (lambda x: x.repeat(2, 1, 1), SEQUENCES),
    "shift": (lambda x: x[:, 1:] - x[:, :-1], SEQUENCES),
    "first": (lambda x: x[:, 0] + x[:, 3], SEQUENCES),
    "last": (lambda x: x[:, -1] * x[:, -2], SEQUENCES),
    "last ones": (lambda x: x[:, -5:].sum(1), SEQUENCES),
    "first ones": (lambda x: x[:, :5].sum(1), SEQUENCES),
    "all but the last ones": (lambda x: x[:, :-3].sum(1), SEQUENCES),
    "steps": (lambda x: x[:, ::2] * 2, SEQUENCES),
    "part of a table": (lambda x, t: x + t[: x.shape[1]], _both(SEQUENCES, _of(64, 10))),
    "end of a table": (lambda x, t: x + t[-x.shape[1] :], _both(SEQUENCES, _of(64, 10))),
    "split": (lambda x: [part * 2 for part in x.split(5, -1)], SEQUENCES),
    "chunk": (lambda x: x.chunk(2, -1)[0] * x.chunk(2, -1)[1], SEQUENCES),
    "unbind": (lambda x: sum(x.unbind(0)), SEQUENCES),
    "flip": (lambda x: x.flip(1), SEQUENCES),
    "cat": (lambda x, y: torch.cat([x, y, x], 1), _both(SEQUENCES, _of(3, "n-1", 10))),
    "cat before": (lambda x, y: torch.cat([y, x], 1), _both(SEQUENCES, _of(3, 1, 10))),
    "cat after": (lambda x, y: torch.cat([x, y], 1), _both(SEQUENCES, _of(3, 2, 10))),
    "stack": (lambda x: torch.stack([x, x * 2], 1), SEQUENCES),
    "pad": (lambda x: F.pad(x, (1, 2, 3, 1), value=2.0), SEQUENCES),
    "roll by one": (lambda x: torch.cat([x[:, -1:], x[:, :-1]], 1), SEQUENCES),
    "causal mask": (lambda x: (x @ x.mT).masked_fill(x.new_ones(x.shape[1], x.shape[1]).triu(1) > 0, -9.0), SEQUENCES),
    # reductions
    "sum": (lambda x: (x.sum(1), x.sum(), x.sum((0, 1)), x.sum(2)), SEQUENCES),
    "mean": (lambda x: (x.mean(1), x.mean(), x.mean((0, 1)), x.mean(2)), SEQUENCES),
    "mean of a flattened batch": (lambda x: x.reshape(-1, 10).mean(0), SEQUENCES),
    "var": (lambda x: (x.var(1), x.std(), x.var((0, 1), correction=0), *torch.var_mean(x, 1)), SEQUENCES),
    "extremes": (lambda x: (x.amax(1), x.amin(1), x.max(), x.min(), *x.max(1), *x.min(1)), SEQUENCES),
    "argmax": (lambda x: (x.argmax(1), x.argmin(1, keepdim=True)), SEQUENCES),
    "integer extremes": (lambda x: (x.amax(1), x.amin(1), x.sum(1)), _indices(9, 3, "n")),
    "prod": (lambda x: (x.prod(1), x.prod()), _of(2, "n")),
    "any": (lambda x: ((x > 2).any(1), (x > -9).all(1), (x > 0).all(), torch.count_nonzero(x > 0, 1)), SEQUENCES),
    "norm": (lambda x: (x.norm(dim=1), x.norm(), x.norm(p=1, dim=1), x.norm(p=math.inf)), SEQUENCES),
    "logsumexp": (lambda x: x.logsumexp(1), SEQUENCES),
    "cumulative": (lambda x: (x.cumsum(1), x.cumprod(1), x.logcumsumexp(1), x.cummax(1)[0]), SEQUENCES),
    "sort": (lambda x: (*x.sort(1), *x.sort(1, descending=True)), SEQUENCES),
    "topk": (lambda x: (*x.topk(4, 1), *x.topk(4, 1, largest=False)), SEQUENCES),
    # softmax
    "softmax": (lambda x: (x.softmax(1), x.softmax(2), x.log_softmax(1)), SEQUENCES),
    # products
    "mm": (lambda x, w: (x.mT @ x, x @ w, x @ x.mT), _both(_of("n", 10), _of(10, 10))),
    "bmm": (lambda x: (x @ x.mT, x.mT @ x), SEQUENCES),
    "addmm": (lambda x, w, b: torch.addmm(b, x, w), _both(_of("n", 10), _of(10, 4), _of(4))),
    "mv": (lambda x, v: (x @ v, x.mT @ x[:, 0]), _both(_of("n", 10), _of(10))),
    "einsum": (lambda x: torch.einsum("btc,bsc->bts", x, x).softmax(-1), SEQUENCES),
    "linear": (lambda x, w, b: F.linear(x, w, b), _both(SEQUENCES, _of(4, 10), _of(4))),
    "attention": (lambda x: attend(x, x * 2, x + 1), HEADS),
    "causal attention": (lambda x: attend(x, x * 2, x + 1, is_causal=True), HEADS),
    "attention with a mask": (lambda x, m: attend(x, x * 2, x + 1, m > 0.3), _both(HEADS, _of("n", "n"))),
    "attention with a bias": (lambda x, m: attend(x, x * 2, x + 1, m), _both(HEADS, _of(2, 1, 1, "n"))),
    "cross attention": (lambda x, q: attend(q, x * 2, x + 1), _both(HEADS, _of(2, 3, 5, 4))),
    "cross attention of a varying query": (lambda q, x: attend(q, x * 2, x + 1), _both(HEADS, _of(2, 3, 5, 4))),
    # normalization
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (10,), w, b), _both(SEQUENCES, _of(10), _of(10))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (10,), w), _both(SEQUENCES, _of(10))),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), _both(_of("n", 4, 5), _of(4), _of(4))),
    # indices
    "embedding": (lambda i, w: F.embedding(i, w), _both(_indices(9, 2, "n"), _of(9, 4))),
    "embedding of positions": (lambda x, w: x + F.embedding(_positions(x), w), _both(SEQUENCES, _of(64, 10))),
    "index": (lambda x, i: (x[:, i], x[i, 0]), _both(_of(9, 9), _indices(9, "n"))),
    "index from the end": (lambda x, i: x[:, -1 - i], _both(SEQUENCES, _indices(9, 4))),
    "index of rows": (lambda x, i: x[torch.arange(3, device=x.device), i], _both(SEQUENCES, _indices(9, 3))),
    "index_select": (lambda x, i: x.index_select(1, i), _both(SEQUENCES, _indices(9, "n"))),
    "gather": (lambda x, i: (x.gather(2, i), x.gather(1, i)), _both(SEQUENCES, _indices(9, 3, "n", 2))),
    "scatter_add": (lambda x, i, s: x.scatter_add(1, i, s), _both(_of(3, 9), _indices(9, 3, "n"), _of(3, "n"))),
    "index_add": (lambda x, i, s: x.index_add(0, i, s), _both(_of(9, 4), _indices(9, "n"), _of("n", 4))),
    "index_put": (lambda x, i, s: x.index_put((i,), s, True), _both(_of(9, 4), _indices(9, "n"), _of("n", 4))),
    "index_put of one row each": (lambda x, s: x.index_put((_positions(s.mT),), s), _both(_of(64, 4), _of("n", 4))),
    "scatter": (lambda x, s: x.scatter(1, s.argsort(1), s), _both(_of(3, 64), _of(3, "n"))),
    "one_hot": (lambda i, w: F.one_hot(i, 9).float() @ w, _both(_indices(9, 2, "n"), _of(9, 4))),
    # losses
    "cross_entropy": (lambda x, i: F.cross_entropy(x.view(-1, 10), i.view(-1)), CLASSES),
    "cross_entropy of rows": (lambda x, i: F.cross_entropy(x.transpose(1, 2), i, reduction="sum"), CLASSES),
    "cross_entropy without reduction": (
        lambda x, i: F.cross_entropy(x.view(-1, 10), i.view(-1), reduction="none", label_smoothing=0.1),
        CLASSES,
    ),
    "shifted cross_entropy": (
        lambda x, i: F.cross_entropy(x[:, :-1].reshape(-1, 10), i[:, 1:].reshape(-1)),
        CLASSES,
    ),
    "mse_loss": (lambda x: F.mse_loss(x, x.flip(0)), SEQUENCES),
    "binary_cross_entropy": (lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).float()), SEQUENCES),
    # convolution
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, padding=1), _both(_of(2, 4, "n"), _of(6, 4, 3), _of(6))),
    "conv1d with stride": (lambda x, w: F.conv1d(x, w, stride=2, padding=1), _both(_of(2, 4, "n"), _of(6, 4, 3))),
    "causal conv1d": (lambda x, w: F.conv1d(F.pad(x, (3, 0)), w, groups=4), _both(_of(2, 4, "n"), _of(4, 1, 4))),
    "conv2d of a batch": (lambda x, w: F.conv2d(x, w).amax((2, 3)), _both(_of("n", 2, 5, 5), _of(3, 2, 3, 3))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lengths_share_a_program(name: str, graphs: list[BucketedGraph], device: str) -> None:
    function, make = CASES[name]
    _check(function, make, device)
    assert graphs
    assert [graph.unbounded for graph in graphs] == [""] * len(graphs)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm(x)).split(width, -1)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        x = x + self.out(attend(query, key, value, is_causal=True).transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(x)


class Transformer(nn.Module):
    """Returns the loss of predicting each token's successor."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 32)
        self.positions = nn.Embedding(64, 32)
        self.blocks = nn.Sequential(Block(32, 4), Block(32, 4), nn.Dropout(dropout), nn.LayerNorm(32))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.embedding(tokens) + self.positions(places))
        logits = x[:, :-1] @ self.embedding.weight.T
        return F.cross_entropy(logits.reshape(-1, 100), tokens[:, 1:].reshape(-1))


def _train(model: nn.Module, call: Callable[..., Any], tokens: torch.Tensor, device: str) -> list[torch.Tensor]:
    model.zero_grad(set_to_none=True)
    loss = call(tokens.to(device))
    loss.backward()
    return [loss.detach().cpu(), *(parameter.grad.cpu() for parameter in model.parameters())]  # type: ignore[union-attr]


def _sweep(call: Callable[..., Any], model: nn.Module, reference: nn.Module, device: str, lengths: Any) -> None:
    for length in lengths:
        tokens = torch.randint(0, 100, (3, length))
        expected = _train(reference, reference, tokens, "cpu")
        for one, other in zip(_train(model, call, tokens, device), expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_48_lengths_through_a_transformer_make_4_programs(device: str, stats: Any) -> None:
    reference = Transformer()
    model = copy.deepcopy(reference).to(device)
    compiled = torch.compile(model, dynamic=True)
    torch.ones((), device=device).cpu()  # the seed of every backward
    stats.reset()
    _sweep(compiled, model, reference, device, range(17, 65))
    assert stats["compiles"] + stats["cache_hits_disk"] <= 4
    assert stats["unbounded_graphs"] == {}
    stats.reset()
    _sweep(compiled, model, reference, device, range(17, 65))
    assert stats["compiles"] + stats["cache_hits_disk"] == 0


def test_sizes_become_symbolic_by_themselves(device: str, stats: Any) -> None:
    reference = Transformer()
    model = copy.deepcopy(reference).to(device)
    torch._dynamo.reset()
    compiled = torch.compile(model)
    _sweep(compiled, model, reference, device, (20, 21))
    stats.reset()
    _sweep(compiled, model, reference, device, range(17, 33))
    assert stats["compiles"] + stats["cache_hits_disk"] == 0


def test_marked_sizes_stay_in_their_range(graphs: list[BucketedGraph], device: str) -> None:
    table = torch.randn(40, 5)
    on_device = table.to(device)
    compiled = torch.compile(lambda x: (x * on_device[: x.shape[0]]).sum(0))
    for length in (33, 40, 36):
        x = torch.randn(length, 5)
        moved = x.to(device)
        torch._dynamo.mark_dynamic(moved, 0, min=33, max=40)
        torch.testing.assert_close(compiled(moved).cpu(), (x * table[:length]).sum(0))
    (graph,) = graphs
    assert graph.unbounded == ""
    assert [list(bucket.padded.values()) for bucket in graph._buckets.values()] == [[40]]


def test_small_sizes_are_not_padded(graphs: list[BucketedGraph], device: str) -> None:
    compiled = torch.compile(lambda x: x.sum(0), dynamic=True)
    for rows in (2, 3, 8):
        assert compiled(torch.ones(rows, 4, device=device)).cpu().tolist() == [rows] * 4
    assert all(bucket.padded == {} for bucket in graphs[0]._buckets.values())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: F.dropout(x.relu(), 0.5).count_nonzero() * 0 + x.sum(), "random numbers"),
        (lambda x: x.unfold(0, 2, 1).sum(), "has no rule"),
        (lambda x: F.adaptive_avg_pool1d(x[None, None, :, 0], 2).sum() * 0 + x.sum(), "has no rule"),
    ],
    ids=["random", "unfold", "pool"],
)
def test_what_cannot_be_padded_gets_a_program_for_each_size(
    function: Function, reason: str, graphs: list[BucketedGraph], device: str, stats: Any
) -> None:
    compiled = torch.compile(function, dynamic=True)
    stats.reset()
    for length in (17, 20):
        x = torch.rand(length, 3)
        torch.testing.assert_close(compiled(x.to(device)).cpu(), function(x))
    assert reason in graphs[0].unbounded
    assert stats["unbounded_graphs"] == {graphs[0].unbounded: 1}


def test_a_backward_that_cannot_be_padded(graphs: list[BucketedGraph], device: str) -> None:
    """The forward graph's padded results lose their padding again."""

    class Unfolded(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            hidden = x.exp()
            ctx.save_for_backward(hidden.T)
            return hidden.sum()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (hidden,) = ctx.saved_tensors
            return (grad * hidden.T).unfold(0, 1, 1).squeeze(-1)

    _check(lambda x: Unfolded.apply(x * 2), _of("n", 5), device)
    assert [bool(graph.unbounded) for graph in graphs] == [False, True]


def test_updates_of_a_tensor_whose_size_varies(device: str) -> None:
    def update(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x.sum(0)

    compiled = torch.compile(update, dynamic=True)
    for length in (17, 18):
        x = torch.randn(length, 3)
        moved = x.to(device)
        torch.testing.assert_close(compiled(moved).cpu(), x.sum(0) * 2)
        torch.testing.assert_close(moved.cpu(), x * 2)


def test_a_statistic_that_is_updated(graphs: list[BucketedGraph], device: str) -> None:
    def update(total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        total.add_(x.sum(0))
        return x - total

    compiled = torch.compile(update, dynamic=True)
    total, on_device = torch.zeros(3), torch.zeros(3, device=device)
    for length in (17, 18):
        x = torch.randn(length, 3)
        torch.testing.assert_close(compiled(on_device, x.to(device)).cpu(), update(total, x))
        torch.testing.assert_close(on_device.cpu(), total)
    assert graphs[0].unbounded == ""


def test_results_are_ordinary_tensors(graphs: list[BucketedGraph], device: str) -> None:
    compiled = torch.compile(lambda x: (x * 2, x.T * 3, x.shape[0], x), dynamic=True)
    for length in (17, 18):
        x = torch.randn(length, 5, device=device)
        double, triple, size, same = compiled(x)
        assert same is x
        assert size == length
        assert double.view(-1).shape == (5 * length,)
        assert double.is_contiguous()
        assert not double._is_view()
        double.add_(1)
        torch.testing.assert_close(double.cpu(), x.cpu() * 2 + 1)
        torch.testing.assert_close(torch.cat([triple, triple]).cpu(), torch.cat([x.cpu().T * 3] * 2))


def test_arguments_of_any_layout(graphs: list[BucketedGraph], device: str) -> None:
    compiled = torch.compile(lambda x: x.cumsum(0) * 2, dynamic=True)
    for length in (17, 30):
        base = torch.randn(5, length + 3)
        x = base.to(device)[:, 1 : length + 1].T
        torch.testing.assert_close(compiled(x).cpu(), base[:, 1 : length + 1].T.cumsum(0) * 2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64, torch.int32, torch.int64])
def test_dtypes(dtype: torch.dtype, graphs: list[BucketedGraph], device: str) -> None:
    def statistics(x: torch.Tensor) -> Any:
        extremes = (x.amax(0), x.amin(0), x.argmax(0), x.sort(0)[0], x.cumsum(0)[-1], x.sum(0))
        return (*extremes, x.mean(0), x.var(0), x.softmax(0)) if dtype.is_floating_point else extremes

    compiled = torch.compile(statistics, dynamic=True)
    for length in (19, 32):
        x = torch.randn(length, 3).mul(5).to(dtype)
        for one, other in zip(compiled(x.to(device)), statistics(x), strict=True):
            torch.testing.assert_close(one.cpu(), other)
    assert graphs[0].unbounded == ""


def test_buckets() -> None:
    assert [bucket_of(size) for size in (1, 2, 8, 9, 16, 17, 32, 33, 64)] == [1, 2, 8, 16, 16, 32, 32, 64, 64]
    assert [bucket_of(size) for size in (65, 96, 97, 128, 129, 192, 193, 1000)] == [
        96,
        96,
        128,
        128,
        192,
        192,
        256,
        1024,
    ]
    try:
        bucketing.set_buckets([100, 50])
        assert [bucket_of(size) for size in (3, 20, 50, 51, 100, 101)] == [3, 50, 50, 100, 100, 101]
        bucketing.set_buckets(enabled=False)
        assert bucket_of(20) == 20
        with pytest.raises(ValueError, match="positive integers"):
            bucketing.set_buckets([0])
    finally:
        bucketing.set_buckets()
