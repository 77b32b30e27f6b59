"""Every TORCH_PJRT_* setting: its name, its default, what it may be, and what it does.

In: environment variables, read when the client opens (the device's name: when torch is imported).
Out: one mapping of strings for the native module.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PREFIX = "TORCH_PJRT_"

# Names of devices that PyTorch has itself.
_RESERVED_DEVICE_NAMES = re.compile(
    "cpu|cuda|fpga|hip|hpu|ideep|ipu|lazy|maia|meta|mkldnn|mps|mtia|opencl|opengl|privateuseone|ve|vulkan|xla|xpu"
)


@dataclass(frozen=True)
class Setting:
    """One environment variable.

    `key`: its key in the mapping for the native module; the variable is TORCH_PJRT_ + key in capitals.
    `default`: its value when the variable is unset or empty.
    `allowed`: what it may be, in words.
    `meaning`: what it does.
    `normalize`: turns the text into the form that the native module reads; raises ValueError if it is not allowed.
    """

    key: str
    default: str
    allowed: str
    meaning: str
    normalize: Callable[[str], str]

    @property
    def variable(self) -> str:
        return PREFIX + self.key.upper()


def _one_of(*choices: str) -> Callable[[str], str]:
    def normalize(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text.lower()

    return normalize


def _some_of(*choices: str) -> Callable[[str], str]:
    def normalize(text: str) -> str:
        names = [name.strip().lower() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in choices]
        if unknown:
            raise ValueError(f"expected any of {', '.join(choices)}, separated by commas")
        return ",".join(name for name in choices if name in names)

    return normalize


_PLUGIN_KINDS = ("auto", "tpu", "cpu", "cuda", "rocm", "neuron")


def _plugin(text: str) -> str:
    if text.lower() in _PLUGIN_KINDS:
        return text.lower()
    if os.sep not in text and not text.endswith((".so", ".dylib")):
        raise ValueError(f"expected one of {', '.join(_PLUGIN_KINDS)}, or the path of a plugin")
    return str(Path(text).expanduser().absolute())


def _device(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", text):
        raise ValueError("expected a lower-case identifier such as tpu or neuron, or none")
    if _RESERVED_DEVICE_NAMES.fullmatch(text):
        raise ValueError(f"PyTorch has a device named {text} itself")
    return text


def _cache_directory(text: str) -> str:
    if text.lower() in ("off", "0", "none"):
        return "off"
    if text == "default":
        home = Path(os.environ.get("XDG_CACHE_HOME", ""))
        # The XDG base directory specification says to ignore a relative path.
        return str((home if home.is_absolute() else Path.home() / ".cache") / "torch-pjrt")
    return str(Path(text).expanduser().absolute())


_BYTES_PER_UNIT = {
    "": 1,
    "k": 10**3, "kb": 10**3, "kib": 2**10,
    "m": 10**6, "mb": 10**6, "mib": 2**20,
    "g": 10**9, "gb": 10**9, "gib": 2**30,
    "t": 10**12, "tb": 10**12, "tib": 2**40,
}  # fmt: skip


def _byte_size(text: str) -> str:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)", text)
    if match is None or match[2].lower() not in _BYTES_PER_UNIT:
        raise ValueError("expected a number of bytes such as 500MB or 4GiB")
    return str(int(float(match[1]) * _BYTES_PER_UNIT[match[2].lower()]))


def _positive_integer(text: str) -> str:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("expected an integer of at least 1")
    return str(int(text))


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "plugin",
        "auto",
        "auto | tpu | cpu | cuda | rocm | neuron | path of a plugin",
        "Which PJRT plugin to load. auto: a TPU if this machine has one, else Trainium, else a GPU whose plugin "
        "package is installed, else the CPU plugin.",
        _plugin,
    ),
    Setting(
        "device",
        "tpu",
        "tpu | neuron | another name | none",
        "The device's name in PyTorch. none: do not register the device at all. Read when torch is imported.",
        _device,
    ),
    Setting(
        "mode",
        "strict",
        "strict | debug | fused",
        "When operators run. strict: at once, asynchronously. debug: at once, and each is waited for, so that an error "
        "points at its line. fused: gathered into larger programs.",
        _one_of("strict", "debug", "fused"),
    ),
    Setting(
        "fallback",
        "warn",
        "warn | error | silent",
        "What happens when an operator has to run on the CPU: one warning per operator, NotImplementedError, or "
        "nothing. All three count it.",
        _one_of("warn", "error", "silent"),
    ),
    Setting(
        "cache",
        "default",
        "a directory | off",
        "Where compiled programs are kept between processes; by default torch-pjrt in $XDG_CACHE_HOME or ~/.cache.",
        _cache_directory,
    ),
    Setting(
        "cache_size",
        "4GiB",
        "a number of bytes, with a unit if you like",
        "How large the cache may grow before the programs used longest ago are removed.",
        _byte_size,
    ),
    Setting(
        "programs",
        "4096",
        "an integer of at least 1",
        "How many programs stay loaded; the ones used longest ago go first. Fewer stay where the system's limit on "
        "memory mappings asks for it.",
        _positive_integer,
    ),
    Setting(
        "log",
        "",
        "any of call, lower, compile, launch, separated by commas",
        "Stages to log on stderr: what torch asked, the StableHLO, what was compiled and why, what was launched.",
        _some_of("call", "lower", "compile", "launch"),
    ),
    Setting(
        "cpu_devices",
        "1",
        "an integer of at least 1",
        "How many devices the CPU plugin shows.",
        _positive_integer,
    ),
    Setting(
        "tune_malloc",
        "on",
        "on | off",
        "With the CPU plugin: keep freed memory in the process instead of returning it to the system at once, which "
        "makes operators of middle size faster.",
        _one_of("on", "off"),
    ),
    Setting(
        "host_kernels",
        "on",
        "on | off",
        "With the CPU plugin: let compiled programs call PyTorch's own CPU kernels where these are faster than XLA's, "
        "or can be cached and XLA's cannot.",
        _one_of("on", "off"),
    ),
)

# Read by the build, the tests and the benchmarks only.
_OTHER_VARIABLES = re.compile(PREFIX + "(TEST|FAULT|BENCH)_.*")


def device_name(environment: Mapping[str, str] = os.environ) -> str | None:
    """The device's name in PyTorch, or None if the device is switched off.

    Raises:
        ValueError: the name is not an identifier, or PyTorch has a device of that name.
    """
    setting = next(setting for setting in SETTINGS if setting.key == "device")
    text = environment.get(setting.variable) or setting.default
    if text.lower() == "none":
        return None
    return _checked(setting, text)


def read(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """All settings in the form that the native module reads, by `Setting.key`. Sizes are in bytes, paths absolute.

    Warns about variables that start with TORCH_PJRT_ and are not settings.

    Raises:
        ValueError: a setting has a value that is not allowed; the message names the setting and what is allowed.
    """
    _warn_of_unknown_variables(environment)
    texts = {setting: environment.get(setting.variable) or setting.default for setting in SETTINGS}
    return {setting.key: _checked(setting, text) for setting, text in texts.items()}


def unchecked(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The same as `read`, but a value that is not allowed is passed on as it is, to be refused by who uses it."""
    values = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable) or setting.default
        try:
            values[setting.key] = setting.normalize(text) if text else text
        except ValueError:
            values[setting.key] = text
    return values


def import_roots(paths: Iterable[str] | None = None) -> list[str]:
    """The directories that Python imports packages from, in order: where plugin packages are looked for.

    The current directory is left out, unless Python has been told to import from it by name.
    """
    roots = (str(Path(path)) for path in (sys.path if paths is None else paths) if path)
    return [root for root in dict.fromkeys(roots) if Path(root).is_dir()]


def _checked(setting: Setting, text: str) -> str:
    if not text:
        return text
    try:
        return setting.normalize(text)
    except ValueError as error:
        raise ValueError(f"{setting.variable}={text!r}: {error}.") from None


def _warn_of_unknown_variables(environment: Mapping[str, str]) -> None:
    known = [setting.variable for setting in SETTINGS]
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known and not _OTHER_VARIABLES.fullmatch(variable):
            close = difflib.get_close_matches(variable, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            warnings.warn(f"{variable} is not a setting of torch-pjrt.{hint}", RuntimeWarning, stacklevel=4)
