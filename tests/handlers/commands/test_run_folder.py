"""`curlew run DIR`: a folder is built and run once, and nothing of it stays on the server."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.server import Server, environment, serving

ECHO = "FROM scratch\nENV COPY=in\nENV ECHO=hello\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("run") / "data") as server:
        server.add("alice")
        yield server
        assert items(server) == []
        names = [row["token_name"] for row in server.ask("GET", "admin/tokens", who="alice")]
        assert [name for name in names if name.startswith("run-")] == []


def items(server: Server) -> list[str]:
    """Return the jobs and repositories of alice."""
    kinds = ("code/repos", "code/jobs")
    return [row["name"] for kind in kinds for row in server.ask("GET", kind, who="alice")]


def begin(server: Server, folder: Path, *words: str, token: str | None = None) -> subprocess.Popen[str]:
    """Start the command on a folder."""
    # A run of tests in the background ignores SIGINT, and so would all that it starts.
    program = ["env", "--default-signal=INT", sys.executable, "-P", "-m", "handlers"]
    command = [*program, "run", str(folder), "--server", server.origin, *words]
    environ = environment(HOME=str(folder.parent), CURLEW_TOKEN=token or server.tokens["alice"])
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(server: Server, folder: Path, *words: str, token: str | None = None) -> tuple[int, str, str]:
    """Return the exit code and the output of the command."""
    process = begin(server, folder, *words, token=token)
    printed, said = process.communicate(timeout=100)
    return process.returncode, printed, said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    (made / "Containerfile").write_text(ECHO)
    return made


def test_it_prints_both_logs_and_lists_or_writes_what_is_left(server: Server, folder: Path) -> None:
    (folder.parent / "a.csv").write_text("a,1\n")
    (folder.parent / "b.csv").write_text("b,2\n")
    inputs = ("--input", str(folder.parent / "a.csv"), "--input", str(folder.parent / "b.csv"))
    code, printed, said = run(server, folder, *inputs)
    assert code == 0, said
    assert "remote: ready @alice/try_" in said
    assert ": hello\n" in printed and "ended with exit code 0" in printed
    assert printed.endswith("left a.csv (7 bytes)\nleft b.csv (7 bytes)\n")
    target = folder.parent / "out"
    code, printed, _ = run(server, folder, *inputs, "--output", str(target))
    assert code == 0 and "wrote a.csv (7 bytes)\n" in printed
    assert (target / "b.csv").read_text() == "b,2\nin\n"
    code, printed, _ = run(server, folder, *inputs[:2], "--output", str(target / "one"))
    assert code == 0 and [path.name for path in (target / "one").iterdir()] == ["a.csv"]
    assert [path.name for path in folder.iterdir()] == ["Containerfile"] and items(server) == []


def test_the_exit_code_is_that_of_the_program(server: Server, folder: Path) -> None:
    (folder / "Containerfile").write_text("FROM scratch\nENV EXIT=7\n")
    code, printed, _ = run(server, folder)
    assert code == 7 and "ended with exit code 7" in printed


def test_what_git_leaves_out_is_left_out_and_its_own_repository_is_not_touched(
    server: Server, folder: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (folder / ".git" / "hooks" / "pre-commit").chmod(0o755)
    before = sorted(str(path) for path in folder.rglob("*"))
    assert run(server, folder)[0] == 0
    assert sorted(str(path) for path in folder.rglob("*")) == before
    (folder / ".gitignore").write_text("*\n")
    code, printed, said = run(server, folder)
    assert (code, printed) == (1, "") and "there is nothing to run in" in said and ".gitignore" in said


@pytest.mark.parametrize(
    ("words", "token", "code", "says"),
    [
        (("--input", "/nowhere.csv"), None, 2, "'/nowhere.csv' does not exist"),
        ((), "clw_wrong", 1, "token"),
        (("--server", "http://127.0.0.1:9"), None, 1, "no answer from http://127.0.0.1:9: start it with"),
        (("--server", "nonsense"), None, 1, "no answer from nonsense"),
        (("--as", "nobody"), None, 1, "there is no user nobody"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(
    server: Server, folder: Path, words: tuple[str, ...], token: str | None, code: int, says: str
) -> None:
    more = ("--data", str(server.folder)) if "--as" in words else ()
    found, printed, said = run(server, folder, *words, *more, token=token)
    assert (found, printed) == (code, "") and says in said, said


def test_a_folder_that_cannot_be_built_does_not_run(server: Server, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notes.txt").write_text("no program")
    code, printed, said = run(server, tmp_path / "texts")
    assert (code, printed) == (1, "")
    assert "remote: failed: " in said and "it was not built, so it does not run" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(server: Server, folder: Path, number: signal.Signals) -> None:
    (folder / "Containerfile").write_text("FROM scratch\nENV ECHO=begun\nENV SLEEP=60\n")
    process = begin(server, folder, "--as", "alice", "--data", str(server.folder))
    assert process.stdout is not None
    while not process.stdout.readline().endswith(": begun\n"):
        assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    said = process.communicate(timeout=50)[1]
    assert process.returncode != 0 and time.monotonic() - began < 50
    assert number != signal.SIGINT or "curlew: it was interrupted: nothing of it runs any more" in said
    assert items(server) == []
