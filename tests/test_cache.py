"""The program cache on disk: shared by processes, safe against kill, corruption, other versions and closed folders."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("accelerator")

_PROGRAM = """
import torch, torch_pjrt
value = torch.ones(8, 8, device=d)
for _ in range(3):
    value = (value @ value).tanh() + 1
assert abs(value.sum().item() - 128) < 1e-3
stats = torch_pjrt.stats()
print(stats["compiles"], stats["cache_hits_disk"], stats["cache_misses_stale"])
"""


@dataclass
class _Counts:
    compiles: int
    hits: int
    stale: int
    stderr: str


def _run(fresh_process: Any, directory: Path, **environment: str) -> _Counts:
    finished = fresh_process.run(_PROGRAM, TORCH_PJRT_CACHE=str(directory), **environment)
    return _Counts(*(int(number) for number in finished.stdout.split()), stderr=finished.stderr)


def _entries(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*.program") if path.is_file())


def test_a_second_process_compiles_nothing(fresh_process: Any, tmp_path: Path) -> None:
    first, second = _run(fresh_process, tmp_path), _run(fresh_process, tmp_path)
    assert first.compiles > 0
    assert (second.compiles, second.hits, second.stale) == (0, first.compiles, 0)
    assert len(_entries(tmp_path)) == first.compiles


def test_off_writes_nothing(fresh_process: Any, tmp_path: Path) -> None:
    finished = fresh_process.run(_PROGRAM, TORCH_PJRT_CACHE="off", XDG_CACHE_HOME=str(tmp_path))
    assert int(finished.stdout.split()[1]) == 0
    assert list(tmp_path.iterdir()) == []


def test_the_default_directory_is_in_the_users_cache(fresh_process: Any, tmp_path: Path) -> None:
    fresh_process.run(_PROGRAM, TORCH_PJRT_CACHE="", XDG_CACHE_HOME=str(tmp_path))
    assert _entries(tmp_path / "torch-pjrt")


def test_processes_that_start_together_share_what_each_compiles(fresh_process: Any, tmp_path: Path) -> None:
    processes = [fresh_process.start(_PROGRAM, TORCH_PJRT_CACHE=str(tmp_path)) for _ in range(4)]
    counts = [[int(number) for number in fresh_process.finish(process).stdout.split()] for process in processes]
    programs = len(_entries(tmp_path))
    assert sum(compiles for compiles, _, _ in counts) == programs
    assert [compiles + hits for compiles, hits, _ in counts] == [programs] * 4
    assert all(stale == 0 for _, _, stale in counts)


@pytest.mark.parametrize("damage", ["truncated", "empty", "one bit", "garbage", "appended"])
def test_a_damaged_entry_is_a_counted_miss_and_is_replaced(fresh_process: Any, tmp_path: Path, damage: str) -> None:
    programs = _run(fresh_process, tmp_path).compiles
    for entry in _entries(tmp_path):
        content = entry.read_bytes()
        middle = len(content) // 2
        entry.write_bytes(
            {
                "truncated": content[:middle],
                "empty": b"",
                "one bit": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
                "garbage": os.urandom(len(content)),
                "appended": content + b"x",
            }[damage]
        )
    after = _run(fresh_process, tmp_path)
    assert (after.compiles, after.hits, after.stale) == (programs, 0, programs)
    assert _run(fresh_process, tmp_path).hits == programs


def test_an_entry_under_the_name_of_another_is_a_counted_miss(fresh_process: Any, tmp_path: Path) -> None:
    programs = _run(fresh_process, tmp_path).compiles
    first, second = _entries(tmp_path)[:2]
    first.write_bytes(second.read_bytes())
    after = _run(fresh_process, tmp_path)
    assert (after.compiles, after.hits, after.stale) == (1, programs - 1, 1)


def test_killed_while_it_writes(fresh_process: Any, tmp_path: Path) -> None:
    for milliseconds in range(0, 400, 50):
        process = fresh_process.start(
            """
            import torch
            value = torch.ones(3, device=d)
            value.cpu()
            print("ready", flush=True)
            for size in range(1, 200):
                (torch.ones(size, device=d) * 2).cpu()
            """,
            TORCH_PJRT_CACHE=str(tmp_path),
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGKILL)
        fresh_process.finish(process, check=False)
    counts = _run(fresh_process, tmp_path)
    assert counts.stale == 0
    assert counts.compiles + counts.hits > 0
    assert _run(fresh_process, tmp_path).compiles == 0


def test_an_entry_of_another_compiler_is_not_used(fresh_process: Any, tmp_path: Path, cpu_plugin: str) -> None:
    programs = _run(fresh_process, tmp_path, TORCH_PJRT_PLUGIN=cpu_plugin).compiles
    other = tmp_path / "another_build_of_the_plugin.so"
    content = bytearray(Path(cpu_plugin).read_bytes())
    content += b"\0another build"
    other.write_bytes(content)
    after = _run(fresh_process, tmp_path, TORCH_PJRT_PLUGIN=str(other))
    other.unlink()
    assert (after.compiles, after.hits) == (programs, 0)


@pytest.mark.parametrize("place", ["/proc/nowhere", "a file"])
def test_a_directory_that_cannot_be_written_is_one_warning(fresh_process: Any, tmp_path: Path, place: str) -> None:
    directory = Path(place)
    if place == "a file":
        directory = tmp_path / "file"
        directory.touch()
    counts = _run(fresh_process, directory)
    assert counts.compiles > 0
    assert counts.stderr.count("Warning") == 1
    assert str(directory) in counts.stderr


def test_the_size_is_kept_to_by_removing_what_was_used_longest_ago(fresh_process: Any, tmp_path: Path) -> None:
    program = """
    import torch
    for size in range(1, 30):
        (torch.ones(size, device=d) * 2).cpu()
    """
    fresh_process.run(program, TORCH_PJRT_CACHE=str(tmp_path), TORCH_PJRT_CACHE_SIZE="60kB")
    size = sum(entry.stat().st_size for entry in _entries(tmp_path))
    assert 0 < size <= 60_000


def test_a_cache_that_can_only_be_read_still_serves(fresh_process: Any, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    programs = _run(fresh_process, tmp_path).compiles
    for path in [*tmp_path.rglob("*"), tmp_path]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert _run(fresh_process, tmp_path).hits == programs
    finally:
        for path in [tmp_path, *tmp_path.rglob("*")]:
            path.chmod(0o700)


def test_explain_names_the_part_that_had_not_been_seen(fresh_process: Any, tmp_path: Path) -> None:
    program = """
    import torch, torch_pjrt
    for size in (3, 4):
        (torch.ones(size, device=d) * 2).cpu()
    entries = torch_pjrt.explain()
    assert [entry["source"] for entry in entries].count("disk") == torch_pjrt.stats()["cache_hits_disk"]
    assert all(entry["seconds"] >= 0 and entry["key_parts"] for entry in entries)
    multiplications = [entry for entry in entries if "mul" in entry["calls"]]
    assert len(multiplications) == 2, entries
    assert multiplications[1]["reason"]
    """
    fresh_process.run(program, TORCH_PJRT_CACHE=str(tmp_path))
    fresh_process.run(program, TORCH_PJRT_CACHE=str(tmp_path))
