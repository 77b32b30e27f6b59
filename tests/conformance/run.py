"""`make conformance`: PyTorch's operator database on the device, every sample, in worker processes.

    python tests/conformance/run.py [--operators 'linalg_*'] [--dtypes float32,bool] [--aspects forward,out]
        [--modes strict,fused,compiled] [--shard 1/4] [--jobs 2] [--samples 8] [--results FOLDER] [--write]

A case is one aspect of one operator in one dtype and mode. A worker that crashes or hangs costs its case and is started
anew. Results are JSON lines in FOLDER and a second run goes on where the first one stopped. `--write` renews
docs/coverage.md and unsupported.json from everything that is in FOLDER then.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

MODES = ("strict", "fused", "compiled")
# Modes differ in how calls become programs: what a single call computes is the same.
ASPECTS_OF_OTHER_MODES = ("forward", "gradient", "in-place")


@dataclass(frozen=True)
class Case:
    """One aspect of one operator in one dtype and mode."""

    operator: str
    dtype: str
    aspect: str
    mode: str


def cases(chosen: argparse.Namespace) -> Iterator[Case]:
    """The cases that the command line asks for, operator by operator."""
    from aspects import ASPECTS, applies
    from samples import DTYPES, operators
    from selection import is_selected

    aspects = list(ASPECTS) if chosen.aspects == "all" else chosen.aspects.split(",")
    dtypes = list(DTYPES) if chosen.dtypes == "all" else chosen.dtypes.split(",")
    part, parts = (int(number) for number in chosen.shard.split("/"))
    names = [
        name for name in operators() if any(fnmatch.fnmatch(name, wanted) for wanted in chosen.operators.split(","))
    ]
    for name in sorted(names)[part - 1 :: parts]:
        for mode in chosen.modes.split(","):
            for dtype in dtypes:
                for aspect in aspects:
                    if mode != "strict" and aspect not in ASPECTS_OF_OTHER_MODES:
                        continue
                    if not is_selected(name, dtype, aspect, chosen.every):
                        continue
                    if applies(operators()[name], DTYPES[dtype], aspect):
                        yield Case(name, dtype, aspect, mode)


def work(device: str, most_samples: int | None) -> None:
    """A worker: cases come as JSON lines on stdin, each answered by one on stdout."""
    # Programs that print must not end up among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import torch
    from aspects import Target, run
    from samples import DTYPES, operators

    module = torch.get_device_module(device)
    for line in sys.stdin:
        case = Case(**json.loads(line))
        compiled = case.mode == "compiled"
        module.eager_mode = "strict" if compiled else case.mode
        target = Target(device, compiled)
        report = run(operators()[case.operator], DTYPES[case.dtype], case.aspect, target, most_samples)
        answer = {"passed": report.passed, "skipped": dict(report.skipped), "failures": report.failures[:3]}
        print(json.dumps(answer | {"failed": len(report.failures)}), file=answers, flush=True)


class Worker:
    """A worker process, started anew when it died."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._chosen = chosen
        self._process: subprocess.Popen[str] | None = None

    def answer(self, case: Case) -> dict[str, Any]:
        """What became of a case, whatever became of the process."""
        if self._process is None or self._process.poll() is not None:
            self._process = self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._chosen.timeout, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(case.__dict__) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        timed_out = not timer.is_alive()
        timer.cancel()
        if line:
            return dict(json.loads(line))
        process.kill()
        reason = f"took more than {self._chosen.timeout} s" if timed_out else f"ended the process ({process.wait()})"
        return {"passed": 0, "skipped": {}, "failed": 1, "failures": [[-1, "crash", reason]]}

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, __file__, "--worker", "--device", self._chosen.device]
        if self._chosen.samples is not None:
            command += ["--samples", str(self._chosen.samples)]
        environment = {"TORCH_PJRT_FALLBACK": "error", "OMP_NUM_THREADS": "1", **os.environ}
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )


def run_all(chosen: argparse.Namespace) -> dict[Case, dict[str, Any]]:
    """Runs the cases that have no result yet; returns the results of all that were asked for."""
    from tqdm import tqdm

    folder = Path(chosen.results)
    folder.mkdir(parents=True, exist_ok=True)
    results = read(folder)
    wanted = list(cases(chosen))
    queue: Queue[Case] = Queue()
    for case in wanted:
        if case not in results:
            queue.put(case)
    lock = threading.Lock()
    with (folder / "results.jsonl").open("a") as file, tqdm(total=queue.qsize(), smoothing=0.05, unit="case") as bar:

        def serve() -> None:
            worker = Worker(chosen)
            try:
                while True:
                    try:
                        case = queue.get_nowait()
                    except Empty:
                        return
                    answer = worker.answer(case)
                    with lock:
                        results[case] = answer
                        print(json.dumps({"case": case.__dict__, **answer}), file=file, flush=True)
                        bar.set_postfix_str(case.operator[:24])
                        bar.update()
            finally:
                worker.close()

        threads = [threading.Thread(target=serve) for _ in range(chosen.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {case: results[case] for case in wanted}


def read(folder: Path) -> dict[Case, dict[str, Any]]:
    """The results so far; of a case that was run twice, the last."""
    file = folder / "results.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    entries = [json.loads(line) for line in lines]
    return {Case(**entry.pop("case")): entry for entry in entries}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line asks for, and prints the summary. Status 1 if a case fails that is not listed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--operators", default="*", help="names or patterns, separated by commas")
    parser.add_argument("--dtypes", default="all")
    parser.add_argument("--aspects", default="all")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--every", type=int, default=1, help="only one case in so many, always the same ones")
    parser.add_argument("--shard", default="1/1", help="part/parts, by operator")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--samples", type=int, help="only the first so many samples of a case")
    parser.add_argument("--timeout", type=float, default=300, help="seconds that one case may take")
    parser.add_argument("--device", default=os.environ.get("TORCH_PJRT_DEVICE") or "tpu")
    parser.add_argument("--results", default=str(ROOT / "build" / "conformance"))
    parser.add_argument("--write", action="store_true", help="renew docs/coverage.md and unsupported.json")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.worker:
        work(chosen.device, chosen.samples)
        return 0
    import summary
    from known import KNOWN

    results = run_all(chosen)
    print(summary.table(results))
    if chosen.write:
        summary.write(read(Path(chosen.results)), ROOT / "docs" / "coverage.md", HERE / "unsupported.json")
        return 0
    surprises = [case for case, answer in results.items() if answer["failed"] and not KNOWN.covers(case)]
    for case in surprises:
        number, kind, message = results[case]["failures"][0]
        text = " ".join(message.split())[:160]
        print(f"{case.operator} {case.dtype} {case.aspect} {case.mode}: sample {number}: {kind}: {text}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
