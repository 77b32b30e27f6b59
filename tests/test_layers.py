"""The crates depend on each other downward only, as docs/architecture.md draws them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

# What each crate may use of the others. Development dependencies (tests) are free.
MAY_USE: dict[str, set[str]] = {
    "bridge": {"engine", "aten", "view", "diskcache", "stablehlo", "pjrt"},
    "engine": {"aten", "view", "diskcache", "stablehlo", "pjrt"},
    "aten": {"stablehlo"},
    "view": {"stablehlo"},
    "diskcache": set(),
    "stablehlo": set(),
    "pjrt": set(),
    "testkit": {"engine", "aten", "view", "stablehlo", "pjrt"},
}
# No torch, no PJRT, no files, no processes: their tests need no device.
PURE = ("aten", "stablehlo", "view")
NOT_PURE = {"libloading", "tempfile", "pyo3", "cc", "tracing-subscriber"}
FORBID_UNSAFE = ("aten", "stablehlo", "engine")

ROOT = Path(__file__).parent.parent


def _uses() -> dict[str, set[str]]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return {
        package["name"]: {each["name"] for each in package["dependencies"] if each["kind"] != "dev"}
        for package in metadata["packages"]
    }


def test_arrows_point_downward() -> None:
    uses = _uses()
    assert set(uses) == set(MAY_USE)
    upward = {name: sorted(used & set(MAY_USE) - MAY_USE[name]) for name, used in uses.items()}
    assert {name: used for name, used in upward.items() if used} == {}


def test_pure_crates_have_no_effects() -> None:
    uses = _uses()
    assert {name: sorted(uses[name] & NOT_PURE) for name in PURE} == {name: [] for name in PURE}


def test_crates_without_unsafe_say_so() -> None:
    for name in FORBID_UNSAFE:
        assert "#![forbid(unsafe_code)]" in (ROOT / "crates" / name / "src/lib.rs").read_text(), name
