"""Other dtypes and aspects, in-place, out=, strides, bits and errors among them, on a sample of PyTorch's database.

Which cases are in the sample depends on their names alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from aspects import ASPECTS, applies
from expectations import check_case
from samples import DTYPES, operators
from selection import is_selected

# One case in so many.
EVERY = 40


def _chosen() -> Iterator[tuple[str, str, str]]:
    for operator, op in operators().items():
        for dtype, torch_dtype in DTYPES.items():
            for aspect in ASPECTS:
                if (aspect, dtype) in (("forward", "float32"), ("gradient", "float32")):
                    continue
                if is_selected(operator, dtype, aspect, EVERY) and applies(op, torch_dtype, aspect):
                    yield operator, dtype, aspect


@pytest.mark.parametrize(("operator", "dtype", "aspect"), list(_chosen()))
def test_aspect(operator: str, dtype: str, aspect: str, device: str, accelerator: object, strict_mode: None) -> None:
    check_case(operator, dtype, aspect, device, most_samples=3)
