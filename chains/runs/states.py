"""The states of a run and its steps: statuses, events, allowed changes, and answers to requests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256

from vfs.errors import Conflict, Invalid, VfsError


class Status(StrEnum):
    """Status of a run (interface, "Run status values")."""

    PROCESSING = "processing"
    WAITING = "waiting"
    SUCCESS = "success"
    FAILED = "failed"
    CANCELING = "canceling"
    CANCELED = "canceled"
    REJECTED = "rejected"

    @property
    def ended(self) -> bool:
        """Whether the status is final: no event changes it."""
        return self in ENDED


class StepStatus(StrEnum):
    """Status of a step (interface, "Step status values")."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def ended(self) -> bool:
        """Whether the status is final: the step does not change any more."""
        return not MOVES[self]


class Overlap(StrEnum):
    """The rule for a new run while earlier runs of its job have not ended (config/overlap)."""

    ALLOW = "allow"
    SKIP = "skip"
    QUEUE = "queue"
    CANCEL = "cancel"


class RunFailed(VfsError):
    """The run that a call triggered and waited for ended as `failed`."""


class Event(StrEnum):
    """An event that may change a run's status."""

    SUBMIT = "submit"
    REJECT = "reject"
    SUCCEED = "succeed"
    FAIL = "fail"
    HOLD = "hold"
    CONTINUE = "continue"
    DECLINE = "decline"
    CANCEL = "cancel"
    TORN_DOWN = "torn_down"
    LOSE = "lose"


ENDED = frozenset({Status.SUCCESS, Status.FAILED, Status.CANCELED, Status.REJECTED})

# Interface "Run status values"; decisions 20 (rejected) and 25 (a lost runner); R-18: a pending cancel wins
# over a hold and over the loss of the runner. None is a run not recorded yet.
TURNS: dict[tuple[Status | None, Event], Status] = {
    (None, Event.SUBMIT): Status.PROCESSING,
    (None, Event.REJECT): Status.REJECTED,
    (Status.PROCESSING, Event.SUCCEED): Status.SUCCESS,
    (Status.PROCESSING, Event.FAIL): Status.FAILED,
    (Status.PROCESSING, Event.HOLD): Status.WAITING,
    (Status.PROCESSING, Event.CANCEL): Status.CANCELING,
    (Status.PROCESSING, Event.LOSE): Status.FAILED,
    (Status.WAITING, Event.CONTINUE): Status.PROCESSING,
    (Status.WAITING, Event.DECLINE): Status.CANCELED,
    (Status.WAITING, Event.LOSE): Status.WAITING,
    (Status.CANCELING, Event.SUCCEED): Status.SUCCESS,
    (Status.CANCELING, Event.FAIL): Status.FAILED,
    (Status.CANCELING, Event.HOLD): Status.CANCELED,
    (Status.CANCELING, Event.CANCEL): Status.CANCELING,
    (Status.CANCELING, Event.TORN_DOWN): Status.CANCELED,
    (Status.CANCELING, Event.LOSE): Status.CANCELED,
}

MOVES: dict[StepStatus, frozenset[StepStatus]] = {
    StepStatus.PENDING: frozenset({StepStatus.RUNNING, StepStatus.CANCELED}),
    StepStatus.RUNNING: frozenset({StepStatus.SUCCESS, StepStatus.FAILED, StepStatus.CANCELED}),
    StepStatus.SUCCESS: frozenset(),
    StepStatus.FAILED: frozenset(),
    StepStatus.CANCELED: frozenset(),
}

CONTINUE_WORDS = frozenset({"continue", "resume", "proceed", ""})
DECLINE_WORDS = frozenset({"declined", "decline", "reject"})

CANCELED = "The run was canceled."
"""The last line of a canceled run's log."""

RUN_ID = r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}"


class TurnOutcome(StrEnum):
    """Outcomes of a request to change a run."""

    ACCEPTED = "accepted"
    NO_OP = "no-op"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Turn:
    """The response to a request: the status after it (unchanged if it is refused) and a sentence."""

    to: Status
    outcome: TurnOutcome
    detail: str


def turn(status: Status | None, event: Event) -> Status:
    """Return the status after `event`. `status` is None for a run that is not recorded yet.

    Raises Conflict (member `run_status`) with the status if the event is not allowed.
    """
    to = TURNS.get((status, event))
    if to is None:
        where = f"is {status}" if status else "is not recorded yet"
        raise Conflict(f'The run {where}, so "{event}" changes nothing.', run_status=status)
    return to


def cancel(status: Status, nested: bool = False) -> Turn:
    """Return the response to `canceled` posted to a run's status. A child run (`nested`) is refused."""
    if nested:
        return Turn(
            status,
            TurnOutcome.REFUSED,
            f"This run is a step of another, and {status}: cancel the top-level run.",
        )
    if status is Status.CANCELING:
        return Turn(status, TurnOutcome.NO_OP, "The run is canceling already.")
    if status is Status.WAITING:
        advice = 'answer its hold, with "decline" to end it'
        return Turn(status, TurnOutcome.REFUSED, f"The run is waiting and cannot be canceled: {advice}.")
    if status.ended:
        return Turn(status, TurnOutcome.REFUSED, f"The run has ended {status} and cannot be canceled.")
    return Turn(turn(status, Event.CANCEL), TurnOutcome.ACCEPTED, "The run is canceling.")


def answer(status: Status, event: Event, nested: bool = False) -> Turn:
    """Return the response to CONTINUE or DECLINE posted to a run's hold. A child run (`nested`) has none."""
    if nested:
        return Turn(
            status,
            TurnOutcome.REFUSED,
            f"This run is a step of another, and {status}: answer the hold of the top-level run.",
        )
    if status is not Status.WAITING:
        return Turn(
            status,
            TurnOutcome.REFUSED,
            f"The run is {status}, not waiting at a hold: there is nothing to answer.",
        )
    to = turn(status, event)
    said = "continues" if event is Event.CONTINUE else "is canceled, as its hold was declined"
    return Turn(to, TurnOutcome.ACCEPTED, f"The run {said}.")


def word(text: str) -> Event:
    """Return CONTINUE or DECLINE from the text posted to a hold. One line ending after it is ignored.

    An empty text continues; blanks alone do not (R-5). Raises Invalid for any other word.
    """
    said = text.removesuffix("\n").removesuffix("\r")
    if said in CONTINUE_WORDS:
        return Event.CONTINUE
    if said in DECLINE_WORDS:
        return Event.DECLINE
    shown = said if len(said) <= 40 else said[:37] + "..."
    raise Invalid(f'A hold is answered with "continue" or "decline", not {shown!r}: it stays open.')


def move(status: StepStatus, to: StepStatus) -> StepStatus:
    """Return `to` if a step may change from `status` to it. Raises Conflict otherwise."""
    if to not in MOVES[status]:
        raise Conflict(f"A step that is {status} cannot become {to}.", step_status=status)
    return to


def run_id(moment: datetime, request_id: str) -> str:
    """Return the id of a run submitted at `moment` (aware): `<YYYYMMDD>-<HHMMSS>-<8 hex>`, UTC."""
    return f"{moment.astimezone(UTC):%Y%m%d-%H%M%S}-{run_digits(request_id)}"


def run_digits(request_id: str) -> str:
    """Return the last 8 digits of the id of a run that a request starts.

    They are the first of `request_id` if hexadecimal, else of its digest (decisions 22).
    """
    plain = request_id.replace("-", "").lower()
    digits = (
        plain if re.match("[0-9a-f]{8}", plain) else sha256(request_id.encode(errors="replace")).hexdigest()
    )
    return digits[:8]
