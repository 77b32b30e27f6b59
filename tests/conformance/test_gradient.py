"""Every operator of PyTorch's database that has one: its gradient in float32 against the CPU's, on first samples."""

from __future__ import annotations

import pytest
import torch
from expectations import check_case
from samples import operators, supports

pytestmark = pytest.mark.usefixtures("strict_mode")

GRADIENT = [name for name, op in operators().items() if supports(op, torch.float32, gradient=True)]


@pytest.mark.parametrize("operator", GRADIENT)
def test_gradient(operator: str, device: str, accelerator: object) -> None:
    check_case(operator, "float32", "gradient", device, most_samples=2)
