"""Clients that others wrote, at work on a drive: litmus, rclone and cadaver."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.dav.drive import Drive, people
from tests.kit.file_trees import NAMES
from tests.kit.server import Server

ODD = (
    *NAMES,
    "#1",
    "50%",
    "50%25",
    "what?",
    ".hidden",
    "&<>'",
    "A",
    "a",
    "~$doc.docx",
    "._x",
    "co:lon",
    "%2e%2e",
)
FOLDERS = ("plain", "Ordner #1 ä%?", ".dot/deeper")
FILES = 1_000
SUITES = ("basic", "copymove", "props", "locks", "http")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with people(tmp_path_factory.mktemp("drive")) as server:
        yield server


@pytest.fixture
def home(server: Server, tmp_path: Path) -> Path:
    """A folder with the settings of clients that open the drive of ann."""
    secret = subprocess.run(
        ["rclone", "obscure", server.tokens["ann"]], capture_output=True, text=True, check=True
    )
    (tmp_path / "rclone.conf").write_text(
        f"[drive]\ntype = webdav\nurl = {server.origin}/dav/spaces/desk\nvendor = other\nuser = ann\n"
        f"pass = {secret.stdout}"
    )
    host = server.origin.partition("://")[2].partition(":")[0]
    (tmp_path / ".netrc").write_text(f"machine {host} login ann password {server.tokens['ann']}\n")
    (tmp_path / ".netrc").chmod(0o600)
    return tmp_path


def files_in(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their paths there."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def rclone(home: Path, *words: str) -> str:
    """Run rclone, which has to succeed; its output."""
    # Names that differ only in their normal form are two files here, and one to rclone by default.
    usual = ("--config", str(home / "rclone.conf"), "--no-unicode-normalization", "--transfers", "8")
    done = subprocess.run(["rclone", *words, *usual], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def make_files(folder: Path) -> None:
    """Write many small files, some with odd names."""
    chosen = random.Random(4)
    names = (*ODD, *(f"file {number:03}.txt" for number in range(FILES // len(FOLDERS))))
    for place in FOLDERS:
        (folder / place).mkdir(parents=True)
        for name in names:
            (folder / place / name).write_bytes(chosen.randbytes(chosen.randrange(2_000)))


@pytest.mark.parametrize("suite", SUITES)
def test_litmus_finds_no_failure(server: Server, tmp_path: Path, suite: str) -> None:
    words = ["-k", f"{server.origin}/dav/spaces/desk/", "ann", server.tokens["ann"]]
    run = subprocess.run(
        ["litmus", *words], cwd=tmp_path, env={"TESTS": suite, "PATH": "/usr/bin:/bin"}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert "FAIL" not in run.stdout
    assert re.search(r"run: \d+ passed, 0 failed", run.stdout), run.stdout


def test_rclone_copies_syncs_and_checks_a_thousand_files_both_ways(home: Path) -> None:
    here, back = home / "here", home / "back"
    make_files(here)
    rclone(home, "copy", str(here), "drive:box")
    rclone(home, "check", str(here), "drive:box", "--download")
    rclone(home, "copy", "drive:box", str(back))
    assert files_in(back) == files_in(here)
    (here / "plain" / "A").write_bytes(b"changed, and longer than before" * 100)
    (here / "plain" / "#1").unlink()
    log = rclone(home, "sync", str(here), "drive:box", "-v")
    assert [line.partition("INFO  : ")[2] for line in log.splitlines() if "plain/" in line] == [
        "plain/A: Copied (replaced existing)",
        "plain/#1: Deleted",
    ]
    rclone(home, "sync", "drive:box", str(back))
    assert files_in(back) == files_in(here)
    rclone(home, "purge", "drive:box")


def test_cadaver_puts_locks_moves_and_gets(server: Server, home: Path) -> None:
    (home / "a b.txt").write_text("birds")
    lines = (
        "mkcol d", "put 'a b.txt' d/x.txt", "lock d/x.txt", "unlock d/x.txt", "move d/x.txt d/y.txt", "ls d",
        "get d/y.txt got.txt", "copy d e", "rmcol d", "quit",
    )  # fmt: skip
    done = subprocess.run(
        ["cadaver", f"{server.origin}/dav/spaces/desk/"], input="\n".join(lines), cwd=home, text=True,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, capture_output=True, check=True,
    )  # fmt: skip
    assert "failed" not in done.stdout
    assert (home / "got.txt").read_text() == "birds"
    assert Drive(server, "ann").read("spaces/desk/e/y.txt") == b"birds"
