"""The whole suite as CI runs it: lint beside three lanes of tests, failures again, then the gates."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import coverage
import pytest

from tests.alone import Verdict, judge, remember, remembered
from tests.gates import floors, gates, measure, shortfalls
from tests.shares import DURATIONS, ROOT, Share, durations, grown, renew, running, shares
from tests.today import number_of_today

BIN = Path(sys.executable).parent
CODE = ("vfs", "handlers", "storage", "chains", "tests")
PYTEST = (sys.executable, "-m", "pytest", "--durations=40", "--durations-min=2")
TRACE = ("--cov", "--cov-report=")
RENEW, WHOLE, SAMPLED = "--renew-durations", "--whole", "--sampled"
MOST_AGAIN = 6
"""More failures than this are not the machine's."""

KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
"""What pytest makes of the modules that tests share is kept for the other lanes, whatever the shell wants."""

COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)\b")


@dataclass(frozen=True, slots=True)
class Command:
    """What is typed, and the environment besides."""

    words: Sequence[str]
    environ: dict[str, str] = field(default_factory=dict)


@dataclass
class Lane:
    """Commands run one after the other, their lines passed on behind the lane's name.

    Of each it keeps the last line that counts tests, and the last of all where none does.
    """

    name: str
    commands: Sequence[Command]
    failed: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    closings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def run(self, tell: Callable[[str], None]) -> None:
        """Run every command, also after one that failed, and keep what each said at its end."""
        began = time.monotonic()
        for command in self.commands:
            code = self._run(command, tell)
            self.codes.append(code)
            if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                self.failed.append(" ".join([Path(command.words[0]).name, *command.words[1:3]]))
        self.seconds = time.monotonic() - began

    def _run(self, command: Command, tell: Callable[[str], None]) -> int:
        closing = ""
        with subprocess.Popen(
            command.words, cwd=ROOT, env=os.environ | KEPT | command.environ, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            assert process.stdout
            for line in process.stdout:
                if COUNTS.search(line) or not COUNTS.search(closing):
                    closing = line.strip() or closing
                tell(f"{self.name:<5}| {line}")
        self.closings.append(closing)
        return process.returncode


def main(arguments: Sequence[str]) -> int:
    """Run it all; the exit code is 1 when anything failed. `--whole` leaves nothing out; `--renew-durations`
    does so, too, and writes the table that balances the lanes; further arguments go to all lanes of tests.
    """
    renews = RENEW in arguments
    whole = renews or WHOLE in arguments
    arguments = [word for word in arguments if word not in (RENEW, WHOLE)]
    chosen = [*arguments] if whole else [SAMPLED, *arguments]
    _compile()
    with tempfile.TemporaryDirectory(prefix="curlew-coverage-") as folder:
        known = durations(DURATIONS)
        cut = shares(known if whole else running(known, number_of_today()))
        named = {"a": cut.computing, "b": cut.containers, "c": cut.waiting}
        tests = [_tests(name, share, folder, chosen) for name, share in named.items()]
        lint = Lane("lint", _lint())
        lanes = [lint, *tests]
        _side_by_side(lanes)
        if renews:
            renew(Path(folder).glob("*.durations"))
        failures = _failures(tests, folder)
        verdict = None
        if failures:
            again = _tests("again", Share(measured=failures), folder, [])
            _side_by_side([again])
            lanes.append(again)
            verdict = _verdict(failures, again, folder)
        found = list(gates(measure(_combined(folder)), floors()))
        dear = list(grown(Path(folder).glob("*.durations"), known))
    for line in [*map(str, found), *dear]:
        _tell(f"gate | {line}\n")
    for lane in lanes:
        _tell(f"{lane.name:<5}| {lane.seconds:6.0f} s  {' + '.join(lane.closings)}\n")
    if not arguments and (verdict or not any(lane.failed for lane in tests)):
        remember(verdict or Verdict())
    return _closing(lint, tests, [*shortfalls(found)], verdict)


def _closing(lint: Lane, tests: Sequence[Lane], shut: Sequence[str], verdict: Verdict | None) -> int:
    """Say what stayed shut, what passed only alone and the sums, and tell whether anything failed."""
    for sentence in shut:
        _tell(f"gate | {sentence}\n")
    counts = _counts(tests)
    if verdict:
        counts["failed"] = len(verdict.failed) + len(verdict.repeated)
        for line in verdict.lines():
            _tell(f"alone| {line}\n")
    counts["failed"] += len(shut) + len(lint.failed)
    if verdict is None and any(lane.failed for lane in tests):
        counts["failed"] = counts["failed"] or 1
    only = f", {len(verdict.forgiven)} only alone" if verdict and verdict.forgiven else ""
    _tell(f"{counts['passed']} passed, {counts['failed']} failed{only}\n")
    return int(counts["failed"] > 0)


def _compile() -> None:
    """Keep the bytecode of all code: where Python may write none, hundreds of processes would compile it."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-j", "0", *CODE], cwd=ROOT, check=True)


def _side_by_side(lanes: Iterable[Lane]) -> None:
    """Run all of them, and wait for the last."""
    threads = [threading.Thread(target=lane.run, args=(_tell,)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _tests(name: str, share: Share, folder: str, arguments: Sequence[str]) -> Lane:
    """A lane of tests: what is not measured first, as it has begun what is collected last."""
    commands = []
    if share.plain:
        commands.append(Command(_pytest(f"{name}-plain", share.plain, folder, arguments)))
    if share.measured:
        # Each combines its own measurements, so none may see the other's.
        data = Path(folder) / name
        data.mkdir()
        words = [*_pytest(name, share.measured, folder, arguments), *TRACE]
        commands.append(Command(words, {"COVERAGE_FILE": str(data / ".coverage")}))
    return Lane(name, commands)


def _pytest(name: str, files: Sequence[str], folder: str, arguments: Sequence[str]) -> list[str]:
    # A folder of its own: a session that begins closes the one that sessions share to the steps of others.
    own = f"--basetemp={tempfile.gettempdir()}/curlew-lane-{name}-{os.getpid()}"
    written = [f"--durations-to={folder}/{name}.durations", f"--failures-to={folder}/{name}.failures"]
    return [*PYTEST, own, *written, *files, *arguments]


def _failures(tests: Iterable[Lane], folder: str) -> list[str]:
    """The tests that failed, when they are few and nothing else went wrong."""
    if not all(_said_what_failed(lane) for lane in tests):
        return []
    files = sorted(Path(folder).glob("*.failures"))
    failures = [test for file in files for test in json.loads(file.read_text())]
    return failures if len(failures) <= MOST_AGAIN else []


def _said_what_failed(lane: Lane) -> bool:
    """No command of it ended otherwise than with tests that passed or failed."""
    known = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    return all(code in known for code in lane.codes)


def _verdict(failures: Sequence[str], again: Lane, folder: str) -> Verdict:
    """What to think of the failures after they ran alone; where that went wrong as such, all have failed."""
    file = Path(folder, "again.failures")
    second = json.loads(file.read_text()) if file.exists() else []
    trusted = _said_what_failed(again) and (bool(second) or not again.failed)
    return judge(failures, second if trusted else failures, remembered())


def _lint() -> list[Command]:
    """Style, types, and who imports whom."""
    return [
        Command([str(BIN / "ruff"), "check", "--no-cache", "."]),
        Command([str(BIN / "ruff"), "format", "--check", "--no-cache", "."]),
        Command([str(BIN / "mypy")]),
        Command([str(BIN / "lint-imports"), "--no-cache", "--no-logo"]),
    ]


def _combined(folder: str) -> coverage.Coverage:
    """What all measured processes have run."""
    together = coverage.Coverage(data_file=f"{folder}/.coverage", config_file=str(ROOT / "pyproject.toml"))
    together.combine([str(path) for path in sorted(Path(folder).glob("*/.coverage*"))])
    return together


def _counts(lanes: Iterable[Lane]) -> dict[str, int]:
    """The closing lines of pytest, added up; errors count as failures."""
    counts = {"passed": 0, "failed": 0}
    for lane in lanes:
        for closing in lane.closings:
            for number, word in COUNTS.findall(closing):
                counts["passed" if word == "passed" else "failed"] += int(number)
    return counts


def _tell(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
