"""Long commands that are interrupted or killed at some moment do no harm: begun again, they go through."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.handlers.commands.backups.conftest import Original
from tests.handlers.commands.backups.scene import settings_of, walk, web
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.schema import older
from tests.kit.unmeasured import environment

PROGRAM = Path(__file__).with_name("interrupting.py")
MOMENTS = 1
# Words for the place of each command's data, and for a new place beside it.
DATA, NEW, BACKUP = "{data}", "{new}", "{backup}"
COMMANDS: dict[str, Sequence[str]] = {
    "backup": ("backup", NEW, "--data", DATA),
    "restore": ("restore", BACKUP, "--data", NEW),
    "export": ("export", "alice", NEW, "--data", DATA),
    "user remove": ("user", "remove", "bobby", "--yes", "--with-groups", "--data", DATA),
    "key rotate": ("key", "rotate", "--data", DATA),
    "quota recount": ("quota", "recount", "--data", DATA),
    "repo rebuild": ("repo", "rebuild", "--all", "--data", DATA),
    "migrate": ("migrate", "--copy", "--data", DATA),
}
ALL_OR_NOTHING = {"backup", "export"}
"""Commands that make a new file or folder, either whole or not at all."""


class Place:
    """A separate place for a command: its data, and the folder of its output."""

    def __init__(self, name: str, folder: Path, original: Original) -> None:
        self.data, self.new = folder / "data", folder / "new"
        shutil.copytree(original.folder, self.data)
        if name == "migrate":
            with closing(sqlite3.connect(self.data / "curlew.db")) as run_store, run_store:
                for statement in older("sqlite"):
                    run_store.execute(statement)
                run_store.execute("DROP TABLE setup_key")
        places = {"data": self.data, "new": self.new, "backup": original.backup}
        self._words = [word.format(**places) for word in COMMANDS[name]]

    def run(self, moment: int = 0, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Return the exit code and the output of the command, which gets a signal at a moment."""
        words = [sys.executable, "-P", str(PROGRAM), str(moment), str(int(number)), *self._words]
        known = {name: word for name, word in environment().items() if not name.startswith("CURLEW_")}
        done = subprocess.run(words, env=known, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def check(self) -> None:
        """Fail where the database is damaged."""
        with closing(sqlite3.connect(self.data / "curlew.db")) as run_store:
            assert run_store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert run_store.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.repeats
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupted_command_can_be_started_again(
    name: str, original: Original, tmp_path: Path, record_property: Counted
) -> None:
    make: Callable[[str], Place] = lambda part: Place(name, _made(tmp_path / part), original)  # noqa: E731
    code, said = make("whole").run()
    assert code == 0, said
    calls, dice = int(said.splitlines()[-1]), random.Random(f"{seed()} {name}")
    for number in (signal.SIGTERM, signal.SIGKILL):
        for turn in range(points(MOMENTS)):
            place = make(f"{number.name}-{turn}")
            code, said = place.run(dice.randint(1, calls), number)
            assert "Traceback" not in said, said
            place.check()
            if name in ALL_OR_NOTHING and code:
                assert not place.new.exists()
            if number is signal.SIGTERM and code:
                assert {path.name for path in place.data.parent.iterdir()} <= {"data"}
            code, again = place.run()
            assert code == 0 or (name in ALL_OR_NOTHING and place.new.exists()), (said, again)
            place.check()
    record_property(f"interruptions of {name}", 2 * points(MOMENTS))


@pytest.mark.repeats
def test_a_key_that_was_half_made_known_opens_all(original: Original, tmp_path: Path) -> None:
    place = Place("key rotate", _made(tmp_path / "one"), original)
    calls = int(place.run()[1].splitlines()[-1])
    dice = random.Random(seed())
    for _ in range(points(3)):
        place.run(dice.randint(calls // 2, calls), signal.SIGKILL)
    code, said = place.run()
    assert (code, "no key of the file opens" in said) == (0, False)
    with web(settings_of(place.data, None)) as app:
        answers = walk(app, original.tokens)
    assert answers == original.answers


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
