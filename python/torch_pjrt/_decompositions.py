"""PyTorch's own decompositions, for operators that have no row.

The native fallback calls `install` when it meets an overload for the first time. A decomposition is registered under
the dispatch key PrivateUse2, which no backend uses, so that PyTorch converts its arguments and results; the fallback
calls that kernel and records what it does as one program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._refs  # fills the table too
from torch._decomp import decomposition_table
from torch._ops import OpOverload, OpOverloadPacket
from torch._prims_common import wrappers

from torch_pjrt import _host_reads

__all__ = ["install", "lookup"]

_KEY = "PrivateUse2"

# Their decompositions read the device on the host, as the CPU kernel would, and then compute there.
_READS_HOST = frozenset({"aten::item"})

Kernel = Callable[..., Any]


def install(name: str, overload: str) -> bool:
    """Registers the decomposition of `name` (as in "aten::addcmul") and `overload` ("" for the default one).

    False if there is none. Must be called once an overload.
    """
    op = _overload(name, overload)
    kernel = None if op is None else lookup(op)
    if op is None or kernel is None:
        return False
    _library(op.namespace).impl(op, kernel, _KEY)  # type: ignore[no-untyped-call]
    return True


def lookup(op: OpOverload) -> Kernel | None:
    """A function of the overload's arguments that computes it with other operators, or None.

    In-place and out= overloads are their functional one, written to the target as `copy_` does. A decomposition that
    calls its own operator is found out when it runs: the fallback then stops using it.
    """
    if op._schema.name in _READS_HOST:
        return None
    if op in _host_reads.TABLE:
        return _host_reads.TABLE[op]
    if not op._schema.is_mutable:
        return decomposition_table.get(op)
    functional = _functional_overload(op)
    if functional is not None and functional in decomposition_table:
        return _written_to_target(op, decomposition_table[functional])
    return None if _out_names(op) else decomposition_table.get(op)


@functools.cache
def _library(namespace: str) -> torch.library.Library:
    """Kept for good: its registrations end with it."""
    return torch.library.Library(namespace, "IMPL")  # type: ignore[no-untyped-call]


def _overload(name: str, overload: str) -> OpOverload | None:
    namespace, _, base = name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), base, None)
    found = getattr(packet, overload or "default", None)
    return found if isinstance(found, OpOverload) else None


def _written(op: OpOverload) -> list[Any]:
    return [a for a in op._schema.arguments if a.alias_info is not None and a.alias_info.is_write]


def _out_names(op: OpOverload) -> list[str]:
    return [a.name for a in _written(op) if a.kwarg_only]


def _functional_overload(op: OpOverload) -> OpOverload | None:
    """The overload that computes the same from the same arguments and writes to none of them."""
    outs = _out_names(op)

    def inputs(candidate: OpOverload) -> list[tuple[str, str]]:
        return [(a.name, str(a.type)) for a in candidate._schema.arguments if a.name not in outs]

    base = op._schema.name.partition("::")[2]
    packet = getattr(getattr(torch.ops, op.namespace), base if outs else base.removesuffix("_"), None)
    if not isinstance(packet, OpOverloadPacket):
        return None
    for overload in packet.overloads():  # type: ignore[no-untyped-call]
        candidate: OpOverload = getattr(packet, overload)
        if not candidate._schema.is_mutable and inputs(candidate) == inputs(op):
            return candidate
    return None


def _written_to_target(op: OpOverload, functional: Kernel) -> Kernel:
    targets = [a.name for a in _written(op)]
    outs = _out_names(op)
    names = [a.name for a in op._schema.arguments]
    returns = len(op._schema.returns)

    @functools.wraps(functional)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        inputs = {name: value for name, value in kwargs.items() if name not in outs}
        results = functional(*args, **inputs)
        written = [given[name] for name in targets]
        for target, result in zip(written, results if len(targets) > 1 else [results], strict=True):
            _write(target, result)
        return None if returns == 0 else written[0] if returns == 1 else tuple(written)

    return kernel


def _write(target: torch.Tensor | Sequence[torch.Tensor], result: Any) -> None:
    if not isinstance(target, torch.Tensor):
        for one_target, one_result in zip(target, result, strict=True):
            _write(one_target, one_result)
        return
    wrappers._safe_copy_out(copy_from=result, copy_to=wrappers._maybe_resize_out(target, result.shape))
