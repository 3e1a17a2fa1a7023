"""The lines of one request are found in the logs of all processes, each with its traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from handlers.rendering.port import RenderFailed, RenderOrder
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.security.reading import ServiceLine, _journal_line, lines_of
from tests.kit.clocks import until
from tests.kit.server import Server, environment, serving
from vfs.cause import caused_by

ID = "feed0123456789abcdef0123456789ab"
RUN = "20261130-025514-feed0123"


def log(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-P", "-m", "handlers", "log", *words, "--data", str(folder)]
    return subprocess.run(whole, env=environment(), text=True, capture_output=True, check=False)


def begin_run(server: Server) -> None:
    """Start a run, which fails for want of an image, by a request with an id of ours."""
    server.add("dunlin")
    server.ask("PUT", "code/jobs/siskin", who="dunlin")
    server.ask("POST", "code/jobs/siskin/config/chains", b"!redwing", who="dunlin")
    request = Request(f"{server.root}code/jobs/siskin/data", b"{}", method="POST")
    request.add_header("Authorization", f"Bearer {server.tokens['dunlin']}")
    request.add_header("Content-Type", "application/json")
    request.add_header("X-Request-ID", ID)
    with pytest.raises(HTTPError) as refusal:
        urlopen(request)
    with refusal.value:
        assert (refusal.value.code, refusal.value.headers["X-Request-ID"]) == (422, ID)


def test_lines_of_web_runner_and_renderer_are_found(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, said = tmp_path / "data", ""

    def more() -> str:
        nonlocal said
        said += capfd.readouterr().err
        return said

    with serving(folder, forked=False) as server:
        begin_run(server)
        with caused_by(f"request {ID}"), pytest.raises(RenderFailed):
            RemoteRenderer(folder / SOCKET).render(RenderOrder("plot", "gif", {}))
        until(more, lambda text: "curlew.done" in text)
    (tmp_path / "lines").write_text(more())
    found = log(folder, "--request", ID, "--file", str(tmp_path / "lines"))
    done, broken, web = sorted(found.stdout.splitlines())
    assert json.loads(web)["request_id"] == ID
    assert broken.startswith("a render broke")
    assert broken.endswith(f"[request {ID}]")
    assert "siskin by dunlin (api): failed [run 2" in done
    none = log(folder, "--request", "0" * 32, "--file", str(tmp_path / "lines"))
    assert (none.returncode, "no line names this request" in none.stderr) == (1, True)


def test_a_traceback_goes_with_its_line_and_other_processes_between() -> None:
    texts = [
        ("web[1]", f"ERROR curlew request {ID} failed"),
        ("runner[2]", "WARNING another line"),
        ("web[1]", "  Traceback"),
        ("runner[2]", f"ERROR the work on run 3 failed unexpectedly [run {RUN}]"),
        ("runner[2]", "  Traceback"),
        ("web[1]", f"WARNING of request {ID}0 and run 1{RUN}"),
        ("web[1]", "  Traceback of another"),
    ]
    lines = [ServiceLine("", process, text) for process, text in texts]
    assert [*lines_of(ID, lines)] == [lines[number] for number in (0, 2, 3, 4)]


def test_an_entry_of_the_journal_is_a_line() -> None:
    entry = {"__REALTIME_TIMESTAMP": "1796000000123456", "_SYSTEMD_UNIT": "curlew-web.service", "_PID": "7"}
    line = _journal_line({**entry, "MESSAGE": "a line"})
    assert str(line) == "2026-11-30T00:53:20.123Z curlew-web[7] a line"
    assert _journal_line({**entry, "MESSAGE": [195, 40]}).text == "\ufffd("
