"""WakingStore: a store whose writes wake the thread that waits for something to do."""

from __future__ import annotations

from typing import ClassVar

from storage.database.database import Database
from storage.database.store import DatedStore
from storage.signals.change_signal import ChangeSignal
from vfs.ports.clock import Clock


class WakingStore(DatedStore):
    """vfs.ports.wake_signal.WakeSignal for a store, by the changes of its topic."""

    topic: ClassVar[str]

    def __init__(self, database: Database, change_signal: ChangeSignal, clock: Clock) -> None:
        super().__init__(database, clock)
        self._change_signal = change_signal

    def wake(self, seen: int, seconds: float | None) -> int:
        return self._change_signal.waiting(self.topic, seen, seconds, self._database.idle)

    def signal(self) -> None:
        self._change_signal.signal(self.topic)
