"""How the rules of the state machine are drawn and counted, and to which runs they apply."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.proof.cases import Case

LIVE = 3
GO_ON, STOP, UNKNOWN = (
    ["continue", "resume", "proceed", ""],
    ["declined", "decline", "reject"],
    ["yes", " ", "stop"],
)
PICK = st.integers(0, 99)
CALLERS = st.sampled_from(["alice", "alice", "bob", "bob", "carol", "dave", "erin"])
HOW = st.sampled_from(["success", "success", "success", "failed"])
COUNT = st.integers(0, 2)


def step(when: Callable[[Any], bool], **drawn: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule; where it does not apply, something else is done instead.

    No precondition of Hypothesis's: which of two racing requests wins is not the same when it tries again.
    """

    def decorate(act: Callable[..., None]) -> Any:
        @wraps(act)
        def counted(machine: Any, **given: Any) -> None:
            machine.empty_world.steps += 1
            try:
                if when(machine):
                    act(machine, **given)
                else:
                    machine.instead(given.get("pick", 0))
            except BaseException:
                machine.broken = True
                raise

        return rule(**drawn)(counted)

    return decorate


def some(test: Callable[[Case], bool] = lambda case: True) -> Callable[[Any], bool]:
    """There is such a run."""
    return lambda machine: any(map(test, machine.cases))


def room(machine: Any) -> bool:
    """Another run may be triggered."""
    return sum(map(live, machine.cases)) < LIVE


def live(case: Case) -> bool:
    return not case.model.ended


def waiting(case: Case) -> bool:
    return case.model.status == "waiting"


def playing(case: Case) -> bool:
    return bool(case.model.parts())
