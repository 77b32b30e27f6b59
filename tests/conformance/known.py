"""What does not pass, as unsupported.json lists it. The list only shrinks: a test fails when an entry passes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class HasCase(Protocol):
    """Names a case; an entry of the list covers both modes."""

    @property
    def operator(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def aspect(self) -> str: ...


@dataclass(frozen=True)
class Known:
    """(operator, dtype, aspect) -> reason."""

    reasons: dict[tuple[str, str, str], str]

    def reason(self, operator: str, dtype: str, aspect: str) -> str | None:
        return self.reasons.get((operator, dtype, aspect))

    def covers(self, case: HasCase) -> bool:
        return self.reason(case.operator, case.dtype, case.aspect) is not None


def _read() -> Known:
    file = Path(__file__).with_name("unsupported.json")
    entries = json.loads(file.read_text()) if file.exists() else []
    return Known({(entry["operator"], entry["dtype"], entry["aspect"]): entry["reason"] for entry in entries})


KNOWN = _read()
