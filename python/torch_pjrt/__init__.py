"""Any accelerator with a PJRT plugin as a native PyTorch device.

`import torch` is enough: torch finds this package through the `torch.backends` entry point and calls `_autoload`.
Importing opens no client, prints nothing and starts no thread; the first tensor on the device does.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import sys
import types
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_pjrt._C import Explanation

__all__ = ["explain", "reset_stats", "stats"]

_OTHER_PACKAGE = "torch_tpu"
_device_name: str | None = None
_warned_of_other_package = False


def stats() -> dict[str, Any]:
    """Counters of this process since it started or since `reset_stats()`. A flat dict, cheap to read, opens no client.

    `compiles`, `compile_seconds`: programs compiled, and the wall seconds spent compiling.
    `cache_hits_memory`, `cache_hits_disk`, `cache_misses_stale`: program look-ups by the tier that answered; stale
    counts disk entries that were corrupt, truncated or of another version.
    `calls`, `launches`: operator calls recorded, and programs started on the device.
    `window_cuts`: windows that the fused mode closed by itself.
    `copies_to_device`, `copies_to_host`, `bytes_to_device`, `bytes_to_host`: transfers between host and device memory.
    `blocking_waits`: times that the host waited for the device.
    `fallbacks`: dict of ATen overload -> times that it ran on the CPU instead.
    `live_bytes`, `peak_bytes`: device memory held now, and its highest value, summed over the devices.
    `unbounded_graphs`: dict of reason -> graphs of torch.compile that take sizes as they come, one program for each,
    where others pad them to buckets.
    """
    from torch_pjrt import _C, graph_counters

    return {**_C.stats(), **graph_counters.read()}


def reset_stats() -> None:
    """Sets every counter of `stats()` to zero; `live_bytes` stays, and `peak_bytes` restarts from it."""
    from torch_pjrt import _C, graph_counters

    _C.reset_stats()
    graph_counters.reset()


def explain() -> list[Explanation]:
    """Why the last programs were compiled or read from disk, oldest first; the keys are those of `Explanation`.

    Each entry says what the program computes, which named part of the cache key had not been seen, and the seconds.
    """
    from torch_pjrt import _C

    return _C.explain()


def _autoload() -> None:
    """Registers the device with PyTorch. Called by `import torch`; does nothing the second time.

    Raises:
        ValueError: `TORCH_PJRT_DEVICE` is not a usable device name.
    """
    global _device_name
    if _device_name is not None:
        return

    from torch_pjrt import settings

    name = settings.device_name()
    if name is None:
        return

    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook
    from torch.utils import backend_registration

    if _device_name is not None:  # `import torch` has just called this function
        return
    if hasattr(torch, name):
        _warn_of_other_package(active=_OTHER_PACKAGE)
        return
    try:
        from torch_pjrt import _C
    except ImportError as error:
        warnings.warn(
            f"torch-pjrt: the device '{name}' is not available, because its native module does not load with torch "
            f"{torch.__version__}: {error}. Reinstall torch-pjrt for this version of torch.",
            RuntimeWarning,
            stacklevel=2,
        )
        return

    backend_registration.rename_privateuse1_backend(name)
    _C._init_backend(settings.unchecked(), settings.import_roots())

    from torch_pjrt import compile_support, device_module

    # Without this torch.tpu.memory, torch.tpu.compiler, ... would be attributes, but not importable.
    torch._register_device_module(name, device_module)
    for public_name, submodule in device_module.SUBMODULES.items():
        sys.modules[f"torch.{name}.{public_name}"] = submodule
    backend_registration.generate_methods_for_privateuse1_backend(for_storage=True)
    _device_name = name
    compile_support.install(name)
    atexit.register(_finish_launches)
    register_optimizer_step_post_hook(_start_step)

    if importlib.util.find_spec(_OTHER_PACKAGE) is not None:
        _keep_other_package_from_loading()
        _warn_of_other_package(active="torch_pjrt")


def _start_step(*_: object) -> None:
    """Starts an optimizer's step when it was recorded whole, so that it runs while the next batch is prepared."""
    import torch

    if not torch.compiler.is_compiling():
        from torch_pjrt import _C

        if _C.get_mode() == "strict":
            _C.flush()


def _finish_launches() -> None:
    """Waits for the device at exit: a plugin's threads must not run while the process's statics are destroyed."""
    from torch_pjrt import _C

    if _C.is_initialized() and not _C.in_bad_fork():
        for index in range(_C.device_count()):
            # A failed launch that nobody read is no reason to fail now.
            with contextlib.suppress(Exception):
                _C.synchronize(index)
        _C.stop_launching()


def _keep_other_package_from_loading() -> None:
    """Google's loader would fail on a device name that is taken, and take `import torch` down with it."""
    loader_name = f"{_OTHER_PACKAGE}._loader"
    if loader_name not in sys.modules:
        idle_loader = types.ModuleType(loader_name, doc="Stands in for torch_tpu's loader while torch_pjrt is active.")
        idle_loader.load = lambda: None  # type: ignore[attr-defined]
        sys.modules[loader_name] = idle_loader


def _warn_of_other_package(active: str) -> None:
    if active == _OTHER_PACKAGE:
        change = "Uninstall torch_tpu to use torch_pjrt."
    else:
        change = "Uninstall torch_pjrt, or set TORCH_PJRT_DEVICE=none, to use torch_tpu."
    global _warned_of_other_package
    if _warned_of_other_package:
        return
    _warned_of_other_package = True
    warnings.warn(
        f"torch_tpu and torch_pjrt are both installed and both provide the device 'tpu'; {active} is active. {change}",
        RuntimeWarning,
        stacklevel=3,
    )


# `import torch_pjrt` is enough too, also where TORCH_DEVICE_BACKEND_AUTOLOAD=0 kept torch from loading it. When torch
# is the importer, it is importing still, and calls `_autoload` itself; calling it here first does no harm.
_autoload()
