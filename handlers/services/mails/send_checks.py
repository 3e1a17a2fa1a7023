"""Questions before a mail is sent, in their order: the first that is answered with no is the refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from vfs.errors import Denied, TooEarly, TooMany, Unmet, VfsError

MOST_SENDINGS, WINDOW = 10, timedelta(minutes=30)
"""Sendings of the same content in a time; other content begins a time of its own."""
TEST = "test"
AGAIN = 5
"""Seconds after which a sending under way may be asked about again."""


@dataclass(frozen=True, slots=True)
class SendState:
    """Everything that decides about a sending; `sendings` are the times of those of the same content."""

    verified: bool
    in_flight: bool
    enabled: bool
    recipients: int
    sendings: Sequence[datetime]


def is_test(word: str) -> bool:
    """Whether a word asks for a test, which goes to the owner alone; any other asks for a sending."""
    return word.strip().lower().startswith(TEST)


def refusal_of(state: SendState, now: datetime, *, test: bool) -> VfsError | None:
    """The reason why a mail is not sent, None if it is.

    Tests look at neither recipients nor the switch nor the rate.
    """
    if not state.verified:
        return Denied("your own address is not verified: verify it before you send mails")
    if state.in_flight:
        said = "this mail is being sent: wait until its status is sent or failed"
        return TooEarly(said, retry_after=AGAIN, retry_after_seconds=AGAIN)
    if test:
        return None
    if wait := _wait(state.sendings, now):
        return too_often(
            f"the same content went out {MOST_SENDINGS} times in 30 minutes: wait, or change it", wait
        )
    if not state.enabled:
        return Denied("this mail is switched off: write yes to config/enabled to send it")
    if not state.recipients:
        return Unmet("this mail has no recipients: write some to recipients/to")
    return None


def too_often(said: str, seconds: int) -> TooMany:
    """The refusal of one sending too many, with the seconds until another may go."""
    return TooMany(said, retry_after=seconds, retry_after_seconds=seconds)


def _wait(sendings: Sequence[datetime], now: datetime) -> int:
    """Seconds until one sending more fits into the time, 0 if it does."""
    recent = sorted(time for time in sendings if time > now - WINDOW)
    if len(recent) < MOST_SENDINGS:
        return 0
    return max(1, ceil((recent[-MOST_SENDINGS] + WINDOW - now).total_seconds()))
