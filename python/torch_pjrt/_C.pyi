"""The native module: `crates/bridge`. Everything here is private to the package, except through the Python modules."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import torch

class Explanation(TypedDict):
    """Why one program was loaded. `calls`: what it computes, cut if long; `call_count`: how many calls those are.

    `reason`: the part of the cache key that had not been seen. `source`: "compiled" or "disk". `seconds`: what it took.
    `key_parts`: (part, hash) of the key on disk.
    """

    calls: str
    call_count: int
    first_called_at: str | None
    reason: str
    source: str
    seconds: float
    key_parts: list[tuple[str, str]]

class DeviceInfo(TypedDict):
    """What the plugin says of a device. `total_memory`: bytes, 0 if unknown."""

    kind: str
    platform: str
    platform_version: str
    plugin_path: str
    api_version: str
    total_memory: int

class CacheInfo(TypedDict):
    """The disk cache. `directory`: None if it is off."""

    directory: str | None
    entries: int
    bytes: int
    limit_bytes: int

__version__: str

def _init_backend(settings: dict[str, str], site_packages: list[str]) -> None:
    """Stores the settings (keys: `torch_pjrt.settings.Setting.key`) for when the client opens. May be called again
    until it has opened. Opens no client itself."""

def init() -> None:
    """Opens the client."""

def is_initialized() -> bool: ...
def in_bad_fork() -> bool:
    """Whether this process was forked from one in which the client was open."""

def device_count() -> int:
    """Opens no client where the number can be known without one."""

def current_device() -> int:
    """Of the calling thread. Opens no client."""

def set_device(index: int) -> None:
    """For the calling thread. Opens no client."""

def synchronize(index: int | None) -> None: ...
def flush() -> None: ...
def stop_launching() -> None: ...
def device_info(index: int) -> DeviceInfo: ...
def default_generator(index: int) -> torch.Generator:
    """The same object each time. Opens no client."""

def memory_stats(index: int) -> dict[str, int]:
    """`live_bytes`, `peak_bytes`, `live_tensors`; where known `peak_tensors`, `allocations` and `allocated_bytes` (all
    so far), `reserved_bytes`, `peak_reserved_bytes`, `free_bytes`, `out_of_memory_errors`."""

def reset_peak_memory(index: int) -> None: ...
def reset_accumulated_memory(index: int) -> None: ...
def stats() -> dict[str, int | float | dict[str, int]]: ...
def reset_stats() -> None: ...
def explain() -> list[Explanation]: ...
def get_mode() -> str:
    """`strict`, `debug` or `fused`. Opens no client."""

def set_mode(mode: str) -> None: ...
def get_precision() -> str | None:
    """`default`, `high` or `highest` if `set_precision` set one for the calling thread; None if torch's own setting
    decides."""

def set_precision(precision: str | None) -> None: ...
def get_compile_options() -> dict[str, str | int | bool]: ...
def set_compile_options(options: dict[str, str | int | bool]) -> None: ...
def cache_info() -> CacheInfo:
    """Opens no client."""

def cache_clear() -> None:
    """Removes every entry of the disk cache. Opens no client."""

class Graph:
    """A function of tensors and numbers that runs as one program: the first call with arguments of a kind records it.

    Arguments of a kind have the same numbers, and tensors whose storages hold values of the same shape and start at the
    same offset; sizes and strides must follow from that, which the caller promises.
    """

    def __init__(self, function: Callable[..., Sequence[Any]], obstacle: str = "") -> None:
        """`obstacle`: what is known to keep its calls from being the same each time."""

    def __call__(self, arguments: list[Any]) -> list[Any]:
        """Takes the arguments out of the list, so that memory that no one else holds can be used again."""

    @property
    def obstacle(self) -> str:
        """Why each call is recorded anew, and may take several programs; empty if none does."""

    @property
    def captures(self) -> int:
        """For how many kinds of arguments it has been recorded."""
