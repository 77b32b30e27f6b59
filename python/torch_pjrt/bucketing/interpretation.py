"""Runs a graph on padded tensors so that what lies beyond a value's elements never reaches them.

Each node goes through the rule of its operator (`rules`), which knows where the results' elements lie and masks what
would mix them with the padding. In: a graph of AOTAutograd, sizes, padded tensors. Out: padded results, or an
`UnboundedError`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
import torch
from torch.fx.node import Node
from torch.utils._pytree import tree_any, tree_map
from torch.utils._sympy.functions import (
    CleanDiv,
    FloatPow,
    FloatTrueDiv,
    FloorDiv,
    IntTrueDiv,
    Mod,
    OpaqueUnaryFn_sqrt,
    PythonMod,
    ToFloat,
)
from torch.utils._sympy.functions import Max as SympyMax
from torch.utils._sympy.functions import Min as SympyMin

from torch_pjrt.bucketing.padded import Dim, Extent, UnboundedError, is_same

__all__ = ["RULES", "Interpretation", "Number", "Rule", "Value", "expression_of", "rule"]

aten = torch.ops.aten


@dataclass
class Value:
    """A tensor of padded sizes, and where the elements of the value lie in each of its dimensions."""

    data: torch.Tensor
    dims: tuple[Dim, ...]

    @property
    def is_padded(self) -> bool:
        return any(dim.is_padded for dim in self.dims)

    def dim(self, index: int) -> int:
        """`index` counted from the front."""
        return index % len(self.dims) if self.dims else 0


Rule = Callable[..., Any]

# A rule's argument that is an int, a float, or an expression of sizes.
Number = Any

# What runs each operator on padded tensors: called with the interpretation and the operator's arguments, in which
# tensors are `Value`s and symbolic numbers are expressions; returns a `Value`, or several as the operator does.
RULES: dict[Any, Rule] = {}


def rule(*overloads: Any) -> Callable[[Rule], Rule]:
    """Registers a function as the rule of overloads."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(overloads, function))
        return function

    return register


def _are_first(one: Dim, other: Dim) -> bool:
    return one.is_prefix and other.is_prefix and one.padded == other.padded


def expression_of(number: Any) -> sympy.Expr:
    """The expression of an integer, symbolic or not."""
    return number.node.expr if isinstance(number, torch.SymInt) else sympy.sympify(number)


class Interpretation:
    """One run of a graph.

    Attributes:
        node: the node that runs.
    """

    def __init__(
        self,
        module: torch.fx.GraphModule,
        padded_sizes: Mapping[sympy.Symbol, int],
        exact_sizes: Mapping[sympy.Symbol, int],
        counts: torch.Tensor,
    ) -> None:
        """
        Args:
            module: the graph.
            padded_sizes: what each varying symbol is padded to.
            exact_sizes: the symbols that are what they are.
            counts: the varying symbols' sizes, in the order of `padded_sizes`; an int32 tensor on the device.
        """
        self._module = module
        self._padded_sizes = dict(padded_sizes)
        self._exact_sizes = dict(exact_sizes)
        self._counts = counts
        self._masks: dict[tuple[Extent, ...], torch.Tensor] = {}
        self._of_expressions: dict[sympy.Expr, torch.Tensor] = {}
        self.node: Node = next(iter(module.graph.nodes))

    # Sizes

    def real(self, number: Any) -> sympy.Expr:
        """The size as an expression of the varying symbols."""
        return expression_of(number).subs(self._exact_sizes)

    def padded(self, number: Any) -> int:
        """The size when all symbols are what they are padded to."""
        value = self.real(number).subs(self._padded_sizes)
        if not value.is_number or value != int(value):
            raise UnboundedError(f"{number} is no size")
        return int(value)

    def count(self, number: Any) -> Any:
        """The number at run time: itself, or a 0-dim tensor on the device, int32 or, if it is no integer, float32."""
        expression = self.real(number)
        if expression.is_number:
            return int(expression) if expression.is_integer else float(expression)
        if expression not in self._of_expressions:
            self._of_expressions[expression] = self._computed(expression)
        return self._of_expressions[expression]

    def _computed(self, expression: sympy.Expr) -> Any:
        if expression in self._padded_sizes:
            return self._counts[list(self._padded_sizes).index(expression)]
        parts = [self.count(part) for part in expression.args]
        match expression:
            case sympy.Add():
                return sum(parts[1:], parts[0])
            case sympy.Mul():
                return math.prod(parts[1:], start=parts[0])
            case sympy.Pow() if expression.exp.is_Integer and expression.exp > 0:
                return parts[0] ** int(expression.exp)
            case ToFloat():
                return parts[0].to(torch.float32)
            case IntTrueDiv() | FloatTrueDiv():
                return torch.true_divide(self._tensor(parts[0]), parts[1])
            case FloatPow() if not isinstance(parts[1], torch.Tensor):
                return self._tensor(parts[0]) ** parts[1]
            case OpaqueUnaryFn_sqrt():
                return parts[0].to(torch.float32).sqrt()
            case FloorDiv() | CleanDiv():
                return torch.div(parts[0], parts[1], rounding_mode="floor")
            case Mod() | PythonMod():
                return torch.remainder(parts[0], parts[1])
            case SympyMax() | SympyMin():
                choose = torch.maximum if isinstance(expression, SympyMax) else torch.minimum
                chosen = parts[0]
                for part in parts[1:]:
                    chosen = choose(self._tensor(chosen), self._tensor(part))
                return chosen
        raise UnboundedError(f"the size {expression} is not computed from padded ones")

    def _tensor(self, number: Any) -> torch.Tensor:
        return number if isinstance(number, torch.Tensor) else torch.full_like(self._counts[0], number)

    def prefix(self, shape: Sequence[Any]) -> list[Dim]:
        """Dimensions whose elements are the first ones."""
        return [Dim.of([Extent(self.real(size), self.padded(size))]) for size in shape]

    def shape(self, result: int | None = None) -> list[sympy.Expr]:
        """The shape of the node's value, or of one of them."""
        value = self.node.meta["val"]
        return [self.real(size) for size in (value if result is None else value[result]).shape]

    # Masks

    def mask(self, dim: Dim) -> torch.Tensor:
        """Which positions of a dimension are the value's: a bool vector."""
        if dim.extents not in self._masks:
            mask = torch.ones((), dtype=torch.bool, device=self._counts.device)
            for extent in dim.extents:
                mask = mask.unsqueeze(-1)
                if extent.is_padded:
                    positions = torch.arange(extent.padded, dtype=torch.int32, device=mask.device)
                    mask = mask & (positions < self.count(extent.real))
                else:
                    mask = mask.expand(*mask.shape[:-1], extent.padded)
            self._masks[dim.extents] = mask.flatten()
        return self._masks[dim.extents]

    def filled(self, value: Value, padding: Any, dims: Sequence[int] | None = None) -> torch.Tensor:
        """The tensor with `padding` beyond the value's elements along `dims`, or along all."""
        data = value.data
        chosen = range(len(value.dims)) if dims is None else sorted({value.dim(dim) for dim in dims})
        outside = None
        for index in chosen:
            if value.dims[index].is_padded:
                shape = [1] * len(value.dims)
                shape[index] = -1
                beyond = ~self.mask(value.dims[index]).view(shape)
                outside = beyond if outside is None else outside | beyond
        return data if outside is None else data.masked_fill(outside, padding)

    # Places

    def packed(self, value: Value) -> torch.Tensor:
        """A flat tensor of all padded sizes, whose first elements are the value's in their order."""
        extents = [extent for dim in value.dims for extent in dim.extents]
        last = max((index for index, extent in enumerate(extents) if extent.is_padded), default=0)
        if last == 0:
            return value.data.reshape(-1)
        rows = math.prod(extent.padded for extent in extents[: last + 1])
        at = torch.arange(rows, dtype=torch.int32, device=value.data.device)
        source = torch.zeros_like(at)
        stride = 1
        for index in range(last, -1, -1):
            count = self.count(extents[index].real)
            source = source + (at if index == 0 else torch.remainder(at, count)) * stride
            at = torch.div(at, count, rounding_mode="floor")
            stride *= extents[index].padded
        return value.data.reshape(rows, -1).index_select(0, source.clamp(max=rows - 1)).reshape(-1)

    def reshaped(self, value: Value, shape: Sequence[Any]) -> Value:
        """A tensor of another shape with the same elements, which are the first ones along each dimension."""
        packed = self.packed(value)
        dims = self.prefix(shape)
        sizes = [dim.padded for dim in dims]
        last = max((index for index, dim in enumerate(dims) if dim.is_padded), default=-1)
        block = math.gcd(math.prod(sizes[last + 1 :]), packed.numel())
        sizes_of_blocks = [*sizes[: last + 1], math.prod(sizes[last + 1 :]) // block]
        strides: list[Any] = [1]
        for size in [sizes_of_blocks[-1], *(self.count(dim.real) for dim in reversed(dims[: last + 1]))][: last + 1]:
            strides.insert(0, strides[0] * size)
        source = torch.zeros((), dtype=torch.int32, device=packed.device)
        for size, stride in zip(sizes_of_blocks, strides, strict=True):
            source = source.unsqueeze(-1) + torch.arange(size, dtype=torch.int32, device=packed.device) * stride
        blocks = packed.reshape(-1, block)
        data = blocks.index_select(0, source.flatten().clamp(max=blocks.shape[0] - 1))
        return Value(data.reshape(sizes), tuple(dims))

    def prefixed(self, value: Value, dims: Sequence[int] | None = None) -> Value:
        """The same tensor with the value's elements first, at least along `dims`."""
        chosen = value.dims if dims is None else [value.dims[value.dim(dim)] for dim in dims]
        if all(dim.is_prefix for dim in chosen):
            return value
        return self.reshaped(value, [dim.real for dim in value.dims])

    # Values

    def aligned(self, values: Sequence[Value]) -> tuple[list[Value], list[Dim]]:
        """Arguments of an elementwise operator, with their elements at the same places; and the result's dimensions."""
        try:
            return list(values), self.broadcast(values)
        except UnboundedError:
            values = [self.prefixed(value) for value in values]
            return values, self.broadcast(values)

    def broadcast(self, values: Sequence[Value]) -> list[Dim]:
        """The dimensions of an elementwise result.

        Raises:
            UnboundedError: the elements of two arguments are at different places.
        """
        rank = max(len(value.dims) for value in values)
        dims = []
        for index in range(rank):
            at_index = [value.dims[index - rank] for value in values if index - rank + len(value.dims) >= 0]
            wide = [dim for dim in at_index if dim.extents]
            varying = [dim for dim in wide if not dim.constant]
            # PyTorch has checked that the sizes are equal, however they were computed.
            if any(dim.extents != varying[0].extents and not _are_first(dim, varying[0]) for dim in varying):
                raise UnboundedError("its arguments are padded at different places")
            dims.append(varying[0] if varying else wide[0] if wide else Dim(constant=True))
        return dims

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The node's operator itself, on the tensors and sizes as they are padded."""

        def unwrapped(leaf: Any) -> Any:
            if isinstance(leaf, Value):
                return leaf.data
            return self.padded(leaf) if isinstance(leaf, sympy.Expr) else leaf

        args, kwargs = tree_map(unwrapped, (args, kwargs))
        return self.node.target(*args, **kwargs)  # type: ignore[operator]

    def require_plain(self, value: Value, dims: Sequence[int], what: str) -> None:
        """Raises `UnboundedError` if the size of one of `dims` varies."""
        if any(value.dims[value.dim(dim)].is_padded for dim in dims):
            raise UnboundedError(f"{what} of a size that varies")

    def count_of(self, value: Value, dims: Sequence[int]) -> Any:
        """How many elements of the value a reduction over `dims` takes."""
        return self.count(math.prod((value.dims[dim].real for dim in dims), start=sympy.Integer(1)))

    def plain(self, data: Any) -> Any:
        """Unpadded results as values."""
        return tree_map(
            lambda leaf: (
                Value(leaf, tuple(Dim.plain(size) for size in leaf.shape)) if isinstance(leaf, torch.Tensor) else leaf
            ),
            data,
        )

    # Running

    def run(self, arguments: Sequence[Value | sympy.Expr | Any]) -> list[Any]:
        """The graph's results: `Value`s, expressions and what else it returns.

        Raises:
            UnboundedError: a node cannot run on padded tensors.
        """
        environment: dict[Node, Any] = {}
        remaining = list(arguments)
        for node in self._module.graph.nodes:
            self.node = node
            if node.op == "placeholder":
                environment[node] = remaining.pop(0)
            elif node.op == "output":
                return list(torch.fx.node.map_arg(node.args[0], environment.__getitem__))
            elif isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool)):
                environment[node] = node.meta["val"].node.expr
            elif node.op == "get_attr":
                attribute: Any = operator.attrgetter(node.target)(self._module)
                environment[node] = self.plain(attribute) if isinstance(attribute, torch.Tensor) else attribute
            else:
                args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), environment.__getitem__)
                environment[node] = self._call(node.target, args, kwargs)
                self._check(environment[node])
        raise AssertionError("a graph ends with its output")

    def _call(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target is operator.getitem:
            return args[0][args[1]]
        if target in (aten._assert_scalar.default, aten._assert_tensor_metadata.default):
            return None
        symbolic = tree_any(lambda leaf: isinstance(leaf, sympy.Basic) and not self._is_number(leaf), (args, kwargs))
        padded = tree_any(lambda leaf: isinstance(leaf, Value) and leaf.is_padded, (args, kwargs))
        tags = getattr(target, "tags", ())
        if not symbolic and not padded and not self._is_padded_result():
            args, kwargs = tree_map(self._unwrapped, (args, kwargs))
            return self.plain(target(*args, **kwargs))
        if getattr(getattr(target, "_schema", None), "is_mutable", False):
            raise UnboundedError("it writes to a tensor whose size varies")
        found = RULES.get(target)
        if found is None and torch.Tag.nondeterministic_seeded in tags:
            raise UnboundedError(f"the random numbers of {target} depend on the size")
        if found is None and torch.Tag.pointwise in tags:
            found = RULES[torch.Tag.pointwise]
        if found is None:
            raise UnboundedError(f"{target} has no rule for padded tensors")
        return found(self, *args, **kwargs)

    def _is_number(self, expression: Any) -> bool:
        return not isinstance(expression, sympy.Expr) or bool(self.real(expression).is_number)

    def _is_padded_result(self) -> bool:
        """Factories have no padded argument."""
        return tree_any(
            lambda leaf: isinstance(leaf, torch.Tensor) and not all(self.real(size).is_number for size in leaf.shape),
            self.node.meta.get("val"),
        )

    def _unwrapped(self, leaf: Any) -> Any:
        if isinstance(leaf, Value):
            return leaf.data
        if isinstance(leaf, sympy.Expr):
            number = self.real(leaf)
            return int(number) if number.is_integer else float(number)
        return leaf

    def _check(self, results: Any) -> None:
        """A rule and PyTorch have to agree on shapes and dtypes, at the sizes of the value and at the padded ones."""
        expected = self.node.meta.get("val")
        if isinstance(results, Value):
            results, expected = [results], [expected]
        if not isinstance(results, (list, tuple)) or not isinstance(expected, (list, tuple)):
            return
        for result, meta in zip(results, expected, strict=False):
            if not isinstance(result, Value) or not isinstance(meta, torch.Tensor):
                continue
            shape = [self.real(size) for size in meta.shape]
            if (
                len(shape) != len(result.dims)
                or not all(is_same(dim.real, size) for dim, size in zip(result.dims, shape, strict=True))
                or [dim.padded for dim in result.dims] != list(result.data.shape)
                or result.data.dtype != meta.dtype
            ):
                found = f"{result.data.dtype}{[dim.real for dim in result.dims]} in {list(result.data.shape)}"
                raise UnboundedError(f"{self.node.target} gives {found} when it is padded, not {meta.dtype}{shape}")
