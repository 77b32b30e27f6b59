"""Which device: counting, choosing, waiting for and describing devices. Re-exported by `torch.tpu`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch

from torch_pjrt import _C, settings

__all__ = [
    "DeviceProperties",
    "current_device",
    "device",
    "device_count",
    "device_of",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "set_device",
    "synchronize",
]

Device = torch.device | str | int | None

# Called each time that the client has been opened.
after_init: list[Callable[[], None]] = []
_queued_calls: list[Callable[[], None]] = []


@dataclass(frozen=True)
class DeviceProperties:
    """What is known of a device.

    `name`: its kind, as the plugin calls it. `total_memory`: bytes (0 if the plugin does not say).
    `platform`, `platform_version`: the plugin's platform. `plugin_path`: the file it was loaded from.
    `api_version`: of the PJRT C API that the plugin speaks. `multi_processor_count`: always 1; PJRT does not say.
    """

    name: str
    total_memory: int
    platform: str
    platform_version: str
    plugin_path: str
    api_version: str
    multi_processor_count: int = 1


def device_type() -> str:
    """The device's name in PyTorch: `tpu` unless TORCH_PJRT_DEVICE says otherwise."""
    return torch._C._get_privateuse1_backend_name()


def device_index(device: Device, *, optional: bool = False) -> int:
    """The index that `device` means; the current device's if it names none.

    Raises:
        ValueError: `device` is of another type, or names no index and `optional` is False.
    """
    if isinstance(device, int) and not isinstance(device, bool):
        return device
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != device_type():
            raise ValueError(f"expected a {device_type()} device, but got {device}")
        if device.index is not None:
            return device.index
    elif device is not None:
        raise ValueError(f"expected a {device_type()} device, its index or its name, but got {device!r}")
    if device is None and not optional:
        raise ValueError("expected a device with an index, but got None")
    return current_device()


def init() -> None:
    """Opens the client now. Without it, the first use of the device does. Does nothing if the client is open.

    Raises:
        RuntimeError: no plugin was found, it does not load, or this process was forked after the device was used.
        ValueError: a TORCH_PJRT_* setting has a value that is not allowed.
    """
    _lazy_init()


def is_initialized() -> bool:
    """Whether the client is open."""
    return _C.is_initialized() and not _is_in_bad_fork()


def is_available() -> bool:
    """Whether a plugin with at least one device was found. Opens no client, and never raises."""
    try:
        return device_count() > 0
    except (RuntimeError, ValueError):
        return False


def device_count() -> int:
    """How many devices there are. Opens no client where the number can be known without one."""
    if not _C.is_initialized():
        _read_settings()
    return _C.device_count()


def current_device() -> int:
    """The index of the device that tensors of this thread are made on when none is named. Opens no client."""
    return _C.current_device()


def set_device(device: Device) -> None:
    """Makes `device` the current one of this thread. Does nothing if its index is negative.

    Raises:
        RuntimeError: there is no device of that index.
        ValueError: `device` is of another type.
    """
    index = device_index(device)
    if index >= 0:
        _C.set_device(_existing(index))


class device:  # noqa: N801 - torch.cuda.device is the model
    """Context manager: `device` is the current one inside the block. Does nothing for None or a negative index."""

    def __init__(self, device: Device) -> None:
        self.idx = -1 if device is None else device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> device:
        self.prev_idx = _exchange_device(self.idx)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _maybe_exchange_device(self.prev_idx)


class device_of(device):  # noqa: N801 - torch.cuda.device_of is the model
    """Context manager: the device of `obj` (a tensor or a storage) is the current one, if it is a device of ours."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device if obj.device.type == device_type() else None)


def synchronize(device: Device = None) -> None:
    """Waits until `device` has done all that was asked of it. Does nothing if the client is not open.

    Raises:
        RuntimeError: an operator that was launched before has failed; the message names it, its shapes and its line.
    """
    if _C.is_initialized():
        _refuse_bad_fork()
        _C.synchronize(device_index(device, optional=True))


def get_device_properties(device: Device = None) -> DeviceProperties:
    """What is known of `device`. Opens the client.

    Raises:
        RuntimeError: there is no such device.
    """
    _lazy_init()
    info = _C.device_info(_existing(device_index(device, optional=True)))
    return DeviceProperties(
        name=info["kind"],
        total_memory=info["total_memory"],
        platform=info["platform"],
        platform_version=info["platform_version"],
        plugin_path=info["plugin_path"],
        api_version=info["api_version"],
    )


def get_device_name(device: Device = None) -> str:
    """The kind of `device`, as the plugin calls it. Opens the client."""
    return get_device_properties(device).name


def get_device_capability(device: Device = None) -> dict[str, Any]:
    """`supported_dtypes`: the dtypes that tensors on `device` can have, as `torch.accelerator` gives them."""
    del device
    return {"supported_dtypes": set(_supported_dtypes())}


@functools.cache
def _supported_dtypes() -> tuple[torch.dtype, ...]:
    return (
        torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32,
        torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
        torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz,
    )  # fmt: skip


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that `torch.autocast` may use on this device."""
    return [torch.bfloat16, torch.float16]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 tensors can be used: always."""
    del including_emulation
    return True


def _exchange_device(index: int) -> int:
    if index < 0:
        return -1
    before = current_device()
    if index != before:
        _C.set_device(_existing(index))
    return before


def _maybe_exchange_device(index: int) -> int:
    return _exchange_device(index)


def _existing(index: int) -> int:
    count = device_count()
    if not 0 <= index < count:
        raise RuntimeError(f"there is no device {device_type()}:{index}: this machine has {count}")
    return index


def _is_in_bad_fork() -> bool:
    return _C.in_bad_fork()


def _refuse_bad_fork() -> None:
    if _is_in_bad_fork():
        name = device_type()
        raise RuntimeError(
            f"Cannot re-initialize the {name} device in a forked subprocess. To use {name} with multiprocessing, you "
            "must use the 'spawn' start method"
        )


def _read_settings() -> None:
    _C._init_backend(settings.read(), settings.import_roots())


def _lazy_init() -> None:
    """Opens the client; torch calls this before the first use of the device."""
    _refuse_bad_fork()
    if _C.is_initialized():
        return
    _read_settings()
    _C.init()
    for call in [*after_init, *_queued_calls]:
        call()
    _queued_calls.clear()


def _lazy_call(callable: Callable[[], None], **kwargs: object) -> None:
    """Calls `callable` now if the client is open, else when it opens. `torch.accelerator` uses this."""
    del kwargs
    if _C.is_initialized():
        callable()
    else:
        _queued_calls.append(callable)
