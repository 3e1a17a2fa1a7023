"""Hosts whose clock differs from that of PostgreSQL get the difference."""

from __future__ import annotations

import pytest

from storage.database.database import Database
from storage.upkeep.clocks import lead, require_clock
from tests.kit.clocks import AheadClock
from vfs.errors import Unavailable

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("seconds, said", [(120, "ahead of"), (-120, "behind")])
def test_a_clock_that_is_two_minutes_off_is_reported(database: Database, seconds: int, said: str) -> None:
    clock = AheadClock()
    assert lead(database, clock) == 0
    require_clock(database, "db", clock)
    clock.forward(seconds=seconds)
    with pytest.raises(Unavailable, match="the clock of this host is 1") as refusal:
        require_clock(database, "db", clock)
    assert said in refusal.value.detail
    assert "set by NTP" in refusal.value.detail
