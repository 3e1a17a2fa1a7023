"""Lines of the security log: whole, on one line, without secrets, and few of a flood."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.identity.credentials import fresh
from handlers.security.events import EVENTS, SHARE_GIVEN, SIGN_IN, WatchedPaths
from handlers.security.log_lines import OK, REFUSED, SecurityLine
from handlers.security.reading import (
    Wanted,
    entry_line,
    follow_entries,
    last_entries,
    parse_entry,
    read_entries,
)
from handlers.security.security_log import EACH, LogFile, SecurityLog, log_target, open_log
from handlers.settings.settings import Settings
from handlers.trees import ROOT
from tests.kit.suites.kernel import StillClock
from vfs.access import Verb
from vfs.tree import Tree

WHEN = "2026-11-22T22:00:00.000Z"


def line(**fields: str) -> dict[str, object]:
    return json.loads(SecurityLine("sign-in", **fields).line(WHEN))  # type: ignore[arg-type,no-any-return]


@given(
    st.text(max_size=400),
    st.sampled_from(["target", "client", "account", "address", "request", "why", "actor"]),
)
def test_nothing_that_was_sent_begins_a_line_or_speaks_to_a_terminal(sent: str, field: str) -> None:
    written = SecurityLine("refused", **{field: sent}).line(WHEN)  # type: ignore[arg-type]
    assert written.isascii() and written.count(b"\n") == 1 and written.endswith(b"\n")
    assert not any(byte < 32 or byte == 127 for byte in written[:-1])
    assert len(written) < 4096
    entry = parse_entry(written)
    assert entry is not None
    assert entry_line(entry).isprintable()


@given(
    st.text(max_size=40), st.text(max_size=40), st.sampled_from(["target", "client", "account", "request"])
)
def test_no_credential_comes_through(before: str, after: str, field: str) -> None:
    secret = fresh()
    written = SecurityLine("refused", **{field: f"{before}{secret}{after}"}).line(WHEN)  # type: ignore[arg-type]
    assert secret.encode()[:14] not in written


def test_a_line_has_the_fields_that_are_known() -> None:
    said = SecurityLine("share.given", OK, "alice", "token", target="/v1/x/shared/@bob~r", request="r1")
    assert json.loads(said.line(WHEN)) == {
        "time": WHEN,
        "event": "share.given",
        "outcome": "ok",
        "actor": "alice",
        "via": "token",
        "target": "/v1/x/shared/@bob~r",
        "request_id": "r1",
    }


def test_a_flood_of_refusals_is_few_lines_and_a_number() -> None:
    clock, written = StillClock(), list[bytes]()
    log = SecurityLog(written.append, clock)
    for number in range(EACH + 7):
        log.record(
            SecurityLine("sign-in", REFUSED, account="bob", address="203.0.113.9", request=f"{number}")
        )
    log.record(SecurityLine("sign-in", REFUSED, account="bob", address="203.0.113.10"))
    log.record(SecurityLine("sign-in", actor="bob", address="203.0.113.9"))
    assert len(written) == EACH + 2
    clock.forward(61)
    log.record(SecurityLine("sign-in", REFUSED, address="203.0.113.11"))
    folded, last = (json.loads(one) for one in written[-2:])
    assert (folded["folded"], folded["address"], folded.get("account")) == (7, "203.0.113.9", None)
    assert last["address"] == "203.0.113.11"
    log.close()


def test_many_addresses_are_bounded_together() -> None:
    written = list[bytes]()
    log = SecurityLog(written.append, StillClock())
    for number in range(3000):
        log.record(SecurityLine("refused", REFUSED, address=f"2001:db8::{number:x}"))
    assert len(written) == 1000 + EACH
    log.close()
    assert json.loads(written[-1])["folded"] == 2000 - EACH


def test_the_file_is_created_again_after_it_was_moved(tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    file = LogFile(path)
    file(b"one\n")
    path.rename(tmp_path / "security.log.1")
    file(b"two\n")
    (tmp_path / "security.log").write_bytes(b"")  # copied away and truncated
    file(b"three\n")
    file.close()
    file.close()
    assert path.read_bytes() == b"three\n"
    assert (tmp_path / "security.log.1").read_bytes() == b"one\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_plain_file_is_not_written_to(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    (tmp_path / "link").symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "absent/file"):
        LogFile(tmp_path / name)(b"a line\n")
    assert target.read_text() == "kept"
    assert caplog.text.count("a line of the security log is lost") == 3


def test_lines_of_several_processes_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    program = (
        "import sys; from pathlib import Path; from handlers.security.security_log import LogFile; "
        "file = LogFile(Path(sys.argv[1]));"
        "[file((sys.argv[2] * 700 + '\\n').encode()) for _ in range(300)]; file.close()"
    )
    root = Path(__file__).parents[3]
    words = [sys.executable, "-c", program, str(path)]
    running = [subprocess.Popen([*words, letter], cwd=root) for letter in "abc"]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    lines = path.read_text().splitlines()
    assert sorted({*lines}) == ["a" * 700, "b" * 700, "c" * 700]
    assert len(lines) == 900


def test_the_place_is_a_setting(tmp_path: Path) -> None:
    clock, said = StillClock(), list[bytes]()
    at = Settings(data=str(tmp_path))
    assert log_target(at) == str(tmp_path / "security.log")
    for place, count in (("stderr", 1), ("none", 0), (str(tmp_path / "else"), 0)):
        said.clear()
        log = open_log(Settings(data=str(tmp_path), security_log=place), clock, said.append)
        log.record(SecurityLine("sign-in"))
        log.close()
        assert len(said) == count
    assert (tmp_path / "else").read_bytes().count(b"\n") == 1


def test_what_is_wanted_is_chosen() -> None:
    entry = {"time": WHEN, "event": "share.given", "actor": "alice", "account": "bob"}
    assert Wanted().fits(entry)
    for good in (
        Wanted("alice"),
        Wanted("bob"),
        Wanted(events=("share",)),
        Wanted(events=("sign-in", "share.given")),
        Wanted(since="2026-11-22", until="2026-11-22"),
    ):
        assert good.fits(entry)
    for bad in (
        Wanted("eve"),
        Wanted(events=("shar",)),
        Wanted(since="2026-11-23"),
        Wanted(until="2026-11-21"),
    ):
        assert not bad.fits(entry)


def test_a_log_is_read_past_what_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    path.write_bytes(b'torn {\n\xff\n[]\n{"event": 1}\n{"event": "sign-in", "time": "t"}\n')
    with path.open("rb") as file:
        assert [entry["event"] for entry in read_entries(file)] == ["sign-in"]


def test_a_followed_log_goes_on_in_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    steps = iter(
        [
            lambda: path.write_bytes(b'{"event": "one"}\n{"event": "tw'),
            lambda: path.write_bytes(path.read_bytes() + b'o"}\n'),
            lambda: path.rename(tmp_path / "old"),
            lambda: path.write_bytes(b'{"event": "three"}\n'),
            lambda: None,
        ]
    )
    assert list(follow_entries(path, lambda: True)) == []

    def over() -> bool:
        step = next(steps, None)
        if step is not None:
            step()
        return step is None

    assert [entry["event"] for entry in follow_entries(path, over)] == ["one", "two", "three"]


def test_every_watched_place_is_there() -> None:
    templates = [route.template for route in Tree(ROOT).routes()]
    for event in EVENTS:
        alone = WatchedPaths(templates)
        for pattern in event.places:
            assert any(_fits(template, pattern) for template in templates), pattern
        assert event.about and alone
    places = WatchedPaths(templates)
    assert places.event(Verb.WRITE, ("v1", "auth")) is SIGN_IN
    for path in (
        "v1/users/alice/vis/docs/report/shared/@bob~r",
        "v1/vis/docs/report/shared/@bob~r",
        "v1/code/jobs/nightly/shared/public~r",
    ):
        assert places.event(Verb.CREATE, tuple(path.split("/"))) is SHARE_GIVEN
    assert places.event(Verb.CREATE, ("v1", "code", "spaces", "s", "content", "a", "shared", "b")) is None
    assert places.event(Verb.READ, ("v1", "auth")) is None
    assert places.event(Verb.WRITE, ("v1",)) is None


def _fits(template: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(template, pattern)


def test_a_window_ends_by_the_clock_alone() -> None:
    clock, written = StillClock(), list[bytes]()
    log = SecurityLog(written.append, clock)
    log.record(SecurityLine("refused", REFUSED))
    clock.forward(-timedelta(hours=1).total_seconds())
    log.record(SecurityLine("refused", REFUSED))
    assert len(written) == 2


def test_the_newest_entries_come_from_the_end_of_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    assert last_entries(path, 5, lambda entry: True) == []
    path.write_text("".join(f'{{"event": "e{number}"}}\n' for number in range(10)) + "torn")

    def events(most: int, largest: int = 1_000) -> list[object]:
        return [one["event"] for one in last_entries(path, most, lambda one: one["event"] != "e8", largest)]

    assert events(3) == ["e9", "e7", "e6"]
    assert events(9, len('{"event": "e9"}\ntorn') + 20) == ["e9"]
    os.mkfifo(tmp_path / "pipe")
    assert last_entries(tmp_path / "pipe", 5, lambda entry: True) == []
