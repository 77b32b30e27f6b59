"""`make demo` does what the README says, without any operator on the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest


@pytest.mark.slow
def test_demo(accelerator: Any, device: str, request: pytest.FixtureRequest) -> None:
    finished = subprocess.run(
        [sys.executable, "examples/demo.py", "--device", device],
        cwd=request.config.rootpath,
        env={**os.environ, "TORCH_PJRT_FALLBACK": "error"},
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    printed = finished.stdout
    assert finished.returncode == 0, printed + finished.stderr
    accuracy = re.search(rf"{device}: test accuracy (\d+\.\d+)%", printed)
    assert accuracy is not None
    assert float(accuracy[1]) >= 97
    assert "The capital of France is Paris." in printed
    assert "text identical to the CPU's: yes" in printed
    assert re.search(r"operators on the CPU\s+0", printed)
