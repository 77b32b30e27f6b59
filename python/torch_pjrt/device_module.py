"""The module that torch knows as `torch.tpu`: every public name of the device, gathered in one place."""

from __future__ import annotations

import sys
from types import ModuleType

import torch

from torch_pjrt import _C, compiler, devices, memory, random_state, streams
from torch_pjrt.compiler import custom_compiler_options
from torch_pjrt.devices import (
    DeviceProperties,
    current_device,
    device,
    device_count,
    device_of,
    get_amp_supported_dtype,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    set_device,
    synchronize,
)
from torch_pjrt.execution_mode import EagerMode, get_eager_mode, set_eager_mode
from torch_pjrt.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_peak_memory_stats,
)
from torch_pjrt.precision import Precision, precision
from torch_pjrt.random_state import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from torch_pjrt.streams import Event, Stream, StreamContext, current_stream, default_stream, set_stream, stream

__all__ = [
    "DeviceProperties",
    "EagerMode",
    "Event",
    "Precision",
    "Stream",
    "StreamContext",
    "compiler",
    "current_device",
    "current_stream",
    "custom_compiler_options",
    "default_generators",  # noqa: F822 - a property of the module's class
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "eager_mode",  # noqa: F822 - a property of the module's class
    "empty_cache",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_eager_mode",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "precision",
    "random",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_eager_mode",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
]

random = random_state

# Names that torch itself calls.
_exchange_device = devices._exchange_device
_is_in_bad_fork = devices._is_in_bad_fork
_lazy_call = devices._lazy_call
_lazy_init = devices._lazy_init
_maybe_exchange_device = devices._maybe_exchange_device

# Importable as torch.tpu.<name>.
SUBMODULES: dict[str, ModuleType] = {"compiler": compiler, "memory": memory, "random": random, "streams": streams}


def is_current_stream_capturing() -> bool:
    """Whether the current stream records a graph: never; there is nothing like a CUDA graph here."""
    return False


class _DeviceModule(ModuleType):
    """Gives the module the attributes whose values change."""

    @property
    def eager_mode(self) -> EagerMode:
        """The mode in force; assigning an `EagerMode` or its name sets it."""
        return get_eager_mode()

    @eager_mode.setter
    def eager_mode(self, mode: EagerMode | str) -> None:
        set_eager_mode(mode)

    @property
    def default_generators(self) -> tuple[torch.Generator, ...]:
        """The devices' generators, by device index."""
        return tuple(random_state.default_generator(index) for index in range(device_count()))

    @property
    def _initialized(self) -> bool:
        """What torch.utils.checkpoint asks, to know whether there is a generator state to save."""
        return _C.is_initialized()


sys.modules[__name__].__class__ = _DeviceModule
