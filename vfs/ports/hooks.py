"""The port of hooks: external addresses to which an account's events are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vfs.errors import Conflict
from vfs.ports.mails import DeliveryAnswer, QueuedMessage
from vfs.ports.wake_signal import WakeSignal

MOST_HOOKS = 20
"""The maximum number of hooks of an account."""
MOST_WAITING = 1_000
"""The maximum number of messages that wait for one hook."""
MOST_EVENTS = 10_000
"""The maximum number of events that wait for a runner to pass them to hooks: the newest."""
LOST = "lost"
"""The line before the first event if older events were dropped."""
MOST_CALLS = 100
"""The number of newest messages in the log of a hook."""

NEW, ACTIVE, PAUSED = "new", "active", "paused"
TEST = "test"
"""The event of a test in the log."""
HOOK_FIELDS = frozenset({"events", "format", "sealed", "state", "why"})
"""The fields of a hook that Hooks.change can set."""


@dataclass(frozen=True, slots=True)
class Hook:
    """An address that gets the events of `owner` that match `events`, one pattern per line.

    `sealed` holds its address and secrets, encrypted. `state` is `new` (it has no address yet), `active` or
    `paused`; `why` it was paused.
    """

    id: int
    owner: str
    name: str
    events: str
    format: str
    sealed: str
    state: str
    why: str
    created_on: str
    last_modified: str


@dataclass(frozen=True, slots=True)
class HookAttempt:
    """The last attempt to send a message to a hook.

    `outcome` is `delivered`, `waits` (it is tried again) or `failed`; `answer` is the status or the error.
    """

    called_on: str
    event: str
    message_id: str
    tries: int
    outcome: str
    answer: str
    milliseconds: int


class StoredEvent(NamedTuple):
    """An event that was not yet compared with hooks, and the words for its cause (vfs.cause)."""

    id: int
    line: str
    caused_by: str


class Hooks(WakeSignal, Protocol):
    """The store of hooks, of events that were not yet compared with them, and of waiting messages."""

    def of(self, owner: str) -> Sequence[Hook]:
        """Return the hooks of an account, by name."""

    def find(self, owner: str, name: str) -> Hook | None:
        """Return a hook of an account."""

    def at(self, hook: int) -> Hook | None:
        """Return a hook by its id."""

    def tally(self) -> Mapping[int, int]:
        """Return the number of messages that wait for each hook, without those that have none."""

    def everyone(self) -> Sequence[Hook]:
        """Return all hooks, by owner and name."""

    def add(self, owner: str, name: str, sealed: str) -> Hook:
        """Add a hook without an address. Raises Conflict for a known name, or after MOST_HOOKS."""

    def change(self, hook: int, **fields: str) -> None:
        """Set HOOK_FIELDS, and end the pause after a failure. If it becomes active, its messages are due."""

    def pause(self, hook: int, why: str) -> bool:
        """Pause an active hook. Return False if it was not active."""

    def remove(self, hook: int) -> None:
        """Remove a hook with its log and messages."""

    def note(self, line: str) -> None:
        """Store an event at the end of the current transaction, if there is an active hook then.

        Only the newest MOST_EVENTS are kept, with LOST before them if others were dropped.
        """

    def events(self, most: int) -> Sequence[StoredEvent]:
        """Return the oldest stored events, by id."""

    def drop_events(self, ids: Sequence[int]) -> bool:
        """Remove events; return False, with none removed, if another process removed some of them."""

    def enqueue(self, hook: int, event: str, message_id: str, message: bytes) -> bool:
        """Store a message, due at once; return False if MOST_WAITING wait already, or the hook is gone."""

    def take(self, now: str, until: str, most: int, busy: Sequence[str]) -> Sequence[QueuedMessage]:
        """Return due messages of active hooks, one for each account except those that are `busy`.

        They are due again at `until` unless settled.
        """

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer, rests_until: str = "") -> None:
        """Make a message due again, or delete it.

        The hook gets no other message before `rests_until`, because its receiver did not respond.
        """

    def next_due(self, busy: Sequence[str]) -> str | None:
        """Return the time stamp at which the next message that `take` returns is due."""

    def record(self, hook: int, call: HookAttempt) -> None:
        """Write the last attempt at a message into the log: the newest MOST_CALLS. A hook may be gone."""

    def calls(self, hook: int) -> Sequence[HookAttempt]:
        """Return the log, oldest first."""


def too_many_hooks() -> Conflict:
    """Return the refusal of one more hook."""
    return Conflict(f"you have {MOST_HOOKS} hooks, which is the maximum: remove one first")
