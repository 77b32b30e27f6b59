"""Calls of graphs whose sizes vary: from real sizes to buckets and back.

A call pads its tensors to the bucket of each size, runs the bucket's program with the sizes as one more argument, and
gives results of the real shapes: the elements are packed at the front of the padded memory.
"""

from __future__ import annotations

import logging
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch

from torch_pjrt import _C, graph_counters
from torch_pjrt.bucketing import rules  # noqa: F401  (fills the table)
from torch_pjrt.bucketing.interpretation import Interpretation, Value, expression_of
from torch_pjrt.bucketing.padded import Dim, Extent, UnboundedError

__all__ = ["BucketedGraph", "bucket_of", "set_buckets"]

log = logging.getLogger(__name__)

# Sizes up to this are their own buckets: batches and heads rather than lengths.
EXACT_SIZES = 8

_chosen_buckets: list[int] | None = None
_enabled = True


def set_buckets(buckets: Sequence[int] | None = None, *, enabled: bool = True) -> None:
    """Chooses the sizes that torch.compile pads varying sizes to. Graphs that exist keep the ones they have.

    Args:
        buckets: sizes, in any order; a larger size than all of them is its own bucket. None: 16, 32, 64, and from there
            on two for each doubling (96, 128, 192, 256, ...).
        enabled: False gives each size a program of its own.

    Raises:
        ValueError: a bucket is not a positive integer.
    """
    global _chosen_buckets, _enabled
    if buckets is not None and any(not isinstance(bucket, int) or bucket < 1 for bucket in buckets):
        raise ValueError(f"buckets have to be positive integers, not {list(buckets)}")
    _chosen_buckets = None if buckets is None else sorted(set(buckets))
    _enabled = enabled


def bucket_of(size: int) -> int:
    """What `size` is padded to."""
    if not _enabled or size <= EXACT_SIZES:
        return size
    if _chosen_buckets is not None:
        index = bisect_left(_chosen_buckets, size)
        return _chosen_buckets[index] if index < len(_chosen_buckets) else size
    bucket = 1 << max(size - 1, 15).bit_length()
    return bucket * 3 // 4 if bucket > 64 and size <= bucket * 3 // 4 else bucket


@dataclass(frozen=True)
class _Output:
    """How a result of the graph is made: it is an argument, a size, a constant, a result of the program, or a tensor of
    `shape` that is packed at the front of one."""

    kind: str
    source: Any
    shape: tuple[sympy.Expr, ...] = ()

    def of(self, call: _Call) -> Any:
        match self.kind:
            case "argument":
                return call.arguments[self.source]
            case "size":
                return call.size(self.source)
            case "result":
                return call.results[self.source]
            case "packed":
                return _with_shape(call.results[self.source], [call.size(size) for size in self.shape])
        return self.source


@dataclass
class _Bucket:
    """One program: the graph at certain padded sizes."""

    padded: dict[sympy.Symbol, int]
    exact: dict[sympy.Symbol, int]
    graph: Any = None
    inputs: list[tuple[Dim, ...] | None] = field(default_factory=list)
    # What each of the graph's results is: made from the call's arguments and sizes, and from the program's results.
    outputs: list[_Output] = field(default_factory=list)


@dataclass
class _Call:
    """One call: real arguments, and what the program gave."""

    arguments: list[Any]
    sizes: dict[sympy.Symbol, int]
    results: list[Any] = field(default_factory=list)

    def size(self, expression: sympy.Expr) -> int:
        if expression in self.sizes:
            return self.sizes[expression]
        return int(expression.subs(self.sizes))


class BucketedGraph:
    """One of AOTAutograd's graphs, called with a list of its arguments, which is emptied.

    Attributes:
        unbounded: why each size gets a program of its own; empty if sizes share the programs of their buckets.
    """

    def __init__(
        self,
        module: torch.fx.GraphModule,
        obstacle: str,
        saved_dims: dict[str, tuple[Dim, ...]],
        leaving: int | None,
    ) -> None:
        """
        Args:
            module: the graph.
            obstacle: why its calls are not the same each time; empty if they are.
            saved_dims: of tensors that stay padded between a forward and its backward graph, by the node's name.
            leaving: how many results leave the compiled function; the rest are kept for the backward graph. None: all.
        """
        self._module = module
        self._obstacle = obstacle
        self._exact = _C.Graph(module.forward, obstacle)
        self._saved_dims = saved_dims
        self._leaving = leaving
        self._buckets: dict[tuple[int, ...], _Bucket] = {}
        self._placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
        values = [node.meta.get("val") for node in self._placeholders]
        self._expressions = [expression_of(value) if isinstance(value, torch.SymInt) else None for value in values]
        self._shapes = [
            [expression_of(size) for size in value.shape]
            if isinstance(value, torch.Tensor) and any(isinstance(size, torch.SymInt) for size in value.shape)
            else None
            for value in values
        ]
        self._limits = _upper_limits(values)
        self.unbounded = ""
        if obstacle:
            self._give_up(obstacle)
        elif any(isinstance(value, (torch.SymFloat, torch.SymBool)) for value in values):
            self._give_up("it takes a symbolic number that is no integer")

    def _give_up(self, why: str) -> None:
        self.unbounded = why
        graph_counters.count_unbounded(why)
        log.info("each size gets a program of its own: %s", why)

    def __call__(self, arguments: list[Any]) -> Sequence[Any]:
        call = _Call(list(arguments), self._sizes(arguments))
        arguments.clear()
        if not self.unbounded:
            bucket = self._bucket(call.sizes)
            if bucket.padded:
                try:
                    return self._run(bucket, call)
                except UnboundedError as why:
                    self._give_up(str(why))
        exact = self._without_padding(call)
        call.arguments.clear()
        return self._exact(exact)

    def _without_padding(self, call: _Call) -> list[Any]:
        """The arguments, without the padding that the forward graph may have left."""
        arguments = []
        for argument, node, shape in zip(call.arguments, self._placeholders, self._shapes, strict=True):
            dims = self._saved_dims.get(node.name)
            if dims is not None and shape is not None and list(argument.shape) != [call.size(size) for size in shape]:
                arguments.append(_cropped(argument, dims, call))
            else:
                arguments.append(argument)
        return arguments

    def _bucket_of(self, symbol: sympy.Symbol, size: int) -> int:
        return max(size, min(bucket_of(size), self._limits.get(symbol, bucket_of(size))))

    def _sizes(self, arguments: Sequence[Any]) -> dict[sympy.Symbol, int]:
        sizes: dict[sympy.Symbol, int] = {}
        for argument, expression in zip(arguments, self._expressions, strict=True):
            if isinstance(expression, sympy.Symbol):
                sizes[expression] = argument
        for argument, shape in zip(arguments, self._shapes, strict=True):
            for size, expression in zip(argument.shape if shape else (), shape or (), strict=True):
                if isinstance(expression, sympy.Symbol):
                    sizes.setdefault(expression, size)
        return sizes

    def _bucket(self, sizes: Mapping[sympy.Symbol, int]) -> _Bucket:
        key = tuple(self._bucket_of(symbol, size) for symbol, size in sizes.items())
        bucket = self._buckets.get(key)
        if bucket is None:
            padded = {
                s: to for (s, size), to in zip(sizes.items(), key, strict=True) if size > EXACT_SIZES and _enabled
            }
            bucket = _Bucket(padded, {symbol: size for symbol, size in sizes.items() if symbol not in padded})
            bucket.graph = _C.Graph(lambda *arguments: self._interpret(bucket, arguments), self._obstacle)
            self._buckets[key] = bucket
        return bucket

    def _run(self, bucket: _Bucket, call: _Call) -> list[Any]:
        if not bucket.inputs:
            self._plan_inputs(bucket)
        device = next(
            (a.device for a in call.arguments if isinstance(a, torch.Tensor) and a.device.type != "cpu"), None
        )
        given = [_on_device(tuple(call.sizes[symbol] for symbol in bucket.padded), device)]
        for argument, dims in zip(call.arguments, bucket.inputs, strict=True):
            if isinstance(argument, torch.Tensor):
                given.append(argument if dims is None else _padded(argument, dims, call))
        call.results = bucket.graph(given)
        return [output.of(call) for output in bucket.outputs]

    def _plan_inputs(self, bucket: _Bucket) -> None:
        sizes = Interpretation(self._module, bucket.padded, bucket.exact, torch.empty(0))
        for node, shape in zip(self._placeholders, self._shapes, strict=True):
            dims = self._saved_dims.get(node.name)
            if dims is not None:
                dims = tuple(
                    Dim.of(
                        [Extent(sizes.real(e.real), sizes.padded(e.real)) for e in dim.extents], constant=dim.constant
                    )
                    for dim in dims
                )
            elif shape is not None:
                dims = tuple(sizes.prefix(shape))
            bucket.inputs.append(dims if dims is not None and any(dim.is_padded for dim in dims) else None)

    def _interpret(self, bucket: _Bucket, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """Runs the graph on padded tensors, and notes what its results are."""
        counts, *tensors = arguments
        interpretation = Interpretation(self._module, bucket.padded, bucket.exact, counts)
        inputs: list[Any] = []
        for node, expression, dims in zip(self._placeholders, self._expressions, bucket.inputs, strict=True):
            if expression is not None:
                inputs.append(expression)
            elif isinstance(node.meta.get("val"), torch.Tensor):
                tensor = tensors.pop(0)
                inputs.append(Value(tensor, dims or tuple(Dim.plain(size) for size in tensor.shape)))
            else:
                inputs.append(None)
        results = interpretation.run(inputs)
        nodes = list(self._module.graph.nodes)[-1].args[0]
        outputs: list[_Output] = []
        made: list[torch.Tensor] = []
        for index, (node, result) in enumerate(zip(nodes, results, strict=True)):
            if isinstance(node, torch.fx.Node) and node.op == "placeholder":
                position = self._placeholders.index(node)
                outputs.append(_Output("argument", position))
            elif isinstance(result, sympy.Expr):
                outputs.append(_Output("size", result))
            elif not isinstance(result, Value):
                outputs.append(_Output("constant", result))
            else:
                leaves = self._leaving is None or index < self._leaving
                outputs.append(self._output(node, result, len(made), leaves=leaves))
                made.append(interpretation.packed(result) if leaves and result.is_padded else result.data)
        bucket.outputs = outputs
        return made

    def _output(self, node: torch.fx.Node, value: Value, position: int, *, leaves: bool) -> _Output:
        if value.is_padded and not leaves:
            # In symbols, because another bucket has other sizes.
            self._saved_dims[node.name] = value.dims
        if not value.is_padded or not leaves:
            return _Output("result", position)
        return _Output("packed", position, tuple(dim.real for dim in value.dims))


def _upper_limits(values: Sequence[Any]) -> dict[sympy.Symbol, int]:
    """The largest size of each symbol that the graph is right for."""
    limits = {}
    for value in values:
        for size in value.shape if isinstance(value, torch.Tensor) else [value]:
            if not isinstance(size, torch.SymInt) or not isinstance(size.node.expr, sympy.Symbol):
                continue
            environment: Any = size.node.shape_env
            upper = environment.var_to_range[size.node.expr].upper
            if upper.is_Integer and upper < 2**31:
                limits[size.node.expr] = int(upper)
    return limits


_COUNTS: dict[Any, torch.Tensor] = {}


def _on_device(sizes: tuple[int, ...], device: torch.device | None) -> torch.Tensor:
    """A vector of the sizes. Kept, because sizes come again."""
    key = (sizes, device)
    if key not in _COUNTS:
        if len(_COUNTS) > 4096:
            _COUNTS.clear()
        _COUNTS[key] = torch.tensor(sizes, dtype=torch.int32).to(device)
    return _COUNTS[key]


def padding_of(dtype: torch.dtype) -> Any:  # noqa: ARG001
    """What arguments are padded with. No result depends on it."""
    return 0


def _padded(tensor: torch.Tensor, dims: Sequence[Dim], call: _Call) -> torch.Tensor:
    """The tensor in one of its padded sizes. Goes over the host, where another size needs no other program."""
    sizes = [dim.padded for dim in dims]
    if list(tensor.shape) == sizes:
        return tensor
    extents = [extent for dim in dims for extent in dim.extents]
    inside = tuple(slice(call.size(extent.real)) for extent in extents)
    with torch.no_grad():
        host = torch.full([extent.padded for extent in extents], padding_of(tensor.dtype), dtype=tensor.dtype)
        host[inside] = tensor.detach().cpu().reshape([part.stop for part in inside])
        return host.reshape(sizes).to(tensor.device)


def _cropped(tensor: torch.Tensor, dims: Sequence[Dim], call: _Call) -> torch.Tensor:
    """The value's elements of a padded tensor."""
    extents = [extent for dim in dims for extent in dim.extents]
    inside = tuple(slice(call.size(extent.real)) for extent in extents)
    with torch.no_grad():
        host = tensor.detach().cpu().reshape([extent.padded for extent in extents])
        return host[inside].reshape([call.size(dim.real) for dim in dims]).to(tensor.device)


def _with_shape(packed: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """A tensor of that shape over the first elements of the memory of another."""
    strides = [math.prod(shape[index + 1 :]) for index in range(len(shape))]
    return packed.new_empty(0).set_(packed.untyped_storage(), 0, shape, strides)
