"""A change signal whose database is away wakes its process: stopping threads wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.database.database import Database
from storage.signals.change_signals import change_signal_of
from vfs.errors import Unavailable


def test_a_signal_is_received_in_the_same_process_while_the_database_is_away(tmp_path: Path) -> None:
    url = f"postgresql://test@/nowhere?host={tmp_path}"
    database = Database(url)
    change_signal = change_signal_of(database, url, tmp_path / "signals")
    ticket = change_signal.ticket("x")
    with pytest.raises(Unavailable):
        change_signal.signal("x")
    assert change_signal.wait(ticket, 1.0)
    change_signal.close()
    database.close()
