"""`make bench`: torch-pjrt beside plain PyTorch on this machine.

    python benches/run.py [--row gpt] [--modes strict,fused,eager] [--rounds 3] [--quick] [--write] [--json FILE]

Each measurement is a process of its own (measure.py), and all modes take turns within a round. Printed are medians over
the rounds, their spread, and the speed beside PyTorch's eager mode on the CPU in the same round. The exit status is 1
if a measurement failed, compiled anything after its third step, ran an operator of the device on the CPU, or computed
something else than the CPU did. Speed alone never fails a run: machines differ, and are busy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import report
from report import Measured, Mode, Row
from tqdm import tqdm

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MEASURE = HERE / "measure.py"

# The result and the loss after the warm-up have to be the CPU's within this. bfloat16 has 8 bits, so each step rounds.
CLOSE, CLOSE_IN_BFLOAT16 = 1e-3, 3e-2

ROWS = (
    Row("adds", "500 chained additions of [16, 16] float32", "µs an addition", targets={"strict": 5, "fused": 2.5}),
    Row("mlp", "MLP, 4 blocks, width 256, batch 64, float32: AdamW step", "ms",
        targets={"strict": 12, "fused": 8, "compiled": 7}),
    Row("gpt", "GPT, 4 layers, width 256, 8 x 128 tokens, float32: AdamW step", "ms",
        targets={"strict": 140, "fused": 130, "compiled": 120}),
    Row("gpt-bf16", "the same GPT in bfloat16: AdamW step", "ms", close=CLOSE_IN_BFLOAT16),
    Row("gpt-forward", "the same GPT in float32: loss without gradients", "ms"),
    Row("smollm2-decode", "SmolLM2-135M, float32: greedy decoding, static cache", "tokens/s", more_is_better=True,
        speed_target=1.0),
    Row("first-step-cold", "GPT, float32: the first step, nothing compiled before", "s"),
    Row("first-step-warm", "the same in a second process, programs in the cache on disk", "s"),
)  # fmt: skip

MODES = (
    Mode("strict", "torch-pjrt strict"),
    Mode("fused", "torch-pjrt fused"),
    Mode("compiled", "torch-pjrt compiled"),
    Mode("eager", "PyTorch eager (CPU)"),
    Mode("inductor", "torch.compile (CPU)"),
    Mode("torchtpu-strict", "TorchTPU strict"),
    Mode("torchtpu-fused", "TorchTPU fused"),
)
OURS = ("strict", "fused", "compiled")
DEFAULT_MODES = ("strict", "fused", "compiled", "eager")
TORCHTPU_VARIABLE = "TORCH_PJRT_BENCH_TORCHTPU"

# glibc keeps freed memory in the process: what torch-pjrt sets for itself with the CPU plugin, for everybody.
TUNED_MALLOC = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1),
    "MALLOC_TOP_PAD_": str(64 * 2**20),
}


@dataclass(frozen=True)
class Settings:
    """What the command line chose."""

    rows: Sequence[Row]
    modes: Sequence[Mode]
    rounds: int
    seconds: float
    timeout: float
    tuned_peers: bool
    torchtpu: Path | None


@dataclass
class Run:
    """What was measured, in order, and what is wrong with it."""

    settings: Settings
    measured: list[Measured] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def main() -> int:
    options = parsed_options()
    settings = chosen_settings(options)
    machine = report.machine_description(settings.tuned_peers)
    print(machine.text(), end="\n\n", flush=True)

    run = Run(settings)
    with tempfile.TemporaryDirectory(prefix="torch-pjrt-bench-") as caches:
        try:
            measure_all(run, Path(caches))
        except KeyboardInterrupt:  # hours may have gone into what is there
            run.problems.append("interrupted: not everything was measured")
    machine.add_versions(run.measured)
    run.problems += differing_outcomes(run)

    table = report.Table(settings.rows, settings.modes, run.measured)
    print(table.text())
    for problem in run.problems:
        print(f"PROBLEM {problem}")
    if options.json:
        options.json.write_text(json.dumps(report.as_json(machine, run.measured, run.problems), indent=1) + "\n")
        print(f"wrote {options.json}")
    if options.write:
        for path in report.write_page(ROOT / "docs", machine, table):
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if run.problems else 0


def parsed_options() -> argparse.Namespace:
    row_names, mode_names = [row.name for row in ROWS], [mode.name for mode in MODES]
    parser = argparse.ArgumentParser(
        prog="benches/run.py", description="Measures torch-pjrt beside plain PyTorch on this machine."
    )
    parser.add_argument("--row", action="append", choices=[*row_names, "first-step"], help="only this row; repeatable")
    parser.add_argument(
        "--modes", help=f"of {', '.join(mode_names)}, separated by commas, or all (default: {', '.join(DEFAULT_MODES)})"
    )
    parser.add_argument("--rounds", type=int, help="how often everything is measured (default 3; with --quick 1)")
    parser.add_argument("--quick", action="store_true", help="fewer steps: to see that it works, not how fast it is")
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS", help="of one measurement (900)")
    parser.add_argument(
        "--tuned-peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="let the others, too, keep freed memory in the process, as torch-pjrt does with the CPU plugin",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement to FILE")
    parser.add_argument(
        "--write", action="store_true", help="write docs/performance.md, and .png if matplotlib is here"
    )
    options = parser.parse_args()
    names = mode_names if options.modes == "all" else (options.modes or ",".join(DEFAULT_MODES)).split(",")
    if unknown := sorted(set(names) - set(mode_names)):
        parser.error(f"no such mode: {', '.join(unknown)}; there are {', '.join(mode_names)}")
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds has to be at least 1")
    options.mode_names = names
    options.modes_are_default = options.modes in (None, "all")
    return options


def chosen_settings(options: argparse.Namespace) -> Settings:
    names = set(options.row or [row.name for row in ROWS])
    if "first-step" in names or names & {"first-step-cold", "first-step-warm"}:  # the second needs the first's cache
        names |= {"first-step-cold", "first-step-warm"}
    torchtpu = torchtpu_python(asked_for=not options.modes_are_default and "torchtpu" in ",".join(options.mode_names))
    modes = set(options.mode_names)
    if torchtpu is not None and options.modes is None:
        modes |= {"torchtpu-strict", "torchtpu-fused"}
    if torchtpu is None:
        modes -= {"torchtpu-strict", "torchtpu-fused"}
    return Settings(
        rows=[row for row in ROWS if row.name in names],
        modes=[mode for mode in MODES if mode.name in modes],
        rounds=options.rounds or (1 if options.quick else 3),
        seconds=0.5 if options.quick else 4.0,
        timeout=options.timeout,
        tuned_peers=options.tuned_peers,
        torchtpu=torchtpu,
    )


def torchtpu_python(*, asked_for: bool) -> Path | None:
    """The interpreter of the environment with TorchTPU that a variable names, or None."""
    folder = os.environ.get(TORCHTPU_VARIABLE)
    if not folder:
        if asked_for:
            print(f"TorchTPU is left out: {TORCHTPU_VARIABLE} does not name an environment that has it")
        return None
    python = Path(folder).expanduser() / "bin" / "python"
    if not python.exists():
        print(f"TorchTPU is left out: {python} ({TORCHTPU_VARIABLE}) does not exist")
        return None
    return python


# --- Measuring --------------------------------------------------------------------------------------------------------


def measure_all(run: Run, caches: Path) -> None:
    """Rounds of rows of modes, into `run`. A (row, mode) that failed once is not tried again."""
    settings = run.settings
    failed: set[tuple[str, str]] = set()
    turns = list(turns_of(settings))
    with tqdm(turns, unit="process", leave=False, disable=None, dynamic_ncols=True) as progress:
        for number, (round_number, row, mode) in enumerate(progress, start=1):
            if (row.name, mode.name) in failed:
                continue
            progress.set_description(f"round {round_number + 1}: {row.name}, {mode.name}")
            cache = caches / f"{mode.name}-{round_number if row.name.startswith('first-step') else 'all'}"
            outcome = measure(settings, row, mode, cache)
            if isinstance(outcome, str):
                failed.add((row.name, mode.name))
                run.problems.append(f"{row.name}, {mode.name}: {outcome}")
            else:
                run.measured.append(Measured(row.name, mode.name, round_number, outcome))
                run.problems += broken_promises(row, mode, round_number, outcome)
                shown = f"{outcome['value']:.4g} {row.unit}"
            if isinstance(outcome, str):
                tqdm.write(f"{row.name}, {mode.name}: {outcome}")
            elif progress.disable:  # not a terminal: a line for each
                print(f"[{number}/{len(turns)}] round {round_number + 1}: {row.name}, {mode.name}: {shown}", flush=True)


def turns_of(settings: Settings) -> Iterator[tuple[int, Row, Mode]]:
    """(round, row, mode) in order. Each round starts with another mode, so that none always follows the same one."""
    for round_number in range(settings.rounds):
        shift = round_number % max(1, len(settings.modes))
        for row in settings.rows:
            for mode in (*settings.modes[shift:], *settings.modes[:shift]):
                yield round_number, row, mode


def measure(settings: Settings, row: Row, mode: Mode, cache: Path) -> dict[str, Any] | str:
    """The result of measure.py in a process of its own, or in words why there is none."""
    python = settings.torchtpu if mode.name.startswith("torchtpu") else Path(sys.executable)
    command = [str(python), str(MEASURE), row.name, mode.name, str(settings.seconds)]
    try:
        done = subprocess.run(
            command,
            env=environment(settings, mode, cache),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=settings.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {settings.timeout:.0f} s"
    if done.returncode == 0:
        with_result = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if with_result:
            result: dict[str, Any] = json.loads(with_result[-1])
            return result
    last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
    return f"exit status {done.returncode}: {last}"


def environment(settings: Settings, mode: Mode, cache: Path) -> dict[str, str]:
    """The caller's environment with what the mode needs; caches are those of this run, empty at its start."""
    variables = dict(os.environ)
    if mode.name in OURS or settings.tuned_peers:
        variables |= TUNED_MALLOC
    if mode.name in OURS:
        variables |= {
            "TORCH_PJRT_MODE": "fused" if mode.name == "fused" else "strict",
            "TORCH_PJRT_CACHE": str(cache),
            "TORCH_PJRT_FALLBACK": "silent",
        }
    else:
        variables["TORCH_PJRT_DEVICE"] = "none"
    if mode.name.startswith("torchtpu"):
        variables.pop("PYTHONPATH", None)
        variables |= {"TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONWARNINGS": "ignore"}
    if mode.name == "inductor":
        variables["TORCHINDUCTOR_CACHE_DIR"] = str(cache)
    return variables


# --- Checking ---------------------------------------------------------------------------------------------------------


def broken_promises(row: Row, mode: Mode, round_number: int, result: Mapping[str, Any]) -> list[str]:
    """What the counters of one measurement say against it."""
    where = f"{row.name}, {mode.name}, round {round_number + 1}"
    problems = []
    if late := result.get("late_programs"):
        problems.append(f"{where}: {late:g} programs were made ready after the third step")
    if row.name == "first-step-warm" and (compiles := result.get("compiles")):
        problems.append(f"{where}: {compiles:g} programs were compiled again instead of read from disk")
    if fallbacks := result.get("fallbacks"):
        problems.append(f"{where}: {fallbacks:g} operators ran on the CPU")
    return problems


def differing_outcomes(run: Run) -> list[str]:
    """Modes whose result, loss or answer is not that of PyTorch's eager mode."""
    problems = []
    for row in run.settings.rows:
        outcomes = {each.mode: each.result["outcome"] for each in run.measured if each.row == row.name}
        expected = outcomes.get("eager")
        if expected is None:
            continue
        for mode, outcome in outcomes.items():
            if isinstance(expected, list):
                same = outcome == expected
            else:
                same = math.isclose(outcome, expected, rel_tol=row.close)
            if not same:
                problems.append(f"{row.name}, {mode}: the outcome is {outcome}, and PyTorch's on the CPU {expected}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
