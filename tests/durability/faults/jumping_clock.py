"""A program: the web server, or another command, on a clock that a file beside its data sets ahead."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from handlers.__main__ import main
from storage.upkeep.clocks import WallClock

AHEAD = Path(os.environ["CURLEW_DATA"]).with_name("ahead")


class JumpingClock(WallClock):
    """The time of this machine, and what it was set ahead by."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(AHEAD.read_text()))


if __name__ == "__main__":
    WallClock.now = JumpingClock.now  # type: ignore[method-assign]
    main(sys.argv[1:] or ["web"])
