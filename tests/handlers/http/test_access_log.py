"""The access log: one line for each request, without secrets, without delaying requests."""

from __future__ import annotations

import errno
import json
import os
import pty
from pathlib import Path

from handlers.http import kernel as neighbours
from handlers.http.access_log import (
    AccessLog,
    duration,
    form_for,
    into,
    json_line,
    readable_line,
)
from handlers.http.wsgi import App
from tests.handlers.small_kernel import Anyone, Kernel, Lines, edge
from tests.kit.client import call
from vfs.access import Caller
from vfs.call import Reply
from vfs.errors import Denied


def test_every_request_is_one_line(kernel: Kernel, lines: Lines) -> None:
    app = edge(kernel, lines, identify=Anyone(Caller("bob")))
    call(app, "GET", "/v1/x?token=secret", [("User-Agent", "curl/7.88"), ("Authorization", "Bearer secret")])
    (line,) = lines.written
    assert line.pop("ms") >= 0
    assert len(line.pop("request_id")) == 32
    assert line == {
        "time": "2026-11-21T07:44:16.123Z",
        "level": "info",
        "user": "bob",
        "method": "GET",
        "path": "/v1/x",
        "status": 200,
        "bytes": len("as it was"),
        "address": "127.0.0.1",
        "client": "curl/7.88",
    }


def test_a_line_says_why_a_request_was_refused(kernel: Kernel, lines: Lines) -> None:
    def deny(_: object) -> Reply:
        raise Denied("only the owner shares it " + "x" * 500)

    kernel.answer = deny
    problem = json.loads(call(edge(kernel, lines), "GET", "/v1/x").body)
    (line,) = lines.written
    assert line["request_id"] == problem["request_id"]
    assert line["why"] == f"denied: {problem['detail']}"[:300]
    assert b"(denied: only the owner" in readable_line(line)


def test_a_log_that_cannot_be_written_stops_nothing(kernel: Kernel) -> None:
    def full(line: bytes) -> None:
        raise OSError(errno.ENOSPC, "no space")

    assert (
        call(App(neighbours.Kernel(kernel), kernel.world, Anyone(), AccessLog(full)), "GET", "/v1/x").status
        == 200
    )


def test_a_line_goes_into_a_file_at_once(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as file:
        AccessLog(into(file.fileno())).line(
            request="abc", method="GET", path="/", status=200, seconds=0.0015, size=None
        )
        line = json.loads((tmp_path / "log").read_text())
    assert (line["request_id"], line["ms"], line["bytes"]) == ("abc", 1.5, None)


def test_a_person_at_a_terminal_reads_lines(tmp_path: Path) -> None:
    leader, terminal = pty.openpty()
    try:
        assert form_for(terminal) is readable_line
    finally:
        os.close(leader)
        os.close(terminal)
    with (tmp_path / "log").open("wb") as file:
        assert form_for(file.fileno()) is json_line


def test_times_are_said_as_people_read_them() -> None:
    assert [duration(ms) for ms in (0.43, 52.6, 8453.95)] == ["0.4 ms", "53 ms", "8.5 s"]


def test_nothing_of_a_request_steers_the_terminal() -> None:
    written: list[bytes] = []
    log = AccessLog(written.append, form=readable_line)
    path = "/v1/\x1b[2Jx\nforged"
    log.line(request="a", method="GET", path=path, status=200, seconds=0.0032, size=41, user="alice")
    log.line(request="b", method="DELETE", path="/", status=404, seconds=0, size=None, address="192.0.2.7")
    first, second = (line.decode() for line in written)
    assert first.endswith("  200  GET      /v1/\ufffd[2Jx\ufffdforged   3.2 ms  41B  @alice\n")
    assert second.endswith("Z  404  DELETE   /   0.0 ms  192.0.2.7\n")
    assert first.count("\n") == second.count("\n") == 1
