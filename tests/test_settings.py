"""`torch_pjrt.settings`: from environment variables to the native module's mapping."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from torch_pjrt import settings


def test_defaults() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = settings.read({"PATH": "/bin"})
    assert values == {
        "plugin": "auto",
        "device": "tpu",
        "mode": "strict",
        "fallback": "warn",
        "cache": values["cache"],
        "cache_size": str(4 * 2**30),
        "programs": "4096",
        "log": "",
        "cpu_devices": "1",
        "tune_malloc": "on",
        "host_kernels": "on",
    }
    assert Path(values["cache"]).is_absolute()
    assert Path(values["cache"]).name == "torch-pjrt"


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("TORCH_PJRT_PLUGIN", "CPU", "cpu"),
        ("TORCH_PJRT_PLUGIN", "/opt/plugin.so", "/opt/plugin.so"),
        ("TORCH_PJRT_PLUGIN", "plugin.so", str(Path.cwd() / "plugin.so")),
        ("TORCH_PJRT_DEVICE", "neuron", "neuron"),
        ("TORCH_PJRT_MODE", "Fused", "fused"),
        ("TORCH_PJRT_FALLBACK", "silent", "silent"),
        ("TORCH_PJRT_CACHE", "off", "off"),
        ("TORCH_PJRT_CACHE", "/var/cache/x", "/var/cache/x"),
        ("TORCH_PJRT_CACHE", "~/x", str(Path.home() / "x")),
        ("TORCH_PJRT_CACHE_SIZE", "1.5 GB", "1500000000"),
        ("TORCH_PJRT_CACHE_SIZE", "2MiB", str(2 * 2**20)),
        ("TORCH_PJRT_CACHE_SIZE", "77", "77"),
        ("TORCH_PJRT_PROGRAMS", "100", "100"),
        ("TORCH_PJRT_LOG", "launch, call", "call,launch"),
        ("TORCH_PJRT_CPU_DEVICES", "8", "8"),
        ("TORCH_PJRT_TUNE_MALLOC", "OFF", "off"),
    ],
)
def test_allowed_values(variable: str, text: str, expected: str) -> None:
    key = variable.removeprefix("TORCH_PJRT_").lower()
    assert settings.read({variable: text})[key] == expected
    assert settings.unchecked({variable: text})[key] == expected


@pytest.mark.parametrize(
    ("variable", "text", "allowed"),
    [
        ("TORCH_PJRT_PLUGIN", "gpu", "auto, tpu, cpu, cuda, rocm, neuron"),
        ("TORCH_PJRT_DEVICE", "cuda", "has a device named cuda"),
        ("TORCH_PJRT_DEVICE", "my device", "identifier"),
        ("TORCH_PJRT_MODE", "quick", "strict, debug, fused"),
        ("TORCH_PJRT_FALLBACK", "never", "warn, error, silent"),
        ("TORCH_PJRT_CACHE_SIZE", "big", "bytes"),
        ("TORCH_PJRT_CACHE_SIZE", "4 PiB", "bytes"),
        ("TORCH_PJRT_LOG", "all", "call, lower, compile, launch"),
        ("TORCH_PJRT_CPU_DEVICES", "0", "at least 1"),
        ("TORCH_PJRT_CPU_DEVICES", "-1", "at least 1"),
        ("TORCH_PJRT_TUNE_MALLOC", "maybe", "on, off"),
    ],
)
def test_other_values_are_refused_by_name(variable: str, text: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=allowed) as caught:
        settings.read({variable: text})
    assert f"{variable}={text!r}" in str(caught.value)
    key = variable.removeprefix("TORCH_PJRT_").lower()
    assert settings.unchecked({variable: text})[key] == text


def test_an_unknown_variable_is_a_warning_that_names_the_closest() -> None:
    with pytest.warns(RuntimeWarning, match=r"TORCH_PJRT_PLUGINS is not .* Did you mean TORCH_PJRT_PLUGIN\?"):
        settings.read({"TORCH_PJRT_PLUGINS": "cpu"})


def test_device_none_switches_the_device_off() -> None:
    assert settings.device_name({"TORCH_PJRT_DEVICE": "none"}) is None
    assert settings.device_name({}) == "tpu"


def test_xdg_cache_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert settings.read({})["cache"] == str(tmp_path / "torch-pjrt")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/path")
    assert settings.read({})["cache"] == str(Path.home() / ".cache/torch-pjrt")


def test_import_roots_are_existing_directories_without_the_current_one(tmp_path: Path) -> None:
    archive = tmp_path / "packages.zip"
    archive.touch()
    paths = ["", str(tmp_path), str(archive), "/nowhere", str(tmp_path)]
    assert settings.import_roots(paths) == [str(tmp_path)]


def test_each_setting_is_documented() -> None:
    for setting in settings.SETTINGS:
        assert setting.meaning.endswith(".")
        assert setting.allowed
        assert setting.default == "default" or settings._checked(setting, setting.default) is not None
