"""What happened to the graphs of torch.compile: the part of `torch_pjrt.stats()` that is counted in Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["count_unbounded", "read", "reset"]

_unbounded: Counter[str] = Counter()


def count_unbounded(why: str) -> None:
    """Counts a graph whose sizes get a program each."""
    _unbounded[why] += 1


def read() -> dict[str, Any]:
    """The counters, by their names in `torch_pjrt.stats()`."""
    return {"unbounded_graphs": dict(_unbounded)}


def reset() -> None:
    """Sets all counters to zero."""
    _unbounded.clear()
