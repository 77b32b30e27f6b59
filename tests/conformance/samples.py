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


class _Mover:
    """Copies tensors to a device, with the memory outside their views, and shared memory once."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._memory: dict[tuple[int, torch.dtype], torch.Tensor] = {}

    def __call__(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return self._tensor(leaf.detach()).detach().requires_grad_(leaf.requires_grad)
        if isinstance(leaf, torch.device):
            return torch.device(self._device)
        return self._device if isinstance(leaf, str) and leaf == "cpu" else leaf

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided or tensor.device.type == "meta" or tensor.is_conj() or tensor.is_neg():
            return tensor.to(self._device)
        storage = tensor.untyped_storage()
        key = storage.data_ptr(), tensor.dtype
        if key not in self._memory or storage.data_ptr() == 0:
            whole = torch.empty(0, dtype=tensor.dtype)
            whole.set_(storage, 0, (storage.nbytes() // tensor.itemsize,), (1,))  # type: ignore[call-overload]
            self._memory[key] = whole.to(self._device)
        return self._memory[key].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def moved(value: Any, device: str) -> Any:
    """`value`, a tree, with its tensors and devices on `device`. Tensors are leaves of their own."""
    return tree_map(_Mover(device), value)


# Arguments that stay on the CPU whatever the device: PyTorch reads them on the host.
ON_THE_CPU = frozenset({"tensor_split"})


def moved_sample(op: OpInfo, sample: SampleInput, device: str) -> SampleInput:
    """The sample on `device`."""
    move = _Mover(device)
    inputs = tree_map(move, sample.input)
    if op.name in ON_THE_CPU:
        move = _Mover("cpu")
    args, kwargs = (tree_map(move, part) for part in (sample.args, sample.kwargs))
    return SampleInput(inputs, args=args, kwargs=kwargs, output_process_fn_grad=sample.output_process_fn_grad)


def tensors(tree: Any) -> list[torch.Tensor]:
    """The tensors of a tree, in order."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
