"""Whoever opens the data folder closes it to others, and leaves the way that Podman opens for steps."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from handlers.processes.world import open_world
from handlers.settings.sources import load


@pytest.mark.parametrize("before, after", [(None, 0o700), (0o755, 0o711), (0o770, 0o710), (0o711, 0o711)])
def test_others_may_pass_through_and_nothing_more(tmp_path: Path, before: int | None, after: int) -> None:
    folder = tmp_path / "data"
    if before is not None:
        folder.mkdir()
        folder.chmod(before)
    with open_world(load({}, data=str(folder))):
        assert stat.S_IMODE(folder.stat().st_mode) == after
