"""Files of counts: their room is taken first, those of the dead are gone on with, nothing counts unasked."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handlers.metrics.count_files import SIZES, VARIABLE, begin_counts, take_room
from handlers.metrics.request_counters import RequestCounters
from handlers.server.refusals import TURNED_AWAY
from tests.kit.processes import fork

OFF = """
import sys
import handlers.__main__
import handlers.processes.web
sys.exit("prometheus_client" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, "elsewhere")
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "counter_1.db").write_bytes(b"of an earlier start")
    return begin_counts(tmp_path)


@contextmanager
def full() -> Iterator[None]:
    """Room for files of 1000 bytes at most."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def sizes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_blocks * 512 for file in folder.iterdir()}


def test_the_room_is_taken_at_once_and_the_files_of_the_dead_with_it(folder: Path) -> None:
    assert (sizes(folder), os.environ[VARIABLE]) == ({}, str(folder))
    assert fork(lambda: take_room(folder)) == 0
    assert sorted(sizes(folder).values()) == sorted(SIZES.values())
    assert take_room(folder)
    assert set(sizes(folder)) == {f"{kind}_{os.getpid()}.db" for kind in SIZES}
    assert fork(lambda: take_room(folder)) == 0
    assert len(sizes(folder)) == 2 * len(SIZES)


def test_without_room_nothing_is_counted(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    counters = RequestCounters(folder, lambda path: pytest.fail("a request was counted"), TURNED_AWAY)
    with full():
        counters.begin()
    counters.count_request("GET", "/v1", 200, 0.1)
    assert "requests are not counted by this process, for want of room" in caplog.text


def test_a_process_that_counts_nothing_does_not_import_what_counts() -> None:
    assert subprocess.run([sys.executable, "-c", OFF], check=False).returncode == 0
