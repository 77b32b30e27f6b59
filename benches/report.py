"""What was measured, as a table for the terminal, JSON, docs/performance.md and docs/performance.png."""

from __future__ import annotations

import importlib.util
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
BASELINE = "eager"

PAGE = f"""# Performance

torch-pjrt beside plain PyTorch on one machine, each measurement in a process of its own and all modes in turn.
`make bench` prints this table for yours; `make bench BENCH_ARGS="--modes all --rounds 5 --write"` renews what follows.

{BEGIN}
{END}

How it is measured:

- A step of training is timed from its start until the device is done, and reads its loss on the host, as most training
  loops do. Three steps of warm-up come before; a process reports the median of its steps.
- All processes, PyTorch's own too, run with a glibc that keeps freed memory (`MALLOC_ARENA_MAX=1` and the thresholds
  that torch-pjrt sets with the CPU plugin). That helps both sides, and comparing with one side tuned would flatter it.
- `speed` compares with PyTorch's eager mode in the same round, and is the median over the rounds. Above 1 is faster.
- A run fails if a step after the third one compiles anything, if a second process compiles what a first one did, if an
  operator of the device runs on the CPU, or if the loss, the sum or the tokens are not those of PyTorch on the CPU.
"""


@dataclass(frozen=True)
class Row:
    """One thing that is measured. `targets`: what we want at most, by mode; `speed_target`: speed we want at least."""

    name: str
    what: str
    unit: str
    more_is_better: bool = False
    close: float = 1e-3
    targets: Mapping[str, float] = field(default_factory=dict)
    speed_target: float | None = None


@dataclass(frozen=True)
class Mode:
    """One way to run it."""

    name: str
    title: str


@dataclass(frozen=True)
class Measured:
    """The result of one process of measure.py."""

    row: str
    mode: str
    round: int
    result: dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One mode of one row over all rounds. `speed`: beside PyTorch's eager mode, above 1 is faster."""

    row: Row
    mode: Mode
    median: float
    low: float
    high: float
    rounds: int
    speed: float | None
    launches: float | None
    processor_milliseconds: float | None

    @property
    def target(self) -> str:
        """The target and whether it was met; empty without one."""
        if self.mode.name in self.row.targets:
            most = self.row.targets[self.mode.name]
            return f"<= {most:g} {'met' if self.median <= most else f'missed ({self.median / most:.1f}x)'}"
        if (
            self.row.speed_target is not None
            and self.mode.name in ("strict", "fused", "compiled")
            and self.speed is not None
        ):
            met = self.speed >= self.row.speed_target
            return f">= {self.row.speed_target:g}x {'met' if met else 'missed'}"
        return ""


class Table:
    """The cells that were measured, in the order of the rows and modes."""

    def __init__(self, rows: Sequence[Row], modes: Sequence[Mode], measured: Sequence[Measured]) -> None:
        self.cells: list[Cell] = []
        for row in rows:
            baseline = _by_round(measured, row, BASELINE)
            for mode in modes:
                values = _by_round(measured, row, mode.name)
                if values:
                    self.cells.append(
                        Cell(
                            row=row,
                            mode=mode,
                            median=statistics.median(values.values()),
                            low=min(values.values()),
                            high=max(values.values()),
                            rounds=len(values),
                            speed=_speed(row, values, baseline),
                            launches=_median_of(measured, row, mode, "launches_per_step"),
                            processor_milliseconds=_median_of(measured, row, mode, "processor_milliseconds"),
                        )
                    )

    def text(self) -> str:
        """For the terminal: columns padded with spaces, with the targets."""
        lines = [("row", "mode", "median", "unit", "spread", "speed", "CPU ms a step", "launches a step", "target")]
        for cell in self.cells:
            lines.append(
                (
                    cell.row.name,
                    cell.mode.name,
                    _number(cell.median),
                    cell.row.unit,
                    _spread(cell),
                    _times(cell.speed),
                    "" if cell.processor_milliseconds is None else _number(cell.processor_milliseconds),
                    "" if cell.launches is None else f"{cell.launches:.4g}",
                    cell.target,
                )
            )
        return _padded(lines)

    def markdown(self) -> str:
        """For the page: what, mode, median, spread, speed."""
        lines = ["| | mode | median | spread | speed |", "|---|---|--:|--:|--:|"]
        shown: Row | None = None
        for cell in self.cells:
            what = "" if cell.row is shown else cell.row.what
            shown = cell.row
            median = f"{_number(cell.median)} {cell.row.unit}"
            lines.append(f"| {what} | {cell.mode.title} | {median} | {_spread(cell)} | {_times(cell.speed)} |")
        return "\n".join(lines)


def _by_round(measured: Sequence[Measured], row: Row, mode: str) -> dict[int, float]:
    return {each.round: each.result["value"] for each in measured if (each.row, each.mode) == (row.name, mode)}


def _median_of(measured: Sequence[Measured], row: Row, mode: Mode, key: str) -> float | None:
    values = [
        each.result[key] for each in measured if (each.row, each.mode) == (row.name, mode.name) and key in each.result
    ]
    return statistics.median(values) if values else None


def _speed(row: Row, values: Mapping[int, float], baseline: Mapping[int, float]) -> float | None:
    """Median over the rounds that have both of how many times as fast as the baseline it was."""
    both = [(values[number], baseline[number]) for number in values if number in baseline]
    if not both:
        return None
    return statistics.median(value / base if row.more_is_better else base / value for value, base in both)


def _number(value: float) -> str:
    """Three significant digits, never an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _spread(cell: Cell) -> str:
    return "" if cell.rounds == 1 else f"{_number(cell.low)} - {_number(cell.high)}"


def _times(speed: float | None) -> str:
    return "" if speed is None else f"{speed:.2f}x"


def _padded(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


# --- The machine ------------------------------------------------------------------------------------------------------


@dataclass
class Machine:
    """What it was measured on, as (noun, description) pairs, and how busy the machine was at the start."""

    facts: dict[str, str]

    def add_versions(self, measured: Sequence[Measured]) -> None:
        """What only the processes that measured know: the versions of torch and the device."""
        for each in measured:
            key = "PyTorch of TorchTPU" if each.mode.startswith("torchtpu") else "PyTorch"
            self.facts.setdefault(key, f"{each.result['torch']}, {each.result['threads']} threads")
            if each.result.get("device"):
                self.facts.setdefault("device", each.result["device"])

    def text(self) -> str:
        return "\n".join(f"{noun}: {description}" for noun, description in self.facts.items())

    def markdown(self) -> str:
        return "\n".join(f"- {noun}: {description}" for noun, description in self.facts.items())


def machine_description(tuned_peers: bool) -> Machine:
    """Processor, memory, system, Python, load."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    busy = "" if load < 0.5 else " (the machine was busy: do not quote these figures)"
    return Machine(
        {
            "processor": f"{_processor()}, {cores} cores",
            "memory": f"{memory:.0f} GiB",
            "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            "allocator": "freed memory kept, in every process" if tuned_peers else "tuned for torch-pjrt alone",
            "load at the start": f"{load:.1f}{busy}",
        }
    )


def _processor() -> str:
    """The processor's name and the vector and matrix extensions that matter here."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    facts: dict[str, str] = {}
    for line in lines:
        if ":" in line:
            key, value = (part.strip() for part in line.split(":", 1))
            facts.setdefault(key, value)
    flags = facts.get("flags", facts.get("Features", "")).split()
    extensions = [flag for flag in ("avx2", "avx512f", "amx_bf16", "sve") if flag in flags]
    name = facts.get("model name", platform.machine())
    return f"{name} ({', '.join(extensions)})" if extensions else name


# --- Files ------------------------------------------------------------------------------------------------------------


def as_json(machine: Machine, measured: Sequence[Measured], problems: Sequence[str]) -> dict[str, Any]:
    return {
        "machine": machine.facts,
        "measured": [{"row": each.row, "mode": each.mode, "round": each.round, **each.result} for each in measured],
        "problems": list(problems),
    }


def write_page(folder: Path, machine: Machine, table: Table) -> list[Path]:
    """Renews what is between the two markers of performance.md, and the plot. Returns the files that it wrote.

    Raises:
        ValueError: the page has lost its markers.
    """
    folder.mkdir(exist_ok=True)
    page = folder / "performance.md"
    text = page.read_text() if page.exists() else PAGE
    before, begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no lines {BEGIN} and {END}, between which the table would go")
    plot = folder / "performance.png"
    written = [page]
    if importlib.util.find_spec("matplotlib") is None:
        print("matplotlib is not installed, so there is no new plot (pip install matplotlib)")
    else:
        _plot(table, plot)
        written.append(plot)
    picture = f"![Speed beside PyTorch's eager mode]({plot.name})\n\n" if plot.exists() else ""
    measured = f"{machine.markdown()}\n\n{picture}{table.markdown()}"
    page.write_text(f"{before}{BEGIN}\n{measured}\n{END}{after}")
    return written


def _plot(table: Table, path: Path) -> None:
    """Bars of speed beside PyTorch's eager mode, grouped by row, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    cells = [cell for cell in table.cells if cell.speed is not None and cell.mode.name != BASELINE]
    rows = list(dict.fromkeys(cell.row.name for cell in cells))
    modes = list(dict.fromkeys(cell.mode.title for cell in cells))
    height = 0.8 / max(1, len(modes))
    figure, axes = plt.subplots(figsize=(8, 1 + 0.25 * len(rows) * (1 + len(modes))), layout="constrained")
    for index, mode in enumerate(modes):
        of_mode = [cell for cell in cells if cell.mode.title == mode]
        places = [rows.index(cell.row.name) + (index - (len(modes) - 1) / 2) * height for cell in of_mode]
        bars = axes.barh(places, [cell.speed for cell in of_mode], height, label=mode)
        axes.bar_label(bars, [_times(cell.speed) for cell in of_mode], padding=2, fontsize=7)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:g}"))
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.set_xlabel("speed beside PyTorch's eager mode on the CPU (more is faster)")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)
