"""The whole suite as CI runs it: lint and two lanes of tests side by side, failures again, then the gates."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import coverage
import pytest

from tests.gates import floors, measure, shortfalls

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
DURATIONS = Path(__file__).with_name("durations.txt")
CONTAINERS = (
    "tests/proof",
    "tests/chains/podman",
    "tests/chains/buildbox",
    "tests/chains/package_proxy",
    "tests/durability/kills",
)
"""What shares one Podman; walks that begin with it are collected at its end."""

PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "--cov",
    "--cov-report=",
    "--sampled",
    "--durations=40",
    "--durations-min=2",
)
RENEW = "--renew-durations"
MOST_AGAIN = 6
"""More failures than this are not the machine's."""

COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)\b")


@dataclass
class Lane:
    """Commands run one after the other, their lines passed on behind the lane's name."""

    name: str
    commands: Sequence[Sequence[str]]
    environ: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    code: int = 0
    closing: str = ""
    seconds: float = 0.0

    def run(self, tell: Callable[[str], None]) -> None:
        """Run every command, also after one that failed, and keep the last line that was said."""
        began = time.monotonic()
        for command in self.commands:
            with subprocess.Popen(
                command, cwd=ROOT, env=os.environ | self.environ, text=True, errors="replace",
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            ) as process:  # fmt: skip
                assert process.stdout
                for line in process.stdout:
                    self.closing = line.strip() or self.closing
                    tell(f"{self.name:<5}| {line}")
            self.code = self.code or process.returncode
            if process.returncode:
                self.failed.append(" ".join([Path(command[0]).name, *command[1:3]]))
        self.seconds = time.monotonic() - began


def main(arguments: Sequence[str]) -> int:
    """Run it all; the exit code is 1 when anything failed. `--renew-durations` writes the table that balances
    the lanes; further arguments go to both lanes of tests.
    """
    renews = RENEW in arguments
    arguments = [word for word in arguments if word != RENEW]
    with tempfile.TemporaryDirectory(prefix="curlew-coverage-") as folder:
        computing, containers = shares(durations(DURATIONS))
        tests = [_tests("a", computing, folder, arguments), _tests("b", containers, folder, arguments)]
        lanes = [Lane("lint", _lint()), *tests]
        threads = [threading.Thread(target=lane.run, args=(_tell,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if renews:
            renew(Path(folder).glob("*.durations"))
        failures = _failures(tests, folder)
        if failures:
            lanes.append(again := _tests("again", failures, folder, []))
            again.run(_tell)
        gates = list(shortfalls(measure(_combined(folder)), floors()))
    for lane in lanes:
        _tell(f"{lane.name:<5}| {lane.seconds:6.0f} s  {lane.closing}\n")
    for sentence in gates:
        _tell(f"gate | {sentence}\n")
    counts = _counts(tests)
    if failures and not lanes[-1].failed:
        counts = _forgive(failures, tests, counts["passed"])
    counts["failed"] += len(gates) + sum(len(lane.failed) for lane in lanes if lane not in tests)
    broken = bool(counts["failed"] or any(lane.failed for lane in lanes))
    counts["failed"] += broken and not counts["failed"]
    _tell(f"{counts['passed']} passed, {counts['failed']} failed\n")
    return int(broken)


def _tests(name: str, where: Sequence[str], folder: str, arguments: Sequence[str]) -> Lane:
    """A lane of tests; each combines its own measurements, so none may see the other's."""
    data = Path(folder) / name
    data.mkdir()
    # A folder of its own: a session that begins closes the one that sessions share to the steps of others.
    own = f"--basetemp={tempfile.gettempdir()}/curlew-lane-{name}-{os.getpid()}"
    written = [f"--durations-to={folder}/{name}.durations", f"--failures-to={folder}/{name}.failures"]
    command = [*PYTEST, own, *written, *where, *arguments]
    return Lane(name, [command], {"COVERAGE_FILE": str(data / ".coverage")})


def _failures(tests: Iterable[Lane], folder: str) -> list[str]:
    """The tests that failed, when they are few and nothing else went wrong."""
    if any(lane.code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) for lane in tests):
        return []
    files = [Path(folder, f"{lane.name}.failures") for lane in tests if lane.failed]
    failures = [test for file in files if file.exists() for test in json.loads(file.read_text())]
    return failures if len(failures) <= MOST_AGAIN else []


def _forgive(failures: Sequence[str], tests: Iterable[Lane], passed: int) -> dict[str, int]:
    """Count as passed, and name, what failed beside the other lane and passed with nothing beside it."""
    for test in failures:
        _tell(f"alone| {test} passed alone only: look for what it waits or races for\n")
    for lane in tests:
        lane.failed.clear()
    return {"passed": passed + len(failures), "failed": 0}


def durations(table: Path) -> dict[str, float]:
    """The seconds of each file by the clock, as they were measured last; 1 for a file that is new."""
    known = {file: float(waited) for _, waited, file in map(str.split, table.read_text().splitlines())}
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return {name: known.get(name, 1.0) for name in (str(file.relative_to(ROOT)) for file in files)}


def shares(seconds: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """The files of both lanes: a folder stays together, and goes where there is less to do so far."""
    folders: dict[str, list[str]] = {}
    for file in seconds:
        pinned = next((path for path in CONTAINERS if file.startswith(f"{path}/")), "")
        folders.setdefault(pinned or str(Path(file).parent), []).append(file)
    weight = {folder: sum(seconds[file] for file in files) for folder, files in folders.items()}
    lanes: tuple[list[str], list[str]] = ([], [folder for folder in CONTAINERS if folder in folders])
    for folder in sorted(weight.keys() - set(CONTAINERS), key=lambda folder: -weight[folder]):
        min(lanes, key=lambda lane: sum(weight[one] for one in lane)).append(folder)
    computing, containers = ([file for folder in lane for file in folders[folder]] for lane in lanes)
    return computing, containers


def renew(measured: Iterable[Path]) -> None:
    """Write the table of durations anew from those of both lanes."""
    lines = [line for file in measured for line in file.read_text().splitlines(keepends=True)]
    DURATIONS.write_text("".join(sorted(lines, key=lambda line: line.split()[2])))


def _lint() -> list[list[str]]:
    """Style, types, and who imports whom."""
    return [
        [str(BIN / "ruff"), "check", "--no-cache", "."],
        [str(BIN / "ruff"), "format", "--check", "--no-cache", "."],
        [str(BIN / "mypy")],
        [str(BIN / "lint-imports"), "--no-cache", "--no-logo"],
    ]


def _combined(folder: str) -> coverage.Coverage:
    """What all processes of both lanes have run."""
    together = coverage.Coverage(data_file=f"{folder}/.coverage", config_file=str(ROOT / "pyproject.toml"))
    together.combine([str(path) for path in sorted(Path(folder).glob("*/.coverage*"))])
    return together


def _counts(lanes: Sequence[Lane]) -> dict[str, int]:
    """The closing lines of pytest, added up; errors count as failures."""
    counts = {"passed": 0, "failed": 0}
    for lane in lanes:
        for number, word in COUNTS.findall(lane.closing):
            counts["passed" if word == "passed" else "failed"] += int(number)
    return counts


def _tell(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
