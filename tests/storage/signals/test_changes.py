"""Changes of items wake anyone who looks at them, after the commit, and nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable

from storage.database.database import Database
from storage.signals.change_signal import ChangeSignal
from storage.signals.waking_store import ANY, SignalledChanges
from storage.tree.items import StoredItems
from storage.tree.shortnames import Shortnames
from tests.kit.suites.kernel import StillClock
from tests.kit.world import CommitSignal
from vfs.ports.items import Item

PLOT = Item(7, "plot", "ann", "sales", "abcde", "", "")
OTHER = Item(8, "plot", "ann", "rain", "fghij", "", "")
JOB = Item(9, "job", "ann", "nightly", "klmno", "", "")
KINDS = frozenset({"plot", "grid"})


def changes_of(change_signal: ChangeSignal, entered: Callable[[], object] = lambda: None) -> SignalledChanges:
    def idle() -> threading.Lock:
        entered()
        return threading.Lock()

    return SignalledChanges(change_signal, idle, KINDS)


def test_who_waits_for_an_item_wakes_when_it_changes() -> None:
    changes = changes_of(ChangeSignal())
    seen = changes.wait(PLOT, 0, 60)
    changes.note(PLOT)
    later = changes.wait(PLOT, seen, 60)
    assert later != seen
    assert changes.wait(PLOT, later, 0) == later


def test_who_waits_for_any_wakes_when_one_changes() -> None:
    changes = changes_of(ChangeSignal())
    seen = changes.wait(None, 0, 60)
    changes.note(OTHER)
    assert changes.wait(None, seen, 60) != seen


def two_apart(change_signal: ChangeSignal) -> tuple[Item, Item]:
    """Two plots that have slots of the change signal for themselves: others may wake each other."""
    of_any = change_signal.ticket(ANY).slot
    slots = {change_signal.ticket(f"item {number}").slot: number for number in range(7, 99)}
    one, other = [number for slot, number in slots.items() if slot != of_any][:2]
    return PLOT._replace(id=one), PLOT._replace(id=other)


def test_other_items_and_kinds_wake_nobody() -> None:
    changes = changes_of(ChangeSignal())
    plot, other = two_apart(changes.change_signal)
    one, any_of_them = changes.wait(plot, 0, 60), changes.wait(None, 0, 60)
    changes.note(JOB)
    assert changes.wait(None, any_of_them, 0) == any_of_them
    changes.note(other)
    assert changes.wait(plot, one, 0) == one


def test_a_change_is_reported_once_it_is_committed(database: Database) -> None:
    change_signal = CommitSignal(database)
    changes = changes_of(change_signal)
    items = StoredItems(database, StillClock(), Shortnames(database), changes.note)
    plot = items.create("plot", "ann", "sales")
    seen = changes.wait(plot, 0, 60)
    with database.atomic():
        items.touch(plot)
        assert changes.wait(plot, seen, 0) == seen
    assert changes.wait(plot, seen, 60) != seen


def test_nothing_is_held_while_one_waits() -> None:
    entered: list[str] = []
    changes = changes_of(ChangeSignal(), lambda: entered.append("idle"))
    changes.wait(PLOT, changes.wait(PLOT, 0, 60), 0)
    assert entered == ["idle"]
