"""`curlew top`: one snapshot without a terminal, and a screen that is drawn again in a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handlers.commands.running.top import ALTERNATE, BACK, END_SCREEN, time_text
from tests.handlers.commands.backups.scene import populate, settings_of
from tests.kit.commands import done
from tests.kit.server import environment
from tests.kit.service import open_service

DRAWN = 2


def test_a_snapshot_shows_present_work(tmp_path: Path) -> None:
    with open_service(settings_of(tmp_path, None)) as app:
        populate(app)
        shown = done("top", "--data", tmp_path).stdout
        lines = shown.splitlines()
        assert lines[0].startswith("curlew ")
        assert f"in {tmp_path}" in lines[0]
        assert lines[0].endswith("works, with concerns")
        assert "  render: warn, the rendering service does not answer" in shown
        assert "requests  are not counted: the setting metrics has them counted" in shown
        assert "runs      1 waiting" in shown
        assert "builds    none" in shown
        assert " free of " in shown
        (row,) = [line for line in lines if line.startswith("@alice/letter/")]
        assert row.split()[1] == "waiting"
        assert row.split()[-2:] == ["alice", "api"]
        assert "\x1b" not in shown


def test_a_terminal_is_drawn_again_until_an_interrupt(tmp_path: Path) -> None:
    done("migrate", "--data", tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-m", "handlers", "top", "--data", str(tmp_path), "--every", "0.5"]
    with subprocess.Popen(
        command, stdout=theirs, env=environment(TERM="xterm", COLUMNS="60", LINES="9")
    ) as one:
        os.close(theirs)
        text, until = "", time.monotonic() + 60
        while text.count(END_SCREEN) < DRAWN and time.monotonic() < until:
            text += os.read(ours, 4096).decode()
        one.send_signal(signal.SIGINT)
        while BACK not in text:
            text += os.read(ours, 4096).decode()
        assert one.wait(60) == 0
    os.close(ours)
    assert text.startswith(ALTERNATE)
    assert "no runner works" in text
    assert "no process" not in text  # it has no room
    assert max(map(len, text.split(END_SCREEN)[1].replace("\x1b[K", "").splitlines())) <= 60 + len("\x1b[H")


@pytest.mark.parametrize(
    "seconds, text", [(0.4, "0s"), (7, "7s"), (200, "3m 20s"), (18_720, "5h 12m"), (1_047_600, "12d 3h")]
)
def test_a_time_has_two_units(seconds: float, text: str) -> None:
    assert time_text(seconds) == text
