"""PyTorch's operator database (`op_db` in the torch wheel): sample inputs, made on the CPU and moved to a device."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import ErrorInput, OpInfo, SampleInput
from torch.utils._pytree import tree_leaves, tree_map

DTYPES = {
    name: getattr(torch, name)
    for name in ("float32", "bfloat16", "float16", "float64", "int64", "int32", "uint8", "bool", "complex64")
}


@cache
def operators() -> dict[str, OpInfo]:
    """Every entry of the database by its name, with the variant's name where it has one."""
    return {op.formatted_name: op for op in op_db}


def supports(op: OpInfo, dtype: torch.dtype, *, gradient: bool = False) -> bool:
    """Whether PyTorch's CPU has the operator, or its gradient, in this dtype."""
    if gradient:
        return bool(op.supports_autograd) and dtype in op.supported_backward_dtypes("cpu")
    return dtype in op.supported_dtypes("cpu")


def samples(op: OpInfo, dtype: torch.dtype, *, gradient: bool = False) -> Iterator[SampleInput]:
    """The database's samples on the CPU; the same ones each time."""
    torch.manual_seed(0)
    yield from op.sample_inputs("cpu", dtype, requires_grad=gradient)


def error_inputs(op: OpInfo) -> Iterator[ErrorInput]:
    """Inputs that the operator refuses, on the CPU."""
    torch.manual_seed(0)
    yield from op.error_inputs("cpu")


def moved(value: Any, device: str) -> Any:
    """`value`, a tree, with its tensors and devices on `device`. Tensors are leaves of their own."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.detach().to(device).requires_grad_(leaf.requires_grad)
        if isinstance(leaf, torch.device):
            return torch.device(device)
        return device if isinstance(leaf, str) and leaf == "cpu" else leaf

    return tree_map(move, value)


def moved_sample(sample: SampleInput, device: str) -> SampleInput:
    """The sample on `device`."""
    inputs, args, kwargs = (moved(part, device) for part in (sample.input, sample.args, sample.kwargs))
    return SampleInput(inputs, args=args, kwargs=kwargs, output_process_fn_grad=sample.output_process_fn_grad)


def tensors(tree: Any) -> list[torch.Tensor]:
    """The tensors of a tree, in order."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
