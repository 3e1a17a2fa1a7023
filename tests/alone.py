"""What passed only alone: a list that lasts from one run to the next; nobody may stand there twice in a row.

It is kept in the tree, as a clone that is made for one run remembers nothing else: a run rewrites it, and
whoever lands commits what it says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("only_alone.txt")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Tests that failed beside others: again when alone, passed alone the second time, and the first."""

    failed: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    forgiven: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """What failed, which the log told long before, and what to do about those that passed."""
        for test in self.failed:
            yield f"{test} failed, alone too"
        for test in self.forgiven:
            yield f"{test} passed alone only: look for what it waits or races for, and keep {LIST.name}"
        for test in self.repeated:
            yield f"{test} passed alone only, the second time in a row, which is a failure"


def judge(failures: Collection[str], again: Collection[str], before: Collection[str]) -> Verdict:
    """Judge what failed beside others by what failed alone, and by what passed only alone before."""
    passed = [test for test in failures if test not in again]
    return Verdict(
        failed=tuple(test for test in failures if test in again),
        repeated=tuple(test for test in passed if test in before),
        forgiven=tuple(test for test in passed if test not in before),
    )


def remembered(listing: Path = LIST) -> list[str]:
    """What passed only alone when the whole suite ran last; nothing where nobody wrote it down."""
    return listing.read_text().splitlines() if listing.exists() else []


def remember(verdict: Verdict, listing: Path = LIST) -> None:
    """Write down what passed only alone this time; the list is left alone when it says so already."""
    names = sorted([*verdict.repeated, *verdict.forgiven])
    if names != remembered(listing):
        listing.write_text("".join(f"{name}\n" for name in names))
