"""What waits for hooks is bounded while nothing hands it out or sends it, on SQLite and on PostgreSQL."""

from __future__ import annotations

from storage.people.hooks import StoredHooks
from tests.kit.world import StoredWorld
from vfs.ports.hooks import ACTIVE, LOST, MOST_EVENTS
from vfs.ports.people import Account


def hooks_of(stored: StoredWorld) -> tuple[StoredHooks, int]:
    """The stored hooks, with an active one; its id."""
    stored.users.add("alice", "-", Account.REGULAR, None, public=False)
    hooks = StoredHooks(stored.database, stored.change_signal, stored.clock)
    hook = hooks.add("alice", "chat", "sealed").id
    hooks.change(hook, state=ACTIVE)
    return hooks, hook


def test_the_newest_events_wait_for_a_runner(stored: StoredWorld) -> None:
    hooks, _ = hooks_of(stored)
    with stored.database.atomic():
        for number in range(MOST_EVENTS + 3):
            hooks.note(f"{number}")
    hooks.note("last")
    waiting = [event.line for event in hooks.events(2 * MOST_EVENTS)]
    assert waiting == [LOST, *(f"{number}" for number in range(4, MOST_EVENTS + 3)), "last"]
