"""The ports of runs over one database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chains.runs.ports import Runs
from chains.runs.records import RunEnd, RunTurn, ignore_end, ignore_turn
from storage.database.database import Database
from storage.runs.hold_spaces import StoredHoldSpaces
from storage.runs.leases import StoredLeases
from storage.runs.queue import StoredRunQueue
from storage.runs.reader import StoredRunReader
from storage.runs.retention import StoredRunRetention
from storage.runs.states import StoredRunStates
from storage.runs.waits import StoredRunWaits
from storage.signals.bell import Bell
from vfs.ports.clock import Clock


def stored_runs(
    database: Database,
    bell: Bell,
    clock: Clock,
    fresh: Callable[[int], Sequence[str]],
    revoke: Callable[[int], object],
    ended: Callable[[RunEnd], object] = ignore_end,
    turned: Callable[[RunTurn], object] = ignore_turn,
) -> Runs:
    """The ports of runs, as StoredRunQueue and StoredRunStates are given their callables."""
    reader = StoredRunReader(database)
    states = StoredRunStates(database, bell, clock, revoke, ended, turned)
    return Runs(
        queue=StoredRunQueue(database, bell, clock, fresh, turned),
        states=states,
        reader=reader,
        waits=StoredRunWaits(database, bell, reader),
        leases=StoredLeases(database, bell, clock),
        retention=StoredRunRetention(database, clock, states),
        hold_spaces=StoredHoldSpaces(database),
    )
