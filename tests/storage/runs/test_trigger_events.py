"""What is written to a space is kept as few ranges of changes, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from chains.language.trigger_lines import TriggerKind
from storage.runs.trigger_events import MOST_WAITING, StoredTriggerEvents
from tests.kit.world import StoredWorld
from vfs.ports.people import Account

NAMED = """
INSERT INTO item_reference (item, rel, letter, owner, name)
VALUES (:job, 'config/triggers', 's', 'alice', :name)"""


def events_of(stored: StoredWorld) -> tuple[StoredTriggerEvents, int, list[int]]:
    """The stored events, a job, and two spaces that it names."""
    stored.users.add("alice", "-", Account.REGULAR, None, public=False)
    job, spaces = stored.items.create("job", "alice", "read").id, list[int]()
    stored.leaves.put(job, "config/triggers", "changed /s/orders\nchanged /s/returns", None)
    for name in ("orders", "returns"):
        spaces.append(stored.items.create("space", "alice", name).id)
        stored.database.run(NAMED, job=job, name=name)
    return StoredTriggerEvents(stored.database, stored.change_signal, stored.clock), job, spaces


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (["1-1", "2-2", "3-9", "10-10"], "1-10"),
        (["1-3", "11-12", "13-13"], "1-3,11-13"),
        (["9-9", "19-19", "20-20", "1-1"], "9-9,19-20,1-1"),
    ],
)
def test_changes_that_follow_each_other_are_one_range(
    stored: StoredWorld, written: list[str], kept: str
) -> None:
    events, _, (space, _) = events_of(stored)
    for journal in written:
        events.add(TriggerKind.CHANGED, space, "one request", journal)
    (event,) = events.take("9999", "9999", 9)
    assert (event.subject, event.journal) == (space, kept)


def test_what_waits_is_bounded_by_an_event_of_each_space(stored: StoredWorld) -> None:
    events, job, spaces = events_of(stored)
    for number in range(MOST_WAITING // 2 + 3):
        for space in spaces:
            events.add(TriggerKind.CHANGED, space, f"request {number}", f"{number + 1}-{number + 1}")
    assert events.waiting(job) == MOST_WAITING + 2
    last = {event.subject: event.journal for event in events.take("9999", "9999", 2 * MOST_WAITING)}
    assert last == dict.fromkeys(spaces, f"{MOST_WAITING // 2 + 1}-{MOST_WAITING // 2 + 3}")
