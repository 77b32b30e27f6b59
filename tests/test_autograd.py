"""Gradients through the autograd engine's own threads: hooks, double backward, checkpoint, functional transforms."""

from __future__ import annotations

import threading

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def _network(device: str) -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3)).to(device)


def _gradients(network: nn.Module) -> list[torch.Tensor]:
    return [parameter.grad.cpu() for parameter in network.parameters() if parameter.grad is not None]


def test_gradients_are_those_of_the_cpu(device: str) -> None:
    inputs, labels = torch.randn(5, 6), torch.tensor([0, 1, 2, 1, 0])
    results = []
    for place in ("cpu", device):
        network = _network(place)
        loss = F.cross_entropy(network(inputs.to(place)), labels.to(place))
        loss.backward()
        results.append([loss.detach().cpu(), *_gradients(network)])
    torch.testing.assert_close(results[1], results[0])


def test_gradients_add_up(device: str) -> None:
    weight = torch.ones(3, device=device, requires_grad=True)
    for _ in range(3):
        (weight * 2).sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [6, 6, 6]


def test_hooks(device: str) -> None:
    seen: list[str] = []
    inputs = torch.ones(3, device=device, requires_grad=True)
    doubled = inputs * 2
    doubled.register_hook(lambda gradient: seen.append(gradient.device.type) or gradient * 10)
    inputs.register_post_accumulate_grad_hook(lambda tensor: seen.append("accumulated"))
    doubled.retain_grad()
    doubled.sum().backward()
    assert inputs.grad is not None
    assert inputs.grad.tolist() == [20, 20, 20]
    assert seen == [torch.device(device).type, "accumulated"]


def test_module_hooks(device: str) -> None:
    seen = []
    network = _network(device)
    network[0].register_forward_hook(lambda module, inputs, output: seen.append(("forward", output.shape)))
    network[3].register_full_backward_hook(lambda module, before, after: seen.append(("backward", after[0].shape)))
    network(torch.ones(2, 6, device=device)).sum().backward()
    assert seen == [("forward", (2, 8)), ("backward", (2, 3))]


def test_double_backward(device: str) -> None:
    value = torch.tensor([1.0, 2.0, 3.0], device=device, requires_grad=True)
    (first,) = torch.autograd.grad((value**4).sum(), value, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), value, create_graph=True)
    (third,) = torch.autograd.grad(second.sum(), value)
    assert first.tolist() == [4, 32, 108]
    assert second.tolist() == [12, 48, 108]
    assert third.tolist() == [24, 48, 72]


def test_gradient_penalty(device: str) -> None:
    results = []
    for place in ("cpu", device):
        network = _network(place)
        inputs = torch.linspace(-1, 1, 12, device=place).view(2, 6).requires_grad_()
        (gradient,) = torch.autograd.grad(network(inputs).sum(), inputs, create_graph=True)
        (gradient.norm(2, dim=1) - 1).square().mean().backward()
        results.append(_gradients(network))
    torch.testing.assert_close(results[1], results[0])


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpoint_gives_the_same_gradients(device: str, use_reentrant: bool) -> None:
    results = []
    for recompute in (False, True):
        network = _network(device)
        inputs = torch.linspace(-1, 1, 12, device=device).view(2, 6).requires_grad_()
        run = (lambda value, f=network: checkpoint(f, value, use_reentrant=use_reentrant)) if recompute else network
        run(inputs).square().sum().backward()
        assert inputs.grad is not None
        results.append([inputs.grad.cpu(), *_gradients(network)])
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


def test_checkpoint_with_dropout_replays_the_mask(device: str) -> None:
    network = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8), nn.Dropout(0.5)).to(device)
    results = []
    for recompute in (False, True):
        torch.manual_seed(5)
        network.zero_grad()
        inputs = torch.ones(4, 8, device=device, requires_grad=True)
        output = checkpoint_sequential(network, 2, inputs, use_reentrant=False) if recompute else network(inputs)
        output.sum().backward()
        results.append(_gradients(network))
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


def test_backward_from_several_threads(device: str) -> None:
    results: list[float] = []

    def work(factor: int) -> None:
        weight = torch.full((16, 16), float(factor), device=device, requires_grad=True)
        for _ in range(10):
            weight.grad = None
            (weight @ weight).sum().backward()
        assert weight.grad is not None
        results.append(weight.grad.sum().item())

    threads = [threading.Thread(target=work, args=(factor,)) for factor in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [16 * 16 * 32 * factor for factor in range(1, 5)]


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(value: torch.Tensor) -> torch.Tensor:
        return value**3

    @staticmethod
    def setup_context(ctx: torch.autograd.function.FunctionCtx, inputs: tuple[torch.Tensor], output: object) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor) -> torch.Tensor:
        (value,) = ctx.saved_tensors
        return gradient * 3 * value**2


def test_a_function_of_ones_own(device: str) -> None:
    value = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
    _Cube.apply(value).sum().backward()
    assert value.grad is not None
    assert value.grad.tolist() == [3, 12]


def test_a_tensor_changed_after_it_was_saved(device: str) -> None:
    value = torch.ones(3, device=device, requires_grad=True)
    doubled = value * 2
    result = doubled.square().sum()
    doubled.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_a_write_through_a_view_has_a_gradient(device: str) -> None:
    base = torch.ones(4, device=device, requires_grad=True)
    copy = base.clone()
    copy[1:3].mul_(5)
    copy.sum().backward()
    assert base.grad is not None
    assert base.grad.tolist() == [1, 5, 5, 1]


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_anomaly_mode_names_the_operator(device: str) -> None:
    value = torch.tensor([-1.0], device=device, requires_grad=True)
    with (
        pytest.warns(UserWarning, match="Error detected in SqrtBackward0"),
        pytest.raises(RuntimeError, match="returned nan values"),
        torch.autograd.detect_anomaly(),
    ):
        value.sqrt().sum().backward()


def test_gradcheck(device: str) -> None:
    value = torch.linspace(0.1, 1, 6, dtype=torch.float64, device=device).view(2, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: (x.sin() @ x.t()).logsumexp(0), (value,))


def test_functional_transforms(device: str) -> None:
    values = torch.arange(4.0, device=device)
    assert torch.func.vmap(torch.func.grad(lambda x: x**3))(values).tolist() == [0, 3, 12, 27]
    jacobian = torch.func.jacrev(lambda x: x**2)(values)
    assert torch.equal(jacobian.cpu(), torch.diag(2 * torch.arange(4.0)))


def test_inference_and_no_grad(device: str) -> None:
    weight = torch.ones(3, device=device, requires_grad=True)
    with torch.no_grad():
        assert not (weight * 2).requires_grad
    with torch.inference_mode():
        result = weight * 2
    assert result.is_inference()
    assert result.tolist() == [2, 2, 2]
