"""Every operator of PyTorch's database, forward in float32 against the CPU, on its first samples.

`make conformance` runs all samples, dtypes and aspects. What unsupported.json lists must fail: when it passes, its line
has to go.
"""

from __future__ import annotations

import pytest
import torch
from expectations import check_case
from samples import operators, supports

pytestmark = pytest.mark.usefixtures("strict_mode")

FORWARD = [name for name, op in operators().items() if supports(op, torch.float32)]


@pytest.mark.parametrize("operator", FORWARD)
def test_forward(operator: str, device: str, accelerator: object) -> None:
    check_case(operator, "float32", "forward", device, most_samples=3)
