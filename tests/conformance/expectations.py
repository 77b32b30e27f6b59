"""A case as a test: it passes, or it is listed and fails."""

from __future__ import annotations

import pytest
from aspects import Target, run
from known import KNOWN
from samples import DTYPES, operators


def check_case(operator: str, dtype: str, aspect: str, device: str, most_samples: int) -> None:
    """Fails the test if a sample of the case does, or if all pass although unsupported.json lists the case."""
    report = run(operators()[operator], DTYPES[dtype], aspect, Target(device), most_samples)
    reason = KNOWN.reason(operator, dtype, aspect)
    if reason is not None:
        if report.failures or not report.passed:
            pytest.skip(f"listed in unsupported.json: {reason}")
        if report.complete:
            pytest.fail("passes: remove its entry from unsupported.json")
        return
    if report.failures:
        number, kind, message = report.failures[0]
        pytest.fail(f"sample {number}: {kind}: {message}", pytrace=False)
    if not report.passed:
        pytest.skip(f"nothing to compare: {dict(report.skipped)}")
