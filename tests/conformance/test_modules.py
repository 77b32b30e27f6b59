"""Every module of PyTorch's database, forward and backward in float32 against the CPU, while training and not."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from tolerances import WIDENED_MODULES
from torch import nn
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_modules import ModuleInfo, module_db
from torch.utils._pytree import tree_flatten, tree_map

pytestmark = pytest.mark.usefixtures("strict_mode")

# torch.testing.assert_close's own for float32.
_RTOL, _ATOL = 1.3e-6, 1e-5


def _tolerance(info: ModuleInfo) -> tuple[float, float]:
    """(rtol, atol): assert_close's, or what PyTorch's comparison of devices with the CPU allows if that is wider."""
    rtol, atol = _RTOL, _ATOL
    for entry in info.decorators:
        for decorator in getattr(entry, "decorators", [entry]):
            if isinstance(decorator, toleranceOverride) and torch.float32 in decorator.d:
                allowed = decorator.d[torch.float32]
                rtol, atol = max(rtol, allowed.rtol), max(atol, allowed.atol)
    wider_rtol, wider_atol, _ = WIDENED_MODULES.get(info.name, (0.0, 0.0, ""))
    return max(rtol, wider_rtol), max(atol, wider_atol)


def _leaves(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def _on(device: str, tree: Any) -> Any:
    def move(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        return leaf.detach().to(device).clone().requires_grad_(leaf.requires_grad)

    return tree_map(move, tree)


def _run(
    module: nn.Module, args: Any, kwargs: Any, *, compiled: bool = False
) -> tuple[list[torch.Tensor], dict[str, torch.Tensor | None]]:
    """The results, and the gradients of the module's parameters and of the inputs, by name."""
    torch._dynamo.reset()
    call = torch.compile(module) if compiled else module
    torch.manual_seed(1)
    results = _leaves(call(*args, **kwargs))
    differentiable = [result for result in results if result.requires_grad and not result.is_complex()]
    if differentiable:
        torch.autograd.backward(differentiable, [torch.full_like(result, 0.5) for result in differentiable])
    gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
    gradients |= {f"input {i}": leaf.grad for i, leaf in enumerate(_leaves((args, kwargs))) if leaf.requires_grad}
    return results, gradients


def _is_random(module: nn.Module, args: Any, kwargs: Any) -> bool:
    with torch.no_grad():
        first, again = [], []
        for seed, results in ((2, first), (3, again)):
            torch.manual_seed(seed)
            results += _leaves(copy.deepcopy(module)(*args, **kwargs))
    return any(not torch.equal(one, other) for one, other in zip(first, again, strict=True))


def _cases(info: ModuleInfo, training: bool) -> Iterator[tuple[nn.Module, Any, Any]]:
    inputs = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=training)
    for sample in inputs:
        if sample.forward_input is None:
            continue
        made = sample.constructor_input
        torch.manual_seed(0)
        module = info.module_cls(*made.args, **made.kwargs).to(torch.float32)
        module.train(training)
        yield module, sample.forward_input.args, sample.forward_input.kwargs


def _has_no_shape(module: nn.Module, args: Any) -> bool:
    """Whether PyTorch's own shape function for torch.compile is wrong, on every device: [1] for a result of no
    dimension."""
    return isinstance(module, nn.MultiLabelMarginLoss) and module.reduction == "none" and args[0].dim() == 1


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluating"])
@pytest.mark.parametrize("info", module_db, ids=lambda info: info.name)
def test_module(info: ModuleInfo, training: bool, compiled: bool, device: str, accelerator: Any) -> None:
    if not training and not info.train_and_eval_differ:
        pytest.skip("the same as while training")
    rtol, atol = _tolerance(info)
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module, args, kwargs in _cases(info, training):
            if compiled and _has_no_shape(module, args):
                continue
            moved = copy.deepcopy(module).to(device)
            random = _is_random(module, args, kwargs)
            expected = _run(module, _on("cpu", args), _on("cpu", kwargs))
            actual = _run(moved, _on(device, args), _on(device, kwargs), compiled=compiled)
            assert [result.shape for result in actual[0]] == [result.shape for result in expected[0]]
            assert [name for name, grad in actual[1].items() if grad is not None] == [
                name for name, grad in expected[1].items() if grad is not None
            ]
            compared += 1
            if random:
                continue
            for one, other in zip(actual[0], expected[0], strict=True):
                torch.testing.assert_close(one.detach().cpu(), other.detach(), rtol=rtol, atol=atol)
            for name, grad in expected[1].items():
                if grad is not None:
                    torch.testing.assert_close(
                        actual[1][name].cpu(),
                        grad,
                        rtol=rtol,
                        atol=atol,
                        msg=lambda text, name=name: f"gradient of {name}: {text}",
                    )
    assert compared > 0
