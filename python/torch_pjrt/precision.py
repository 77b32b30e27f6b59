"""How accurate float32 matrix products and convolutions are: `torch.tpu.precision` and `Precision`."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager

from torch_pjrt import _C

__all__ = ["Precision", "precision"]


class Precision(enum.Enum):
    """How accurate float32 matrix products and convolutions are. The names are StableHLO's and TorchTPU's."""

    DEFAULT = "default"
    """The device's fastest: one bfloat16 pass on a TPU."""
    HIGH = "high"
    """Three bfloat16 passes on a TPU."""
    HIGHEST = "highest"
    """As accurate as float32. In force unless you ask for something else."""


@contextmanager
def precision(mode: Precision | str) -> Iterator[None]:
    """Sets the precision of float32 matrix products and convolutions inside the `with` block.

    Outside one, `torch.set_float32_matmul_precision` decides: "highest" (torch's own default) means HIGHEST, "high"
    HIGH and "medium" DEFAULT.

    Raises:
        ValueError: `mode` is neither a `Precision` nor one of its values.
    """
    before = _C.get_precision()
    _C.set_precision(Precision(mode).value)
    try:
        yield
    finally:
        _C.set_precision(before)
