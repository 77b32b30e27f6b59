"""Every optimizer of PyTorch's database in each of its forms: after some steps the parameters are the CPU's."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest
import torch
from torch.testing._internal.common_optimizers import OptimizerInfo, optim_db

pytestmark = pytest.mark.usefixtures("strict_mode")

STEPS = 4
FORMS: dict[str, dict[str, bool]] = {"loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}


def _forms(info: OptimizerInfo) -> list[str]:
    return ["loop", *(form for form in ("foreach", "fused") if form in info.supported_impls)]


def _parameters(info: OptimizerInfo) -> list[torch.Tensor]:
    torch.manual_seed(0)
    shapes = [(6, 5), (4, 3)] if info.optim_cls.__name__ == "Muon" else [(6, 5), (6,), (2, 3, 4)]
    return [torch.randn(shape) for shape in shapes]


def _train(info: OptimizerInfo, options: dict[str, Any], device: str) -> list[torch.Tensor]:
    parameters = [torch.nn.Parameter(value.to(device)) for value in _parameters(info)]
    optimizer = info.optim_cls(parameters, **options)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = sum(((parameter - 1.5) ** 2).sum() * (1 + i) for i, parameter in enumerate(parameters))
        # Something that has an optimum.
        total = -total if options.get("maximize") else total
        total.backward()
        if info.only_supports_sparse_grads:
            for parameter in parameters:
                parameter.grad = parameter.grad.to_sparse()
        return total

    for _ in range(STEPS):
        if info.step_requires_closure:
            optimizer.step(loss)
        else:
            loss()
            optimizer.step()
    return [parameter.detach().cpu() for parameter in parameters]


@pytest.mark.parametrize(
    ("info", "form"),
    [pytest.param(info, form, id=f"{info.optim_cls.__name__}-{form}") for info in optim_db for form in _forms(info)],
)
def test_optimizer(info: OptimizerInfo, form: str, device: str, accelerator: Any) -> None:
    inputs = info.optim_inputs_func(device="cpu")
    assert inputs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in inputs:
            options = copy.deepcopy(sample.kwargs)
            if options.get("differentiable"):
                continue
            own = {} if form == "loop" and "foreach" not in info.supported_impls else FORMS[form]
            expected = _train(info, {**copy.deepcopy(options), **({"foreach": False} if own else {})}, "cpu")
            tensors = {name: value.to(device) for name, value in options.items() if isinstance(value, torch.Tensor)}
            actual = _train(info, {**options, **tensors, **own}, device)
            for one, other in zip(actual, expected, strict=True):
                torch.testing.assert_close(
                    one, other, rtol=1e-5, atol=1e-5, msg=lambda text, sample=sample: f"{sample.desc}: {text}"
                )
