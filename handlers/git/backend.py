"""Backend: git at work on one request, its answer as it comes, and how it ended."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from io import BufferedReader
from typing import IO, cast

from handlers.git.push_commands import with_advice
from handlers.http.response import Answer
from handlers.rules.plain_lines import one_line
from storage.git.command import STOPPED, end, was_stopped
from vfs.errors import Invalid, Unavailable

PIECE = 1 << 16
SECONDS_TO_END = 5
MOST_WORDS = 1 << 12
# How git begins what it says of a request that is none of its own.
NO_REQUEST = b"protocol error"
log = logging.getLogger(__name__)


class Backend:
    """Git at work: its output in pieces as it comes; `close` ends it and releases what the request held."""

    def __init__(
        self, process: subprocess.Popen[bytes], complaint: IO[bytes], held: ExitStack, grace: float
    ) -> None:
        """`grace` is how many seconds git may go on when the client of a push left before the end."""
        self.process = process
        self._stdout = cast(BufferedReader, process.stdout)
        self._complaint = complaint
        self._held = held
        self._grace = grace
        self._first = b""
        self._ended = False

    def answer(self) -> Answer:
        """Return the answer, once git has begun its body: it says the head before it does anything.

        Raises Unavailable for a git that broke before that, Invalid where it was asked for nothing.
        """
        answer = Answer(HTTPStatus.OK, pieces=self)
        while line := self._stdout.readline().decode("latin-1").strip():
            name, _, text = line.partition(": ")
            if name.lower() == "status":
                answer.status = HTTPStatus(int(text[:3]))
            else:
                answer.add(name, text)
        self._first = self._stdout.read1(PIECE)
        if not self._first:
            self._ended = True
            self._refuse_broken(said_head=bool(answer.headers))
        answer.add("X-Accel-Buffering", "no")
        return answer

    def __iter__(self) -> Iterator[bytes]:
        """Return the body, each piece when git writes it."""
        return with_advice(self._pieces()) if self._grace else self._pieces()

    def _pieces(self) -> Iterator[bytes]:
        piece = self._first
        while piece:
            yield piece
            piece = self._stdout.read1(PIECE)
        self._ended = True

    def close(self) -> None:
        """Let go of git: once it has ended, or killed because the client is gone (a push after its grace)."""
        with self._held:
            if self._grace and not self._ended:
                self._drain()
            if self._ended:
                self._report()

    def _refuse_broken(self, *, said_head: bool) -> None:
        """Raise what a git that said no body ended with; a request for nothing is well answered so."""
        code, said = self._end()
        if said_head and not code:
            return
        self.close()
        if NO_REQUEST in said:
            raise Invalid("The request is not one that git sends; use git.")
        if was_stopped(code, said):
            raise Unavailable(STOPPED)
        raise Unavailable("git could not answer; the server's log says why.")

    def _drain(self) -> None:
        timer = threading.Timer(self._grace, end, [self.process])
        timer.start()
        while self._stdout.read1(PIECE):
            pass
        timer.cancel()

    def _end(self) -> tuple[int | None, bytes]:
        """Git's exit code (None: it goes on), and the beginning of what it complained of."""
        try:
            code = self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return None, b""
        self._complaint.seek(0)
        return code, self._complaint.read(MOST_WORDS)

    def _report(self) -> None:
        code, said = self._end()
        if code:
            why = " by its limits, or by the system," if was_stopped(code, said) else ""
            words = one_line(said.decode(errors="replace"))
            log.warning("git http-backend ended%s with exit code %s: %s", why, code, words)
