"""Backend: a git process for one request, its response, and its exit."""

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
# How git's message about an unsupported request begins.
NO_REQUEST = b"protocol error"
log = logging.getLogger(__name__)


class Backend:
    """A git process: its output in pieces; `close` ends it and releases the resources of the request."""

    def __init__(
        self, process: subprocess.Popen[bytes], complaint: IO[bytes], held: ExitStack, grace: float
    ) -> None:
        """Start git; after the client of a push has left, it may run for `grace` more seconds."""
        self.process = process
        self._stdout = cast(BufferedReader, process.stdout)
        self._complaint = complaint
        self._held = held
        self._grace = grace
        self._first = b""
        self._ended = False

    def answer(self) -> Answer:
        """Return the response once git has begun its body: before that, git only writes the head.

        Raises Unavailable if git failed before that, Invalid if git does not support the request.
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
        """Yield the body, each piece when git writes it."""
        return with_advice(self._pieces()) if self._grace else self._pieces()

    def _pieces(self) -> Iterator[bytes]:
        piece = self._first
        while piece:
            yield piece
            piece = self._stdout.read1(PIECE)
        self._ended = True

    def close(self) -> None:
        """Wait for git to end, or kill it because the client is gone (a push after its grace)."""
        with self._held:
            if self._grace and not self._ended:
                self._drain()
            if self._ended:
                self._report()

    def _refuse_broken(self, *, said_head: bool) -> None:
        """Raise the error of a git that wrote no body; the answer to an empty request has none either."""
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
        """Return git's exit code (None: still running), and the beginning of its error output."""
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
