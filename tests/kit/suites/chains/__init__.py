"""Conformance suites of the ports, as plain test classes, and the values that they are played with."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from chains.plan.model import ImageSource, Plan, PlannedStep
from chains.runs.records import Result
from tests.kit.suites.kernel import StillClock
from vfs.ports.blobs import Ref
from vfs.ports.clock import stamp

T = TypeVar("T")

JOB = 1
RESULT = Result(Ref("ab" * 32, 3, "text/plain"), "birds.txt")
TIME = stamp(StillClock().now())
SOON = 2.0
NEVER = 30.0


def chain(*names: str, edges: Sequence[tuple[str, str]] | None = None, image: str = "image") -> Plan:
    """A plan of steps that run images `<image>-<name>`, one after the other unless there are `edges`."""
    pairs = tuple(edges) if edges is not None else tuple(itertools.pairwise(names))
    steps = tuple(
        PlannedStep(
            name,
            ordinal,
            ImageSource("alice", name, "latest", f"{image}-{name}", "c0ffee"),
            False,
            tuple(before for before, after in pairs if after == name),
            None,
        )
        for ordinal, name in enumerate(names)
    )
    return Plan(steps, pairs)


def at_once(*calls: Callable[[], T]) -> list[T | Exception]:
    """Make calls in threads that begin together; what each answered or raised."""
    answers: list[T | Exception] = [RuntimeError("did not end")] * len(calls)
    gate = threading.Barrier(len(calls))

    def make(number: int, call: Callable[[], T]) -> None:
        gate.wait()
        try:
            answers[number] = call()
        except Exception as error:
            answers[number] = error

    threads = [threading.Thread(target=make, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def while_waiting(wait: Callable[[], object], act: Callable[[], object]) -> tuple[object, float]:
    """Answer of `wait`, and seconds from `act` to it; `act` comes when the wait has begun."""
    ended: list[tuple[object, float]] = []
    thread = threading.Thread(target=lambda: ended.append((wait(), time.monotonic())))
    thread.start()
    time.sleep(0.05)
    acted = time.monotonic()
    act()
    thread.join()
    answer, moment = ended[0]
    return answer, moment - acted
