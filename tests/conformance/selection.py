"""A part of all cases that is the same on every machine: which ones are in it depends on their names alone."""

from __future__ import annotations

import zlib


def is_selected(operator: str, dtype: str, aspect: str, every: int) -> bool:
    """Whether the case is in the part that holds about one case in `every`."""
    return zlib.crc32(f"{operator} {dtype} {aspect}".encode()) % every == 0
