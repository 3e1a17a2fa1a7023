"""git itself clones, fetches and pushes over HTTP, against gunicorn."""

from __future__ import annotations

import base64
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from storage.git.repositories import GitRepositories
from tests.handlers.git_server import ROOT, hosted
from tests.kit.git import Work

UPPER, COUNT = 1, 2
BIG = 30 << 20
DOCKERFILE = {"Dockerfile": "FROM base\nENV GREETING=hello\n"}


@dataclass
class Server:
    """gunicorn over a folder."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def repositories(self) -> GitRepositories:
        """What it keeps."""
        return hosted(self.folder)

    def url(self, name: str = "alice/upper", who: str = "alice:secret@") -> str:
        """Where a repo is cloned from."""
        return f"http://{who}127.0.0.1:{self.port}/git/{name}.git"

    def peak(self) -> int:
        """The most memory that any of its processes ever had, in bytes."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        status = [Path(f"/proc/{pid}/status").read_text() for pid in children]
        lines = [line for text in status for line in text.splitlines() if line.startswith("VmHWM")]
        return max(int(line.split()[1]) << 10 for line in lines)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "data"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        command = [sys.executable, "-m", "gunicorn", "--worker-class=gthread", "--threads=16"]
        command += ["--no-control-socket", "--log-level=warning", "--graceful-timeout=2"]
        command += [f"--bind=fd://{listener.fileno()}"]
        process = subprocess.Popen(
            [*command, "tests.handlers.git_server:application()"],
            cwd=ROOT,
            env={**os.environ, "CURLEW_TEST_FOLDER": str(folder), "CURLEW_LEAKED": "server"},
            pass_fds=[listener.fileno()],
        )
        yield Server(folder, listener.getsockname()[1], process)
        process.terminate()
        process.wait()


@pytest.fixture
def work(tmp_path: Path, server: Server) -> Work:
    return Work(tmp_path / "work")


def ask(work: Work, *words: str) -> tuple[int, str]:
    """Run git; its exit code, and all it says."""
    done = work.run(*words)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def remote(said: str) -> list[str]:
    """The lines that came from the server, without the blanks that git fills them up with."""
    return [
        line.removeprefix("remote: ").rstrip()
        for line in re.split(r"[\r\n]", said)
        if line.startswith("remote: ")
    ]


def test_a_push_is_built_and_cloned(server: Server, work: Work) -> None:
    sha = work.commit({**DOCKERFILE, "main.py": "print(1)\n"})
    code, said = ask(work, "push", server.url(), "main")
    assert code == 0
    assert remote(said) == [
        f"building @alice/upper:latest from {sha[:7]}",
        "built by its Dockerfile",
        "STEP 1: FROM base",
        "STEP 2: ENV GREETING=hello",
        "ready @alice/upper:latest, @alice/upper:main",
    ]
    assert server.repositories.head(UPPER) == "main"
    work.git("clone", "-q", server.url(who="bob:secret@"), "../copy")
    assert (work.folder.parent / "copy" / "main.py").read_text() == "print(1)\n"
    assert work.git("-C", "../copy", "rev-parse", "HEAD") == sha


def test_a_failed_build_keeps_the_push(server: Server, work: Work) -> None:
    sha = work.commit({"Dockerfile": "FROM base\nRUN false\n"})
    code, said = ask(work, "push", server.url(), "main")
    assert code == 0
    assert remote(said)[-1].startswith(
        "failed: Line 2 of Dockerfile ended with exit code 1. The push is kept"
    )
    assert [mark.sha for mark in server.repositories.commits(UPPER)] == [sha]


def test_code_is_kept_and_not_built(server: Server, work: Work) -> None:
    work.commit(DOCKERFILE)
    code, said = ask(work, "push", server.url("alice/count"), "main")
    assert code == 0
    assert remote(said) == ["@alice/count is of type code: the push is kept, nothing is built."]


def test_a_clone_follows_the_first_branch_when_there_is_no_main(server: Server, work: Work) -> None:
    work.commit({"a": "1"})
    work.git("push", "-q", server.url("alice/count"), "main:trunk")
    work.git("clone", "-q", server.url("alice/count"), "../copy")
    assert work.git("-C", "../copy", "branch", "--show-current") == "trunk"


@pytest.mark.parametrize("name", [b"caf\xe9", "główna".encode(), "a\u00a0b\u2028c".encode(), b"n" * 150])
def test_a_first_branch_of_any_bytes_is_the_default_one(server: Server, work: Work, name: bytes) -> None:
    sha, ref = work.commit(DOCKERFILE), f"refs/heads/{os.fsdecode(name)}"
    (said, *_) = remote(ask(work, "push", server.url(), f"main:{ref}")[1])
    assert "is kept and built as latest alone: a label is made of" in said
    assert {label: ref.commit for label, ref in server.repositories.labels(UPPER).items()} == {"latest": sha}
    work.git("clone", "-q", server.url(who="bob:secret@"), "../copy")
    assert work.run("-C", "../copy", "branch", "--show-current").stdout.rstrip(b"\n") == name
    work.git("push", "-q", server.url(), f":{ref}", "main:second")
    assert server.repositories.head(UPPER) == "second"


def test_tags_forced_pushes_and_deleted_branches(server: Server, work: Work) -> None:
    first = work.commit(DOCKERFILE)
    work.git("tag", "-a", "-m", "one", "v1")
    work.git("push", "-q", server.url(), "main", "main:feature/x", "v1")
    work.git("commit", "-q", "--amend", "-m", "Another")
    amended = work.git("rev-parse", "HEAD")
    code, said = ask(work, "push", server.url(), "main")
    assert code != 0
    assert "non-fast-forward" in said
    work.git("push", "-q", "--force", server.url(), "main")
    code, said = ask(work, "push", server.url(), ":feature/x")
    assert code == 0
    labels = {label: ref.commit for label, ref in server.repositories.labels(UPPER).items()}
    assert labels == {"main": amended, "latest": amended, "v1": first}


def test_the_default_branch_may_be_deleted(server: Server, work: Work) -> None:
    work.commit(DOCKERFILE)
    work.git("push", "-q", server.url(), "main", "main:other")
    code, said = ask(work, "push", server.url(), ":main")
    assert code == 0
    assert server.repositories.head(UPPER) == "other"
    assert remote(said) == ['@alice/upper:latest is the branch "other" now', "forgot @alice/upper:main"]


def test_a_big_push_and_clones_at_once_stay_out_of_memory(server: Server, work: Work) -> None:
    noise = random.Random(7).randbytes(BIG)
    work.commit({"noise": noise})
    work.git("ls-remote", server.url("alice/count"))
    before = server.peak()
    work.git("push", "-q", server.url("alice/count"), "main")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: work.git("clone", "-q", server.url("alice/count"), f"../copy{n}"), range(4)))
    assert all((work.folder.parent / f"copy{n}" / "noise").read_bytes() == noise for n in range(4))
    assert server.peak() - before < BIG / 2


def test_a_shallow_clone_has_one_commit(server: Server, work: Work) -> None:
    work.commit({"a": "1"})
    work.commit({"a": "2"})
    work.git("push", "-q", server.url("alice/count"), "main")
    said = work.run("clone", "--depth=1", server.url("alice/count"), "../copy", GIT_TRACE_PACKET="1").stderr
    assert b"clone< version 2" in said
    assert work.git("-C", "../copy", "rev-list", "--count", "HEAD") == "1"


def test_a_fetch_that_negotiates_at_length_is_understood(server: Server, work: Work) -> None:
    work.commit({"a": "0"})
    work.git("push", "-q", server.url("alice/count"), "main")
    work.git("clone", "-q", server.url("alice/count"), "../copy")
    commits = [
        f"commit refs/heads/side\ncommitter A <a@b> {1_900_000_000 + n} +0000\ndata 1\nx\n"
        for n in range(100)
    ]
    work.git("-C", "../copy", "fast-import", "--quiet", stdin="".join(commits).encode())
    sha = work.commit({"a": "1"})
    work.git("push", "-q", server.url("alice/count"), "main")
    said = work.run("-C", "../copy", "-c", "protocol.version=0", "fetch", GIT_TRACE_CURL="1").stderr
    assert b"content-encoding: gzip" in said.lower()
    assert work.git("-C", "../copy", "rev-parse", "origin/main") == sha


@pytest.mark.parametrize(
    "name, who, words, shown",
    [
        ("alice/upper", "", ["ls-remote"], "could not read Username"),
        ("alice/upper", "alice:wrong@", ["ls-remote"], "Authentication failed"),
        (
            "alice/upper",
            "bob:secret@",
            ["push"],
            "You may not push to @alice/upper: its owner has to share it with w.",
        ),
        ("alice/absent", "alice:secret@", ["ls-remote"], "There is no repo @alice/absent."),
        ("Alice/upper", "alice:secret@", ["ls-remote"], "There is no such repo"),
    ],
)
def test_a_refusal_is_shown_by_git(
    server: Server, work: Work, name: str, who: str, words: list[str], shown: str
) -> None:
    work.commit({"a": "1"})
    code, said = ask(work, *words, server.url(name, who), *(["main"] if words == ["push"] else []))
    assert code != 0
    assert shown in said
    assert server.repositories.refs(UPPER) == []


def test_a_hostile_pack_is_refused(server: Server, work: Work) -> None:
    sha = work.tree(("100644", b"[core]", "a"))
    tree = work.git("rev-parse", f"{sha}^{{tree}}")
    bad = work.git("mktree", stdin=f"040000 tree {tree}\t.git\n".encode())
    commit = work.git("commit-tree", "-m", "a .git of its own", bad)
    code, said = ask(work, "push", server.url(), f"{commit}:refs/heads/main")
    assert code != 0
    assert "hasDotgit" in said
    assert server.repositories.refs(UPPER) == []


@pytest.mark.parametrize(
    "length, body",
    [("Content-Length: 1000", b"0000"), ("Transfer-Encoding: chunked", b"4\r\n0000\r\n10\r\n00")],
    ids=["counted", "chunked"],
)
def test_a_body_that_is_cut_short_reaches_no_git(server: Server, length: str, body: bytes) -> None:
    lines = ["POST /git/alice/upper.git/git-receive-pack HTTP/1.1", "Host: curlew", length]
    lines += [f"Authorization: Basic {base64.b64encode(b'alice:secret').decode()}", "", ""]
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall("\r\n".join(lines).encode() + body)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"The request was cut short; try again.\n")


class Gated:
    """A push whose build waits at the gate, seen live."""

    def __init__(self, server: Server, work: Work) -> None:
        self.gate = server.folder / "gate"
        os.mkfifo(self.gate)
        work.commit(DOCKERFILE)
        self.push = work.start("push", "--progress", server.url(), "main:gated")
        assert self.push.stderr is not None
        self.said = ""
        while "at the gate" not in self.said:
            line = os.read(self.push.stderr.fileno(), 1 << 16)
            assert line, self.said
            self.said += line.decode()
        self.handle = os.open(self.gate, os.O_WRONLY)


def test_lines_arrive_while_the_build_runs_and_others_push_meanwhile(server: Server, work: Work) -> None:
    gated = Gated(server, work)
    assert "ready" not in gated.said
    work.commit({"b": "2"})
    code, said = ask(work, "push", server.url(), "main")
    assert code == 0
    assert "ready @alice/upper:main" in said
    work.git("push", "-q", server.url("alice/count"), "main")
    os.close(gated.handle)
    _, rest = gated.push.communicate()
    assert "ready @alice/upper:latest, @alice/upper:gated" in rest.decode()
    assert gated.push.returncode == 0


def test_a_pusher_who_leaves_leaves_nothing_running(server: Server, work: Work) -> None:
    gated = Gated(server, work)
    os.killpg(gated.push.pid, signal.SIGKILL)
    gated.push.communicate()
    # The hook is the pipe's one reader: when it is gone the pipe has an error.
    waiting = select.poll()
    waiting.register(gated.handle, select.POLLERR)
    assert waiting.poll(20_000) == [(gated.handle, select.POLLERR)]
    os.close(gated.handle)
    assert [ref.name for ref in server.repositories.refs(UPPER)] == ["gated"]
