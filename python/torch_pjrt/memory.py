"""Device memory: what is held, the peaks, and what is free. Re-exported by `torch.tpu` and as `torch.tpu.memory`.

All sizes are bytes. While the client is not open, every figure is zero and every action does nothing.
"""

from __future__ import annotations

from collections import OrderedDict

from torch_pjrt import _C, devices

__all__ = [
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
]

_KIBIBYTE = 2**10


def memory_allocated(device: devices.Device = None) -> int:
    """Bytes of device memory that tensors hold now."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: devices.Device = None) -> int:
    """The highest value of `memory_allocated` since the start or the last `reset_peak_memory_stats`."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: devices.Device = None) -> int:
    """The same as `memory_allocated`, unless the plugin tells how much it keeps for itself."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: devices.Device = None) -> int:
    """The highest value of `memory_reserved` since the start or the last `reset_peak_memory_stats`."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def memory_stats(device: devices.Device = None) -> OrderedDict[str, int]:
    """Memory figures under the names of `torch.cuda.memory_stats`; empty while the client is not open.

    `allocation.all.*` counts tensors' storages, `allocated_bytes.all.*` their bytes, `reserved_bytes.all.*` what the
    plugin has taken from the device, `num_ooms` the out-of-memory errors; `*` is `current`, `peak`, `allocated` (all so
    far) or `freed`.
    """
    if not devices.is_initialized():
        return OrderedDict()
    native = _C.memory_stats(devices.device_index(device, optional=True))
    live_bytes, peak_bytes = native["live_bytes"], native["peak_bytes"]
    total_bytes = native.get("allocated_bytes", live_bytes)
    live_tensors = native["live_tensors"]
    peak_tensors = native.get("peak_tensors", live_tensors)
    total_tensors = native.get("allocations", live_tensors)
    figures = {
        "allocated_bytes.all.current": live_bytes,
        "allocated_bytes.all.peak": peak_bytes,
        "allocated_bytes.all.allocated": total_bytes,
        "allocated_bytes.all.freed": total_bytes - live_bytes,
        "allocation.all.current": live_tensors,
        "allocation.all.peak": peak_tensors,
        "allocation.all.allocated": total_tensors,
        "allocation.all.freed": total_tensors - live_tensors,
        "reserved_bytes.all.current": native.get("reserved_bytes", live_bytes),
        "reserved_bytes.all.peak": native.get("peak_reserved_bytes", peak_bytes),
        "num_ooms": native.get("out_of_memory_errors", 0),
    }
    return OrderedDict(sorted(figures.items()))


def memory_summary(device: devices.Device = None, abbreviated: bool = False) -> str:
    """The figures of `memory_stats` as a table to print. `abbreviated`: only current values and peaks."""
    figures = memory_stats(device)
    columns = ("current", "peak") if abbreviated else ("current", "peak", "allocated", "freed")
    rows = [
        ("tensor memory", "allocated_bytes", True),
        ("storages", "allocation", False),
        ("reserved memory", "reserved_bytes", True),
    ]
    index = devices.device_index(device, optional=True)
    lines = [f"{devices.device_type()}:{index} memory, {figures.get('num_ooms', 0)} out-of-memory errors"]
    lines.append(f"{'':<16}" + "".join(f"{column:>14}" for column in columns))
    for title, name, is_bytes in rows:
        values = (figures.get(f"{name}.all.{column}") for column in columns)
        lines.append(f"{title:<16}" + "".join(f"{_cell(value, is_bytes):>14}" for value in values))
    return "\n".join(lines)


def _cell(value: int | None, is_bytes: bool) -> str:
    if value is None:
        return "-"
    return f"{value / _KIBIBYTE:,.0f} KiB" if is_bytes else f"{value:,}"


def mem_get_info(device: devices.Device = None) -> tuple[int, int]:
    """Free and total bytes of the device's memory. Both are 0 while the client is not open.

    With the CPU plugin, the total is the host's memory.
    """
    if not devices.is_initialized():
        return 0, 0
    index = devices.device_index(device, optional=True)
    total = _C.device_info(index)["total_memory"]
    native = _C.memory_stats(index)
    return native.get("free_bytes", max(total - native["live_bytes"], 0)), total


def empty_cache() -> None:
    """Does nothing: a tensor's memory goes back to the plugin as soon as the tensor is gone."""


def reset_peak_memory_stats(device: devices.Device = None) -> None:
    """Sets the peaks to the current values."""
    if devices.is_initialized():
        _C.reset_peak_memory(devices.device_index(device, optional=True))


def reset_max_memory_allocated(device: devices.Device = None) -> None:
    """The same as `reset_peak_memory_stats`."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: devices.Device = None) -> None:
    """Sets the `allocated` and `freed` figures to zero."""
    if devices.is_initialized():
        _C.reset_accumulated_memory(devices.device_index(device, optional=True))
