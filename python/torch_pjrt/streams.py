"""Streams and events: `torch.tpu.Stream` and `torch.tpu.Event` are torch's own classes, for this device.

A device runs its programs in the order in which they were launched, so that work on two streams of one device is
ordered too; waiting for a stream or an event means what torch says.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch

from torch_pjrt import devices

__all__ = ["Event", "Stream", "StreamContext", "current_stream", "default_stream", "set_stream", "stream"]


class Stream(torch.Stream):
    """A queue of work on one device.

    `device`: the device; the current one if None. `priority`: taken for torch.cuda's sake, has no effect.
    """

    def __new__(cls, device: devices.Device = None, priority: int = 0, **existing: int) -> Stream:
        """`existing`: `stream_id`, `device_index` and `device_type` of a stream that exists."""
        devices._lazy_init()
        if existing:
            return super().__new__(cls, **existing)
        index = devices._existing(devices.device_index(device, optional=True))
        return super().__new__(cls, device=torch.device(devices.device_type(), index), priority=priority)

    def __repr__(self) -> str:
        return f"torch.{devices.device_type()}.Stream(device={self.device}, stream_id={self.stream_id})"


class _EventType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Event) and instance.device.type == devices.device_type()


class Event(metaclass=_EventType):
    """A point in a stream's work: makes a `torch.Event` of this device (torch takes no subclass in `elapsed_time`).

    `enable_timing`: `elapsed_time` can be asked of it, in milliseconds. `blocking`, `interprocess`: taken for
    torch.cuda's sake; events cannot be shared between processes.

    Raises:
        NotImplementedError: `interprocess` is True.
    """

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        if interprocess:
            raise NotImplementedError(f"{devices.device_type()} events cannot be shared between processes")
        devices._lazy_init()
        return torch.Event(devices.device_type(), enable_timing=enable_timing, blocking=blocking)


class StreamContext:
    """Context manager: `stream` is its device's current one inside the block. Does nothing for None."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: torch.Stream | None = None
        self._device_before = -1

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            self._device_before = devices.current_device()
            self._before = torch.accelerator.current_stream(self.stream.device)
            torch.accelerator.set_stream(self.stream)
        return self.stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._before is not None:
            torch.accelerator.set_stream(self._before)
            devices._exchange_device(self._device_before)


def stream(stream: torch.Stream | None) -> StreamContext:
    """Context manager: `stream` is its device's current one inside the block. Does nothing for None."""
    return StreamContext(stream)


def current_stream(device: devices.Device = None) -> Stream:
    """The stream that work of this thread on `device` goes to."""
    devices._lazy_init()
    return _as_ours(torch.accelerator.current_stream(devices.device_index(device, optional=True)))


def default_stream(device: devices.Device = None) -> Stream:
    """The stream that `device` starts with."""
    devices._lazy_init()
    index = devices._existing(devices.device_index(device, optional=True))
    device_type = torch.accelerator.current_stream(index).device_type
    return Stream(stream_id=0, device_index=index, device_type=device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Makes `stream` the current one of its device, and that device the current one. Does nothing for None."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


def _as_ours(found: Any) -> Stream:
    return Stream(stream_id=found.stream_id, device_index=found.device_index, device_type=found.device_type)
