"""The suite as CI runs it: lint beside three lanes of tests, failures again alone, floors of coverage."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import coverage
import coverage.exceptions
import pytest

from tests.chosen import DEAR_WORK, DURATIONS, ROOT, Chosen, Took, chosen, durations, everything, lines_of

BIN = Path(sys.executable).parent
SETTINGS = ROOT / "pyproject.toml"
CODE = ("vfs", "handlers", "storage", "chains", "tests")
WHOLE, RENEW = "--whole", "--renew-durations"
ALL = 100
MOST_AGAIN = 6
"""More failures than this are not the machine's."""

KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
"""Lanes keep what pytest makes of shared modules, even where the shell wants no bytecode."""

COUNTS = re.compile(r"(\d+) (passed|failed|errors?)\b")
KNOWN = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)

LINT = (
    (str(BIN / "ruff"), "check", "--no-cache", "."),
    (str(BIN / "ruff"), "format", "--check", "--no-cache", "."),
    (str(BIN / "mypy"),),
    (str(BIN / "lint-imports"), "--no-cache", "--no-logo"),
)

PODMAN = (
    "tests/proof",
    "tests/chains/podman",
    "tests/chains/buildbox",
    "tests/chains/package_proxy",
    "tests/durability/kills",
)
"""Folders that share one Podman run in one lane."""

FLOORS = ("tests/vfs/", "tests/chains/language/", "tests/chains/plan/", "tests/chains/runs/")
"""What proves the floors of 100 % is traced always."""

TRACED = ("tests/vfs/", "tests/chains/", "tests/storage/", "tests/handlers/", "tests/wire/")
"""What is traced where everything runs, but for what untraced.txt names."""

UNTRACED = tuple(lines_of(Path(__file__).with_name("untraced.txt")))


@dataclass
class Lane:
    """Commands that run one after the other, each line behind the lane's name; the closing line of each."""

    name: str
    commands: Sequence[Sequence[str]]
    environ: Mapping[str, str] = field(default_factory=dict)
    codes: list[int] = field(default_factory=list)
    closings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def run(self) -> None:
        """Run every command, also after one that failed."""
        began = time.monotonic()
        for command in self.commands:
            self.codes.append(self._run(command))
        self.seconds = time.monotonic() - began

    def _run(self, command: Sequence[str]) -> int:
        closing = ""
        with subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **KEPT, **self.environ}, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            assert process.stdout
            for line in process.stdout:
                if COUNTS.search(line) or not COUNTS.search(closing):
                    closing = line.strip() or closing
                _tell(f"{self.name:<5}| {line}")
        self.closings.append(closing)
        return process.returncode

    @property
    def broke_off(self) -> bool:
        """Whether a command ended abnormally, or without the numbers of its tests."""
        ended = zip(self.codes, self.closings, strict=True)
        return any(
            code not in KNOWN or (code == pytest.ExitCode.TESTS_FAILED and not COUNTS.search(closing))
            for code, closing in ended
        )

    def count(self, *words: str) -> int:
        """How many tests the closing lines count by one of these words."""
        counted = [found for closing in self.closings for found in COUNTS.findall(closing)]
        return sum(int(number) for number, word in counted if word in words)


def main(arguments: Sequence[str]) -> int:
    """Run it all, and return 1 when anything failed. `--whole` runs every test; `--renew-durations` does so,
    too, and writes what each file took. Further arguments go to pytest.
    """
    renews = RENEW in arguments
    whole = renews or WHOLE in arguments
    words = [word for word in arguments if word not in (WHOLE, RENEW)]
    known = durations()
    choice = everything(known) if whole else chosen(known, os.environ.get("SINCE") or None)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-j", "0", *CODE], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(prefix="curlew-lanes-") as folder:
        if not whole:
            words = [f"--repeating={_written(folder, choice.repeating)}", *words]
        lint = Lane("lint", LINT)
        tests = [*_lanes(choice, folder, words, whole=whole)]
        _side_by_side([lint, *tests])
        failed, alone, again = _judged(tests, folder)
        shut = [*_floors(folder, whole=whole)]
        took = [
            line for file in sorted(Path(folder).glob("*.took")) for line in file.read_text().splitlines()
        ]
    if renews:
        DURATIONS.write_text("".join(f"{line}\n" for line in sorted(took, key=lambda line: line.split()[2])))
    for line in _grown(took, known):
        _tell(f"time | {line}\n")
    for lane in [lint, *tests, *again]:
        _tell(f"{lane.name:<5}| {lane.seconds:6.0f} s  {' + '.join(lane.closings)}\n")
    for line in [
        *shut,
        *(f"{test} passed alone only: look for what it waits or races for" for test in alone),
    ]:
        _tell(f"fault| {line}\n")
    for line in choice.said:
        _tell(f"ran  | {line}\n")
    # A skipped test proves nothing, so it counts as failed.
    failed += len(shut) + sum(code != 0 for code in lint.codes)
    failed += sum(lane.count("skipped") for lane in tests)
    only = f", {len(alone)} only alone" if alone else ""
    _tell(f"{sum(lane.count('passed') for lane in tests)} passed, {failed} failed{only}\n")
    return int(failed > 0)


def _written(folder: str, files: set[str]) -> Path:
    listing = Path(folder) / "repeating"
    listing.write_text("\n".join(sorted(files)))
    return listing


def _lanes(choice: Chosen, folder: str, words: Sequence[str], *, whole: bool) -> Iterator[Lane]:
    """Deal the tests out: those of a folder stay together, and go where there is least to do so far."""
    folders: dict[tuple[str, ...], list[str]] = {}
    for test in sorted(choice.tests):
        own = str(Path(test.partition("::")[0]).parent)
        pinned = own.startswith(tuple(f"{podman}/" for podman in PODMAN)) or own in PODMAN
        folders.setdefault(PODMAN if pinned else (own,), []).append(test)
    weight = {key: sum(choice.tests[test].weight for test in found) for key, found in folders.items()}
    loads, lanes = [0.0, 0.0, 0.0], [[], [], []]
    for key in sorted(folders, key=lambda key: (-weight[key], key)):
        lightest = loads.index(min(loads))
        loads[lightest] += weight[key]
        lanes[lightest] += folders[key]
    for name, found in zip("abc", lanes, strict=True):
        yield _lane(name, found, folder, words, whole=whole)


def _lane(name: str, found: Sequence[str], folder: str, words: Sequence[str], *, whole: bool = False) -> Lane:
    """A lane of pytest: what is traced has a separate session, as a trace makes all of a session slower."""
    traced = [test for test in found if _is_traced(test, whole=whole)]
    plain = [test for test in found if test not in traced]
    commands = []
    for part, chosen_tests, trace in (("plain", plain, ()), ("traced", traced, ("--cov", "--cov-report="))):
        # A separate base: a session that begins closes the one that sessions share to the steps of others.
        own = [
            f"--basetemp={tempfile.gettempdir()}/curlew-lane-{name}-{part}-{os.getpid()}",
            f"--durations-to={folder}/{name}-{part}.took",
            # Each session lists its failures in a separate cache.
            *("-o", f"cache_dir={folder}/{name}-{part}"),
        ]
        if chosen_tests:
            commands.append(
                [sys.executable, "-m", "pytest", "--durations=20", "--durations-min=2", *own, *trace,
                 *chosen_tests, *words]
            )  # fmt: skip
    data = Path(folder, f"coverage-{name}")
    data.mkdir()
    return Lane(name, commands, {"COVERAGE_FILE": str(data / ".coverage")})


def _is_traced(test: str, *, whole: bool) -> bool:
    return test.startswith(FLOORS) or (whole and test.startswith(TRACED) and not test.startswith(UNTRACED))


def _side_by_side(lanes: Sequence[Lane]) -> None:
    threads = [threading.Thread(target=lane.run) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _judged(tests: Sequence[Lane], folder: str) -> tuple[int, list[str], list[Lane]]:
    """How many tests failed, which of them passed when they ran again alone, and the lane that ran these.

    Nothing runs again where a lane broke off or many failed.
    """
    failures = [*_failures(folder, "[abc]-*")]
    broken = sum(lane.broke_off for lane in tests)
    if broken or not 0 < len(failures) <= MOST_AGAIN:
        counted = sum(lane.count("failed", "error", "errors") for lane in tests)
        return max(counted + broken, len(failures)), [], []
    again = _lane("again", failures, folder, [])
    again.run()
    failed = failures if again.broke_off else [*_failures(folder, "again-*")]
    return len(failed), [test for test in failures if test not in failed], [again]


def _failures(folder: str, lanes: str) -> Iterator[str]:
    for file in sorted(Path(folder).glob(f"{lanes}/v/cache/lastfailed")):
        yield from json.loads(file.read_text())


def _floors(folder: str, *, whole: bool) -> Iterator[str]:
    """A sentence for each floor of coverage that was not reached; a file counts for its first pattern."""
    together = coverage.Coverage(data_file=f"{folder}/.coverage", config_file=str(SETTINGS))
    together.combine([str(path) for path in sorted(Path(folder).glob("coverage-*/.coverage*"))])
    with SETTINGS.open("rb") as settings:
        wanted: dict[str, int] = tomllib.load(settings)["tool"]["curlew"]["coverage"]
    patterns = [*wanted]
    for number, pattern in enumerate(patterns):
        if wanted[pattern] < ALL and not whole:
            continue
        report = io.StringIO()
        try:
            run = together.report(file=report, include=[pattern], omit=patterns[:number])
        except coverage.exceptions.NoDataError:
            run = 0.0
        floor = f"{pattern}: {run:.2f} % run, {wanted[pattern]} % wanted"
        _tell(f"floor| {floor}\n")
        if run < wanted[pattern]:
            yield f"{floor}; not run:\n{report.getvalue()}"


def _grown(took: Sequence[str], known: Mapping[str, Took]) -> Iterator[str]:
    """A sentence for each file that became dear, and costs every run until the table says so."""
    for line in took:
        worked, _, file = line.split()
        if float(worked) > 2 * DEAR_WORK and not known[file].dear:
            yield f"{file} worked {float(worked):.0f} s, more than {DURATIONS.name} says: renew its line"


def _tell(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
