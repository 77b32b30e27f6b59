"""When operators run: `torch.tpu.eager_mode`, `set_eager_mode` and `EagerMode`."""

from __future__ import annotations

import enum

from torch_pjrt import _C

__all__ = ["EagerMode", "get_eager_mode", "set_eager_mode"]


class EagerMode(enum.Enum):
    """When operators run. Whatever the mode, results are the same, and no step marker is needed.

    The names that start with DEFER are TorchTPU's names for the same modes.
    """

    STRICT = "strict"
    """Each operator is launched at once, asynchronously."""
    DEBUG = "debug"
    """Each operator is launched at once and waited for, so that an error points at the line that caused it."""
    FUSED = "fused"
    """Operators are gathered into larger programs, which are launched when a result is needed."""

    DEFER_NEVER = STRICT
    DEFER_NEVER_AND_LAUNCH_BLOCKING = DEBUG
    DEFER_AND_FUSE = FUSED


def get_eager_mode() -> EagerMode:
    """The mode in force. Opens no client."""
    return EagerMode(_C.get_mode())


def set_eager_mode(mode: EagerMode | str) -> None:
    """Sets the mode for this process from the next operator on; what has been gathered so far is launched first.

    Raises:
        ValueError: `mode` is neither an `EagerMode` nor "strict", "debug" or "fused".
    """
    _C.set_mode(EagerMode(mode).value)
