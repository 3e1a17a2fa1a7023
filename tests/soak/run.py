"""`make soak`: the tests marked `soak`, with ever new seeds until the time is over.

It ends at the first failure. Each round tries four times the usual points. SOAK_SECONDS says how long,
SOAK_TESTS which (as pytest's -k): "rights or hostile" are revocations and builds.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-q", "--timeout=0")
TIMES = os.environ.get("TRIAL_TIMES", "4")
TO_FINISH = 120.0
NOTHING = 5
"""What pytest ends with when no test was chosen."""

PASSING = re.compile(r"- (\d+) passing, \d+ failing")
USUAL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Round:
    """One test with one seed: whether it passed (None: the time was over), what it counted, what it said."""

    test: str
    seed: int
    passed: bool | None
    seconds: float
    counted: Counter[str]
    said: str


def tests() -> list[str]:
    """Return the ids of the tests that are worth repeating."""
    listed = subprocess.run(
        [*PYTEST, "-m", "soak", "--collect-only", "-k", os.environ.get("SOAK_TESTS", "")],
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
    )
    found = [line for line in listed.stdout.splitlines() if "::" in line]
    if listed.returncode == NOTHING or not found:
        sys.exit("nothing can be soaked: SOAK_TESTS chooses no test")
    if listed.returncode:
        sys.exit(f"nothing can be soaked:\n{listed.stdout}{listed.stderr}")
    return found


def one(test: str, seed: int, seconds: float) -> Round:
    """Run a test for a limited time."""
    began = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        pytest = subprocess.Popen(
            [*PYTEST, test, f"--hypothesis-seed={seed}", "--hypothesis-show-statistics",
             f"--junitxml={report.name}", "-o", "junit_family=legacy"],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "HYPOTHESIS_PROFILE": "soak", "TRIAL_SEED": str(seed), "TRIAL_TIMES": TIMES},
        )  # fmt: skip
        try:
            said, _ = pytest.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            pytest.send_signal(signal.SIGINT)  # it ends what it started
            said, _ = pytest.communicate(timeout=TO_FINISH)
            return Round(test, seed, None, time.monotonic() - began, Counter(), said)
        counted: Counter[str] = Counter()
        if pytest.returncode == 0:
            for what, count in _counted(Path(report.name), said):
                counted[what] += count
    return Round(test, seed, pytest.returncode == 0, time.monotonic() - began, counted, said)


def _counted(report: Path, said: str) -> Iterator[tuple[str, int]]:
    """What a test said it did (record_property), and Hypothesis that it tried."""
    for found in ElementTree.parse(report).iter("property"):
        if found.attrib["value"].isdigit():
            yield found.attrib["name"], int(found.attrib["value"])
    yield "examples of Hypothesis", sum(map(int, PASSING.findall(said)))


def rounds(seconds: float, dice: random.Random) -> Iterator[Round]:
    """All tests in a random order, again and again, until the time is over."""
    deadline = time.monotonic() + seconds
    every = tests()
    while True:
        for test in dice.sample(every, len(every)):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            yield one(test, dice.randrange(1 << 32), left)


def main() -> int:
    """Soak for SOAK_SECONDS; the exit code."""
    seconds = float(os.environ.get("SOAK_SECONDS", USUAL_SECONDS))
    done: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    for each in rounds(seconds, random.Random()):
        word = {True: "passed", False: "FAILED", None: "cut short"}[each.passed]
        print(f"{each.seconds:7.1f} s  {word:9}  seed {each.seed:<10}  {each.test}", flush=True)
        if each.passed is False:
            print(each.said)
            print(f"again:  TRIAL_SEED={each.seed} TRIAL_TIMES={TIMES} HYPOTHESIS_PROFILE=soak \\\n    "
                  f"{' '.join(PYTEST)} --hypothesis-seed={each.seed} '{each.test}'")  # fmt: skip
            return 1
        done += each.counted
        ran[each.test] += each.passed is True
    print(f"{sum(ran.values())} rounds of {len(ran)} tests in {seconds:.0f} s, no disagreement")
    for what, count in sorted(done.items()):
        print(f"{count:9}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
