"""Tensors that are larger than their value: where the elements of a value lie in one that is padded to its bucket.

In: symbolic sizes of a graph, and the sizes that they are padded to.
Out: `Dim`s, and what views do to them. Pure: no tensor is touched here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import sympy
from torch.utils._sympy.functions import CleanDiv, FloorDiv

__all__ = ["Dim", "Extent", "UnboundedError", "is_same", "regroup", "varying"]


class UnboundedError(Exception):
    """A graph whose results padding would change: it gets a program for each size. The message says why."""


@dataclass(frozen=True)
class Extent:
    """A run of positions, of which the first `real` are the value's. `real` is an integer or an expression of sizes."""

    real: sympy.Expr
    padded: int

    @property
    def is_padded(self) -> bool:
        return not self.real.is_number


@dataclass(frozen=True)
class Dim:
    """A dimension: row-major positions over its extents, which is what a view that merges dimensions leaves.

    [2, s] merged has two extents: the value's elements are not the first of the dimension. [s, 2] merged has one: 2 s.
    A `constant` dimension repeats one slice: what is beyond the value's elements is equal to them.
    """

    extents: tuple[Extent, ...] = ()
    constant: bool = False

    @staticmethod
    def of(extents: Iterable[Extent], *, constant: bool = False) -> Dim:
        """The canonical form: without extents of 1, and with an unpadded extent merged into the one before it."""
        merged: list[Extent] = []
        for extent in extents:
            if extent.padded == 1 and not extent.is_padded:
                continue
            if merged and not extent.is_padded:
                last = merged.pop()
                extent = Extent(sympy.expand(last.real * extent.real), last.padded * extent.padded)
            merged.append(extent)
        return Dim(tuple(merged), constant)

    @staticmethod
    def plain(size: int) -> Dim:
        return Dim.of([Extent(sympy.Integer(size), size)])

    @property
    def is_padded(self) -> bool:
        return any(extent.is_padded for extent in self.extents)

    @property
    def padded(self) -> int:
        """Its size."""
        return math.prod(extent.padded for extent in self.extents)

    @property
    def real(self) -> sympy.Expr:
        """The size of the value's dimension."""
        return sympy.expand(math.prod((extent.real for extent in self.extents), start=sympy.Integer(1)))

    @property
    def is_prefix(self) -> bool:
        """Whether the value's elements are the first ones."""
        return self.constant or not any(extent.is_padded for extent in self.extents[1:])


def varying(*dims: Dim) -> tuple[Dim, ...]:
    """The dimensions of a tensor whose content is not known to repeat."""
    return tuple(Dim(dim.extents) for dim in dims)


def is_same(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Whether two sizes are equal, given that each division in them has no remainder, as where a view is possible."""
    if one == other:
        return True

    def exact(expression: sympy.Expr) -> sympy.Expr:
        return expression.replace(FloorDiv, lambda a, b: a / b).replace(CleanDiv, lambda a, b: a / b)

    return bool(sympy.expand(exact(one) - exact(other)) == 0)


def regroup(dims: Sequence[Dim], shape: Sequence[sympy.Expr], padded: Callable[[sympy.Expr], int]) -> list[Dim]:
    """The dimensions of a view with another shape, as `reshape` makes it.

    Args:
        dims: of the viewed tensor.
        shape: of the view's value.
        padded: from a size to what it is padded to.

    Raises:
        UnboundedError: a padded view of that shape would hold the value's elements at other positions.
    """
    if all(dim.constant or not dim.extents for dim in dims):
        return [Dim.of([Extent(size, padded(size))], constant=True) for size in shape]
    remaining = [(extent, dim.constant) for dim in dims for extent in dim.extents]
    remaining.reverse()
    result = []
    for size in shape:
        wanted = padded(size)
        taken: list[Extent] = []
        constants = []
        while wanted > 1 or not is_same(Dim.of(taken).real, size):
            if not remaining:
                raise UnboundedError(f"a view of shape {list(shape)} has elements at other places when it is padded")
            extent, constant = remaining.pop()
            if wanted % extent.padded != 0:
                inner, rest = divmod(extent.padded, wanted)
                if rest or wanted == 1:
                    raise UnboundedError(f"a view of shape {list(shape)} splits a padded dimension")
                # The outer positions are a dimension of their own; where all positions hold the same, any are.
                outer_real = size / Dim.of(taken).real if constant else _divided(extent.real, inner)
                inner_real = extent.real / outer_real if constant else sympy.Integer(inner)
                remaining.append((Extent(inner_real, inner), constant))
                extent = Extent(outer_real, wanted)
            taken.append(extent)
            constants.append(constant)
            wanted //= extent.padded
        dim = Dim.of(taken, constant=bool(taken) and all(constants))
        result.append(Dim.of([Extent(size, dim.padded)], constant=dim.constant) if len(dim.extents) == 1 else dim)
    if any(extent.padded > 1 for extent, _ in remaining):
        raise UnboundedError(f"a view of shape {list(shape)} leaves elements out")
    return result


def _divided(real: sympy.Expr, by: int) -> sympy.Expr:
    divided = real / by
    return divided if not divided.is_number or divided.is_integer else FloorDiv(real, by)
