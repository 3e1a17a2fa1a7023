"""The day that decides what `make test` runs of what is dear: that of the last commit."""

from __future__ import annotations

import os
import subprocess
from datetime import date
from functools import cache

from tests.shares import ROOT


@cache
def number_of_today() -> int:
    """The number of the day of the last commit, in UTC; 0 without git, or without a repository."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--date=format-local:%F", "--format=%cd"]
    try:
        found = subprocess.run(
            command, env=os.environ | {"TZ": "UTC"}, text=True, capture_output=True, check=False
        )
    except OSError:
        return 0
    day = found.stdout.strip()
    return date.fromisoformat(day).toordinal() if day else 0
