"""A bell whose database is away wakes its own process: threads that are told to end wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.database.database import Database
from storage.signals.bells import bell_of
from vfs.errors import Unavailable


def test_a_ring_is_heard_in_its_own_process_while_the_database_is_away(tmp_path: Path) -> None:
    url = f"postgresql://test@/nowhere?host={tmp_path}"
    database = Database(url)
    bell = bell_of(database, url, tmp_path / "bells")
    ticket = bell.ticket("x")
    with pytest.raises(Unavailable):
        bell.ring("x")
    assert bell.wait(ticket, 1.0)
    bell.close()
    database.close()
