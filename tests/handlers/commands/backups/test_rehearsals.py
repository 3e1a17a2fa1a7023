"""`curlew restore --rehearse` beside a live server, and deploy/compare.py between two servers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from handlers.commands.child_processes import wait_until
from tests.handlers.commands.backups.conftest import Original
from tests.kit.processes import free_port
from tests.kit.server import ROOT

COMPARE = ROOT / "deploy" / "compare.py"


@contextmanager
def rehearsed(backup: Path, data: Path) -> Iterator[str]:
    """A rehearsal of the backup, started in the environment of a live server; its address."""
    address = f"127.0.0.1:{free_port()}"
    words = ("restore", backup, "--data", data, "--rehearse", "--bind", address)
    live = {"CURLEW_KEY_FILE": str(backup), "CURLEW_SLOTS": "9"}
    said = data.with_suffix(".log")
    with said.open("wb") as log, subprocess.Popen(
        [sys.executable, "-m", "handlers", *map(str, words)], cwd=ROOT, env={**os.environ, **live}, stdout=log
    ) as process:  # fmt: skip
        try:
            wait_until(lambda: " ready\n" in said.read_text(), 60, lambda: process.poll() is not None)
            yield f"http://{address}"
        finally:
            process.terminate()
        assert process.wait(30) == 0


def compared(token: str, one: str, other: str) -> list[str]:
    """The addresses that differ, but for figures of runs that wait while they are compared."""
    words = [sys.executable, str(COMPARE), one, other, "/v1/users/alice/"]
    found = subprocess.run(words, env={"TOKEN": token}, capture_output=True, text=True, check=False)
    *lines, last = found.stdout.splitlines()
    assert found.returncode == int(bool(lines)), found.stderr
    assert int(last.split()[0]) > 100
    return [line.split()[0] for line in lines if "/stats" not in line]


def test_rehearsals_of_one_backup_answer_alike_until_one_is_changed(
    original: Original, tmp_path: Path
) -> None:
    token = original.tokens["alice"]
    heads = {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
    with (
        rehearsed(original.backup, tmp_path / "one") as one,
        rehearsed(original.backup, tmp_path / "two") as two,
    ):
        assert compared(token, one, two) == []
        changed = Request(f"{two}/v1/vis/docs/birds/content", b"# Bees", heads, method="POST")
        with urlopen(changed) as answer:
            assert answer.status == 200
        assert "/v1/users/alice/vis/docs/birds/content" in compared(token, one, two)
    assert (tmp_path / "one" / "key").stat().st_mode & 0o777 == 0o600
