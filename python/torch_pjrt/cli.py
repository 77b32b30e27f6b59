"""The command `torch-pjrt`: `doctor` says what was found and tests it, `cache` shows or empties the program cache."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from importlib import metadata

from torch_pjrt import settings

_PASSED, _FAILED = 0, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="torch-pjrt", description="PyTorch on any accelerator with a PJRT plugin.")
    parser.add_argument("--version", action="version", version=metadata.version("torch-pjrt"))
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("doctor", help="say which plugin and device were found, and test them")
    commands.add_parser("settings", help="list the TORCH_PJRT_* settings and their values")
    cache = commands.add_parser("cache", help="show the cache of compiled programs, or empty it")
    cache.add_argument("action", nargs="?", choices=["size", "clear"], default="size")
    chosen = parser.parse_args(arguments)
    if chosen.command == "doctor":
        return doctor()
    if chosen.command == "settings":
        return list_settings()
    return clear_cache() if chosen.action == "clear" else show_cache()


def doctor() -> int:
    """Prints versions, plugin, device and cache, and runs a matrix product on the device. Status 1 if one fails."""
    import torch

    _line("torch-pjrt", metadata.version("torch-pjrt"))
    _line("torch", torch.__version__)
    _line("python", f"{platform.python_version()} on {platform.platform()}")
    _line("settings", _settings_that_are_set() or "all at their defaults")
    name = settings.device_name()
    if name is None:
        _line("device", "switched off by TORCH_PJRT_DEVICE=none")
        return _FAILED
    module = getattr(torch, name, None)
    if module is None:
        _line("device", f"'{name}' is not registered: the native module did not load (see the warning above)")
        return _FAILED
    try:
        properties = module.get_device_properties(0)
    except Exception as error:
        _line("plugin", _failure(error))
        return _FAILED
    _line("plugin", properties.plugin_path)
    _line("plugin API", f"PJRT {properties.api_version}")
    _line("platform", f"{properties.platform} {properties.platform_version}".replace("\n", " "))
    count, memory = module.device_count(), _size(properties.total_memory)
    _line("device", f"torch.device('{name}'): {count} x {properties.name}, {memory}")
    show_cache()
    return _self_test(torch.device(name, 0))


def list_settings() -> int:
    """Prints each setting with its value, what it may be and what it does."""
    for setting in settings.SETTINGS:
        value = os.environ.get(setting.variable) or setting.default or "(nothing)"
        print(f"{setting.variable} = {value}\n    {setting.allowed}\n    {setting.meaning}\n")
    return _PASSED


def show_cache() -> int:
    """Prints where the cache of compiled programs is and how large it is."""
    from torch_pjrt import _C

    info = _C.cache_info()
    if info["directory"] is None:
        _line("cache", "off")
    else:
        size, limit = _size(info["bytes"]), _size(info["limit_bytes"])
        _line("cache", f"{info['directory']}: {info['entries']} programs, {size} of at most {limit}")
    return _PASSED


def clear_cache() -> int:
    """Removes every program from the cache on disk."""
    from torch_pjrt import _C

    _C.cache_clear()
    return show_cache()


def _self_test(device: object) -> int:
    """A float32 matrix product on the device, against the same in float64 on the CPU, to float32's accuracy."""
    import torch

    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(64, 64, generator=generator) for _ in range(2))
    start = time.perf_counter()
    try:
        result = (left.to(device) @ right.to(device)).cpu()  # type: ignore[call-overload]
    except Exception as error:
        _line("self-test", _failure(error))
        return _FAILED
    seconds = time.perf_counter() - start
    difference = (result.double() - left.double() @ right.double()).abs().max().item()
    passed = difference < 1e-4
    verdict = "passed" if passed else "FAILED"
    _line("self-test", f"{verdict}: 64x64 matrix product in {seconds:.3f} s, off by {difference:.1e}")
    return _PASSED if passed else _FAILED


def _settings_that_are_set() -> str:
    chosen = (setting.variable for setting in settings.SETTINGS)
    return " ".join(f"{variable}={os.environ[variable]}" for variable in chosen if os.environ.get(variable))


def _failure(error: Exception) -> str:
    # torch appends a table of every backend to some of its messages, after an empty line.
    return f"FAILED: {type(error).__name__}: {str(error).partition(chr(10) * 2)[0]}"


def _line(title: str, text: str) -> None:
    print(f"{title:<12}{text}")


def _size(count: float) -> str:
    if count <= 0:
        return "0 B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


if __name__ == "__main__":
    sys.exit(main())
