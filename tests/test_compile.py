"""torch.compile: what it takes, that its values are eager's, and what a call costs in programs and launches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
import torch
import torch._dynamo.testing
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_map
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("accelerator")

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _leaves(value: Any) -> Any:
    return tree_map(lambda leaf: leaf.detach().cpu() if isinstance(leaf, torch.Tensor) else leaf, value)


def _assert_as_eager(function: Function, make: Callable[[], tuple[Any, ...]], calls: int = 3, **options: Any) -> None:
    """Results of each of some calls, and the arguments after it, are those of the function run eagerly."""
    compiled = torch.compile(function, **options)
    for seed in range(calls):
        torch.manual_seed(seed)
        arguments = make()
        torch.manual_seed(100 + seed)
        expected = _leaves((function(*arguments), arguments))
        torch.manual_seed(seed)
        arguments = make()
        torch.manual_seed(100 + seed)
        actual = _leaves((compiled(*arguments), arguments))
        torch.testing.assert_close(actual, expected)


def _mlp(device: str) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3)).to(device)


def _assert_same_gradients(one: nn.Module, other: nn.Module) -> None:
    for (name, parameter), (_, expected) in zip(one.named_parameters(), other.named_parameters(), strict=True):
        torch.testing.assert_close(parameter.grad, expected.grad, msg=lambda text, name=name: f"{name}: {text}")


# Calls and launches


def test_a_call_is_one_launch_and_records_nothing(device: str, stats: Any) -> None:
    function = torch.compile(lambda x: (x * 2 + 1).tanh().softmax(-1).sum(0))
    value = torch.randn(5, 7, device=device)
    function(value)
    function(value)
    torch.accelerator.synchronize()
    stats.reset()
    for _ in range(5):
        function(value)
    torch.accelerator.synchronize()
    assert (stats["launches"], stats["calls"], stats["compiles"]) == (5, 0, 0)
    assert stats["fallbacks"] == {}


def test_training_is_one_launch_forward_and_one_backward(device: str, stats: Any) -> None:
    model = torch.compile(_mlp(device))
    value = torch.randn(4, 6, device=device)
    for _ in range(3):
        model(value).sum().backward()
    loss = model(value)
    gradient = torch.ones_like(loss)
    for parameter in model.parameters():
        parameter.grad = None
    torch.accelerator.synchronize()
    stats.reset()
    loss.backward(gradient)
    torch.accelerator.synchronize()
    assert (stats["launches"], stats["compiles"]) == (1, 0)
    stats.reset()
    model(value)
    torch.accelerator.synchronize()
    assert (stats["launches"], stats["compiles"]) == (1, 0)


def test_a_compiled_optimizer_steps_in_one_launch(device: str, stats: Any) -> None:
    model = _mlp(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    step = torch.compile(optimizer.step)
    x = torch.randn(4, 6, device=device)
    for _ in range(3):
        model(x).square().mean().backward()
        step()
    torch.accelerator.synchronize()
    stats.reset()
    step()
    torch.accelerator.synchronize()
    assert (stats["launches"], stats["compiles"]) == (1, 0)


def test_a_whole_train_step_is_one_launch(device: str, stats: Any) -> None:
    models = [_mlp(device), _mlp(device)]
    parameters = [{name: p.detach() for name, p in model.named_parameters()} for model in models]

    def step(model: nn.Module, parameters: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        def loss(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
            return torch.func.functional_call(model, parameters, (x,)).square().mean()

        gradients, value = torch.func.grad_and_value(loss)(parameters)
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.sub_(gradients[name], alpha=0.1)
        return value

    compiled = torch.compile(step, fullgraph=True)
    for _ in range(3):
        x = torch.randn(4, 6, device=device)
        torch.testing.assert_close(compiled(models[0], parameters[0], x), step(models[1], parameters[1], x))
    torch.testing.assert_close(models[0].state_dict(), models[1].state_dict())
    torch.accelerator.synchronize()
    stats.reset()
    compiled(models[0], parameters[0], x)
    torch.accelerator.synchronize()
    assert (stats["launches"], stats["compiles"]) == (1, 0)


# What a function may do


def _writes(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.mul_(2)
    y[0] += x[1]
    x[:, 1:].add_(1)
    return x + y


def _gives_views(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x, x.t(), x[1:], (x + y).t(), y.view(-1)


def _gives_views_of_one_result(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    z = x + y
    return z, z[0], z.flatten()


def _gives_numbers(x: torch.Tensor, y: torch.Tensor) -> tuple[Any, ...]:
    return x.shape[0], x.sum(), 1.5


def _makes_tensors(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + torch.arange(x.shape[1], device=x.device) + torch.tensor(2.0) + torch.ones_like(y)


def _breaks(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x = x.sin()
    torch._dynamo.graph_break()
    x = x * y
    if x.sum() > 0:
        return x + 1
    return x - 1


def _reads_the_host(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x * x.abs().max().item() + y


def _sizes_from_data(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x[x > 0], (y > 0).nonzero().sum(0), torch.unique(y.round())


def _complex(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    z = torch.complex(x, y)
    return z.conj(), torch.fft.fft(z).abs(), z.conj().imag


def _unused(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return y.clone()


@pytest.mark.parametrize(
    "function",
    [
        _writes,
        _gives_views,
        _gives_views_of_one_result,
        _gives_numbers,
        _makes_tensors,
        _breaks,
        _reads_the_host,
        _sizes_from_data,
        _complex,
        _unused,
    ],
)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_values_are_those_of_eager_mode(device: str, function: Function, mode: Any) -> None:
    with mode():
        _assert_as_eager(function, lambda: (torch.randn(3, 4, device=device), torch.randn(3, 4, device=device)))


def test_one_tensor_given_twice(device: str) -> None:
    def make() -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.randn(3, 4, device=device)
        return x, x

    _assert_as_eager(_writes, make)


def test_arguments_over_one_storage(device: str) -> None:
    def make() -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.randn(6, 4, device=device)
        return x[:3], x[3:]

    _assert_as_eager(_writes, make)


@pytest.mark.parametrize(
    "change", [lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x[0].expand(5, -1), lambda x: x[2:]]
)
def test_arguments_of_any_strides(device: str, change: Function) -> None:
    _assert_as_eager(lambda x: (x * 2).sum(0), lambda: (change(torch.randn(6, 6, device=device)),))


def test_a_result_that_is_an_argument_is_that_tensor(device: str) -> None:
    x = torch.randn(3, device=device)
    function = torch.compile(lambda x: (x, x.view(3, 1), x + 1))
    for _ in range(3):
        same, view, _ = function(x)
        assert same is x
        view.zero_()
        assert x.eq(0).all().item()


def test_numbers_and_cpu_tensors_as_arguments(device: str) -> None:
    def function(x: torch.Tensor, factor: float, flag: bool, scalar: torch.Tensor) -> torch.Tensor:
        return x * factor + scalar if flag else x

    for factor, flag in [(1.5, True), (2.5, True), (3.5, False)]:
        _assert_as_eager(
            function, lambda factor=factor, flag=flag: (torch.randn(3, device=device), factor, flag, torch.tensor(2.0))
        )


def test_parameters_and_buffers_are_updated(device: str) -> None:
    models = [nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).to(device) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    compiled = torch.compile(models[0])
    for _ in range(3):
        x = torch.randn(8, 4, device=device)
        torch.testing.assert_close(compiled(x), models[1](x))
    torch.testing.assert_close(models[0].state_dict(), models[1].state_dict())


def test_tied_parameters(device: str) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(7, 5)
            self.head = nn.Linear(5, 7, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.embedding(tokens))

    model = Tied().to(device)
    other = copy.deepcopy(model)
    tokens = torch.randint(0, 7, (2, 3), device=device)
    torch.compile(model)(tokens).square().mean().backward()
    other(tokens).square().mean().backward()
    _assert_same_gradients(model, other)


class _OwnGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return gradient * 2 * x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sin().sum(),
        lambda x: _OwnGradient.apply(x).sum(),
        lambda x: checkpoint(lambda y: (y @ y).relu(), x, use_reentrant=False).sum(),
        lambda x: checkpoint(lambda y: F.dropout(y @ y, 0.5), x, use_reentrant=False).sum(),
        lambda x: F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None], is_causal=True).sum(),
        lambda x: torch.linalg.solve(x + 9 * torch.eye(4, device=x.device), x).square().sum(),
    ],
    ids=["pointwise", "autograd.Function", "checkpoint", "checkpoint with dropout", "attention", "solve"],
)
def test_gradients_are_those_of_eager_mode(device: str, function: Function) -> None:
    def gradient(called: Function, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        result = called(x)
        result.backward()
        assert x.grad is not None
        return result, x.grad

    results = []
    for called in (function, torch.compile(function)):
        for _ in range(2):
            torch.manual_seed(3)
            x = torch.randn(4, 4, device=device, requires_grad=True)
            results.append(_leaves(gradient(called, x)))
    for actual in results[1:]:
        torch.testing.assert_close(actual, results[0])


def test_hooks_run(device: str) -> None:
    model = _mlp(device)
    seen: list[int] = []
    model[1].register_forward_hook(lambda module, args, output: output * 2)
    model[0].weight.register_hook(lambda gradient: gradient * 3)
    other = copy.deepcopy(model)
    other[0].weight.register_hook(lambda gradient: gradient * 3)
    model[0].register_full_backward_hook(lambda module, before, after: seen.append(1))
    x = torch.randn(4, 6, device=device)
    torch.compile(model)(x).sum().backward()
    other(x).sum().backward()
    _assert_same_gradients(model, other)
    assert seen == [1]


def test_autocast(device: str) -> None:
    model = _mlp(device)
    compiled = torch.compile(model)
    x = torch.randn(4, 6, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        actual, expected = compiled(x), model(x)
    assert actual.dtype == expected.dtype == torch.bfloat16
    # A whole program keeps intermediate values in float32 where eager mode rounds them.
    torch.testing.assert_close(actual, expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop"])
def test_a_compiled_optimizer_does_what_it_does_eagerly(device: str, kind: str) -> None:
    models = [_mlp(device), _mlp(device)]
    optimizers = [getattr(torch.optim, kind)(model.parameters(), lr=0.01) for model in models]
    steps = [torch.compile(optimizers[0].step), optimizers[1].step]
    for _ in range(4):
        x = torch.randn(4, 6, device=device)
        for model, optimizer, step in zip(models, optimizers, steps, strict=True):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            step()
    torch.testing.assert_close(models[0].state_dict(), models[1].state_dict())


def test_compiled_autograd(device: str) -> None:
    models = [_mlp(device), _mlp(device)]
    compiled = torch.compile(models[0])
    x = torch.randn(4, 6, device=device)
    with torch._dynamo.compiled_autograd._enable(torch.compile()):
        for _ in range(2):
            models[0].zero_grad()
            compiled(x).square().mean().backward()
    models[1](x).square().mean().backward()
    _assert_same_gradients(models[0], models[1])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.func.grad(lambda y: y.sin().sum())(x),
        lambda x: torch.func.vmap(lambda row: row.softmax(0))(x),
        lambda x: torch.func.jacrev(lambda y: y.square().sum(0))(x),
        lambda x: torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1],
    ],
    ids=["grad", "vmap", "jacrev", "jvp"],
)
def test_function_transforms(device: str, function: Function) -> None:
    _assert_as_eager(function, lambda: (torch.randn(3, 4, device=device),))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(device: str, kind: type[nn.RNNBase]) -> None:
    layer = kind(3, 4, num_layers=2, batch_first=True).to(device)
    _assert_as_eager(lambda x: layer(x), lambda: (torch.randn(2, 5, 3, device=device),))


# Control flow and other higher-order operators


def _cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y * 2, (x,))


def _while_loop(x: torch.Tensor) -> Any:
    from torch._higher_order_ops.while_loop import while_loop

    start = torch.zeros((), dtype=torch.int64, device=x.device)
    return while_loop(lambda k, y: k < 4, lambda k, y: (k + 1, y * 1.5), (start, x))


def _scan(x: torch.Tensor) -> Any:
    from torch._higher_order_ops.scan import scan

    return scan(lambda carry, row: (carry + row, carry * row), torch.zeros_like(x[0]), x)


def _associative_scan(x: torch.Tensor) -> Any:
    from torch._higher_order_ops.associative_scan import associative_scan

    return associative_scan(lambda left, right: left + right, x, 0, combine_mode="generic")


def _map(x: torch.Tensor) -> Any:
    from torch._higher_order_ops.map import map as map_rows

    return map_rows(lambda row, other: row.softmax(0) + other, x, x.sum(0))


@pytest.mark.parametrize("function", [_cond, _while_loop, _scan, _associative_scan, _map])
def test_control_flow(device: str, function: Function) -> None:
    _assert_as_eager(function, lambda: (torch.randn(3, 4, device=device),), calls=4, fullgraph=True)


@pytest.mark.parametrize("masked", [False, True])
def test_flex_attention(device: str, masked: bool) -> None:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def causal(batch: Any, head: Any, query: Any, key: Any) -> Any:
        return query >= key

    def closer_is_higher(score: Any, batch: Any, head: Any, query: Any, key: Any) -> Any:
        return score + 0.1 * (key - query)

    mask = create_block_mask(causal, None, None, 128, 128, device=device) if masked else None
    compiled = torch.compile(flex_attention, fullgraph=True)
    q, k, v = (torch.randn(1, 2, 128, 16, device=device, requires_grad=True) for _ in range(3))
    actual = compiled(q, k, v, score_mod=closer_is_higher, block_mask=mask)
    gradients = torch.autograd.grad(actual.square().sum(), (q, k, v))
    positions = torch.arange(128, device=device)
    bias = 0.1 * (positions - positions[:, None])
    if masked:
        bias = bias.masked_fill(positions > positions[:, None], -torch.inf)
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    torch.testing.assert_close(actual, expected)
    for gradient, other in zip(gradients, torch.autograd.grad(expected.square().sum(), (q, k, v)), strict=True):
        torch.testing.assert_close(gradient, other)


@pytest.mark.parametrize(
    ("left", "right"),
    [((8, 4), (2, 4, 12)), ((2, 5, 4), (4, 8)), ((5, 8), (8, 4)), ((2, 5, 4), (2, 4, 12))],
    ids=["rows", "columns", "inner", "batch"],
)
def test_groups_of_products(device: str, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    ends = None if len(left) == len(right) == 3 else torch.tensor([3, 8], dtype=torch.int32, device=device)
    _assert_as_eager(
        lambda a, b: F.grouped_mm(a, b, offs=ends),
        lambda: (torch.randn(left, device=device), torch.randn(right, device=device)),
    )


# Random numbers


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.dropout(x, 0.5),
        lambda x: x + torch.rand_like(x),
        lambda x: torch.bernoulli(x.sigmoid()),
        lambda x: torch.randn(3, device=x.device) + torch.randint(0, 9, (3,), device=x.device),
        lambda x: torch.randperm(5, device=x.device),
    ],
    ids=["dropout", "rand_like", "bernoulli", "randn and randint", "randperm"],
)
def test_random_numbers_are_those_of_eager_mode(device: str, function: Function) -> None:
    x = torch.zeros(40, device=device)
    compiled = torch.compile(function)
    torch.manual_seed(4)
    expected = [function(x).cpu() for _ in range(3)]
    for _ in range(2):
        torch.manual_seed(4)
        actual = [compiled(x).cpu() for _ in range(3)]
        assert all(torch.equal(one, other) for one, other in zip(actual, expected, strict=True))


# Options


@pytest.mark.parametrize(
    "mode", [None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite"]
)
@pytest.mark.parametrize("backend", ["named", "default"])
def test_every_mode_is_taken(device: str, mode: str | None, backend: str) -> None:
    options = {"backend": device} if backend == "named" else {}
    _assert_as_eager(
        lambda x: (x @ x).relu(), lambda: (torch.randn(4, 4, device=device),), mode=mode, fullgraph=True, **options
    )


def test_an_unknown_mode_is_refused(device: str) -> None:
    with pytest.raises(Exception, match="unknown mode 'fastest'"):
        torch.compile(lambda x: x + 1, backend=device, mode="fastest")(torch.ones(3, device=device))


def test_compiler_options_reach_the_plugin(device: str, stats: Any) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return (x * 3 + 1).sin()

    x = torch.randn(13, device=device)
    expected = torch.compile(function, backend=device)(x)
    torch._dynamo.reset()
    stats.reset()
    optimized = torch.compile(function, backend=device, options={"xla_backend_optimization_level": 0})
    result = optimized(x)
    assert stats["compiles"] + stats["cache_hits_disk"] == 1
    torch.testing.assert_close(result, expected)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="xla_no_such_option"):
        torch.compile(function, backend=device, options={"xla_no_such_option": 1})(x).cpu()


# Sizes


@pytest.mark.parametrize("dynamic", [None, True])
def test_sizes_that_vary_make_one_graph(device: str, dynamic: bool | None) -> None:
    counter = torch._dynamo.testing.CompileCounterWithBackend(device)
    model = _mlp(device)
    compiled = torch.compile(model, backend=counter, dynamic=dynamic)
    graphs = []
    for size in (3, 5, 9, 4, 7):
        x = torch.randn(size, 6, device=device)
        torch.testing.assert_close(compiled(x), model(x))
        graphs.append(counter.frame_count)
    # Without `dynamic`, the second size shows that it varies.
    assert graphs[-1] == graphs[0 if dynamic else 1]


def test_sizes_seen_before_compile_nothing(device: str, stats: Any) -> None:
    compiled = torch.compile(_mlp(device), dynamic=True)
    for size in (3, 5, 9):
        compiled(torch.ones(size, 6, device=device)).sum().backward()
    torch.accelerator.synchronize()
    stats.reset()
    for size in (9, 3, 5):
        compiled(torch.ones(size, 6, device=device)).sum().backward()
    torch.accelerator.synchronize()
    assert stats["compiles"] == 0


# Failures


def test_an_index_out_of_range_is_an_error_and_nothing_is_lost(device: str) -> None:
    weight = torch.arange(12.0, device=device).view(4, 3)
    function = torch.compile(lambda tokens: F.embedding(tokens, weight) * 2)
    assert function(torch.tensor([1, 3], device=device)).shape == (2, 3)
    with pytest.raises((IndexError, RuntimeError), match="out of range"):
        function(torch.tensor([1, 4], device=device)).cpu()
    assert function(torch.tensor([0], device=device)).tolist() == [[0, 2, 4]]


def test_graphs_on_the_cpu_stay_with_inductor() -> None:
    with mock.patch(
        "torch._inductor.compile_fx.compile_fx", side_effect=lambda module, *_, **__: module.forward
    ) as used:
        torch.compile(lambda x: x + 1)(torch.ones(3))
    assert used.called
