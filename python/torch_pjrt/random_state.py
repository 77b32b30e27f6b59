"""The random number generators of the devices. Re-exported by `torch.tpu` and as `torch.tpu.random`.

Seeding and reading a state open no client: the numbers follow from a seed and an offset, which live on the host.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

import torch

from torch_pjrt import _C, devices

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]

_lock = threading.Lock()
_generators: dict[int, torch.Generator] = {}
_seed_of_new_generators: int | None = None


def default_generator(index: int) -> torch.Generator:
    """The generator that device `index` uses when none is passed."""
    with _lock:
        generator = _generators.get(index)
        if generator is None:
            generator = _C.default_generator(index)
            if _seed_of_new_generators is not None:
                generator.manual_seed(_seed_of_new_generators)
            _generators[index] = generator
        return generator


def seed_new_generators() -> None:
    """Gives the seed of `manual_seed_all` to the devices that were not known when it was called."""
    if _seed_of_new_generators is not None:
        for index in range(_C.device_count()):
            default_generator(index)


devices.after_init.append(seed_new_generators)


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator. Opens no client."""
    default_generator(devices.current_device()).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices. Opens no client. `torch.manual_seed` calls this."""
    global _seed_of_new_generators
    with _lock:
        _seed_of_new_generators = int(seed)
        known = list(_generators.values())
    for generator in known:
        generator.manual_seed(int(seed))
    if _C.is_initialized():
        seed_new_generators()


def seed() -> int:
    """Seeds the current device's generator with a random number, and returns it."""
    return default_generator(devices.current_device()).seed()


def seed_all() -> int:
    """Seeds the generators of all devices with one random number, and returns it."""
    number = seed()
    manual_seed_all(number)
    return number


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return default_generator(devices.current_device()).initial_seed()


def get_rng_state(device: devices.Device = None) -> torch.Tensor:
    """The state of the device's generator: a uint8 tensor on the CPU."""
    return default_generator(devices.device_index(device, optional=True)).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """The states of all devices' generators, by device index."""
    return [get_rng_state(index) for index in range(devices.device_count())]


def set_rng_state(new_state: torch.Tensor, device: devices.Device = None) -> None:
    """Sets the state of the device's generator to one that `get_rng_state` gave.

    Raises:
        RuntimeError: `new_state` is not the state of such a generator.
    """
    default_generator(devices.device_index(device, optional=True)).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Sets the states of the devices' generators, by device index."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
