"""Pipes and places of sessions over SSH: silence ends, and no account takes all the places."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from handlers.git.ssh_git import PIECE, ClientGone, SshPipes, ssh_place
from vfs.errors import Invalid, TooMany

HOLD = """
import sys
from pathlib import Path
from handlers.git.ssh_git import ssh_place
with ssh_place(Path(sys.argv[1]), int(sys.argv[2]), 8):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_is_sent_comes_whole_and_in_order() -> None:
    (theirs, source), (sink, mine) = os.pipe()[::-1], os.pipe()[::-1]
    pipes = SshPipes(source, sink, 20)
    sent = os.urandom(5 * PIECE)
    received = bytearray()

    def carry() -> None:
        for piece in pipes.pieces():
            pipes.send(piece)
        os.close(sink)

    def write() -> None:
        with os.fdopen(theirs, "wb") as file:
            file.write(sent)

    threads = [threading.Thread(target=each) for each in (carry, write)]
    for thread in threads:
        thread.start()
    while piece := os.read(mine, PIECE):
        received += piece
    for thread in threads:
        thread.join()
    assert received == sent


def test_a_client_that_says_nothing_is_let_go() -> None:
    source, theirs = os.pipe()
    mine, sink = os.pipe()
    with pytest.raises(Invalid, match="no data was sent"):
        list(SshPipes(source, sink, 0.1).pieces())
    os.close(theirs)
    assert list(SshPipes(source, sink, 0.1).pieces()) == []
    os.close(mine)


def test_a_client_that_takes_nothing_or_left_is_gone() -> None:
    source, _ = os.pipe()
    mine, sink = os.pipe()
    pipes = SshPipes(source, sink, 0.1)
    with pytest.raises(ClientGone):
        pipes.send(b"x" * (1 << 21))
    os.close(mine)
    with pytest.raises(ClientGone):
        pipes.send(b"x")


def test_places_are_shared_between_processes_and_end_with_them(tmp_path: Path) -> None:
    file = tmp_path / "places"
    with ExitStack() as held:

        def hold(account: int) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", HOLD, str(file), str(account)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            held.callback(process.__exit__, None, None, None)
            held.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            return process

        first = hold(1)
        hold(1)
        with pytest.raises(TooMany, match="you have 2 git sessions"), ssh_place(file, 1, 8):
            pass
        for account in (2, 2, 3, 3, 4, 4):
            hold(account)
        with pytest.raises(TooMany, match="too many clones and pushes"), ssh_place(file, 5, 8):
            pass
        first.kill()
        first.wait()
        with ssh_place(file, 5, 8):
            pass
