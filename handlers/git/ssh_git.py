"""Git over SSH: one clone, fetch or push of a client, its command, its pipes, and its slot."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import select
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from handlers.git.push_commands import bound_commands, with_advice
from handlers.git.request_body import FETCH_LARGEST, FETCH_TOO_LARGE, push_too_large
from handlers.git.smart_http import RECEIVE, SERVICES, GitRequest
from handlers.rules.plain_lines import one_line
from handlers.services.pushes import PROTOCOL, Admitted, PushTerms
from storage.git.command import STOPPED, end, kill, was_stopped
from storage.git.repositories import GitRepositories
from vfs.errors import Denied, Invalid, TooLarge, TooMany, Unavailable, VfsError
from vfs.ports.disk import DiskSpace, require_disk_space

# As git quotes a path (quote.c): user and repo have no characters that need more.
COMMAND = re.compile(
    r"git[ -](?P<program>[a-z-]{1,40}) (?P<quote>'?)/?(?P<user>[a-z0-9][a-z0-9_-]{0,199})/"
    r"(?P<repo>[a-z0-9][a-z0-9_-]{0,199}?)(?:\.git)?/?(?P=quote)"
)
LONGEST = 1 << 10


def parse_command(command: str) -> GitRequest:
    """Parse a command such as git-upload-pack 'alice/birds.git'. Raises Denied and Invalid."""
    match = COMMAND.fullmatch(command) if len(command) <= LONGEST else None
    if match is None:
        if command.startswith(("git-", "git ")):
            raise Invalid("there is no such repo: the address is ssh://<host>/<user>/<repo>.git")
        raise Denied("only git is served here: clone, fetch and push; there is no shell and no other program")
    program = f"git-{match['program']}"
    if program not in SERVICES:
        raise Denied(f"{program} is not served here: git clones, fetches and pushes")
    return GitRequest(match["user"], match["repo"], program, advertise=False)


PIECE = 1 << 16
TICK = 1.0


class ClientGone(Exception):
    """The client has left, or does not receive any more."""


class SshPipes:
    """Two descriptors to a client; for at most `silence` seconds neither side may send anything."""

    def __init__(self, source: int, sink: int, silence: float) -> None:
        self._source = source
        self._sink = sink
        self._silence = silence
        self._last = time.monotonic()
        for each in (source, sink):
            os.set_blocking(each, False)

    def pieces(self) -> Iterator[bytes]:
        """Yield pieces that the client sends. Raises Invalid when both sides are silent."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN | select.POLLHUP)
        while True:
            if not poll.poll(TICK * 1000):
                if time.monotonic() - self._last > self._silence:
                    raise Invalid(f"no data was sent for {self._silence:.0f} seconds; try again")
                continue
            try:
                piece = os.read(self._source, PIECE)
            except BlockingIOError:
                continue
            if not piece:
                return
            self._last = time.monotonic()
            yield piece

    def send(self, piece: bytes) -> None:
        """Send all of a piece. Raises ClientGone."""
        poll, rest = select.poll(), memoryview(piece)
        poll.register(self._sink, select.POLLOUT)
        while rest:
            if not poll.poll(self._silence * 1000):
                raise ClientGone
            try:
                rest = rest[os.write(self._sink, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise ClientGone from error
            self._last = time.monotonic()


SECONDS_TO_END = 5
MOST_WORDS = 1 << 12
log = logging.getLogger(__name__)


class SshGit:
    """Serves git over SSH; `admit` checks permissions as over HTTP."""

    def __init__(
        self,
        repositories: GitRepositories,
        admit: Callable[[GitRequest], Admitted],
        pushes: PushTerms,
        disk: DiskSpace,
        grace: float = 30.0,
    ) -> None:
        """Make the service; a push without its client has `grace` seconds to end and reach the builder."""
        self._repositories = repositories
        self._admit = admit
        self._pushes = pushes
        self._disk = disk
        self._grace = grace

    def __call__(self, request: GitRequest, protocol: str, pipes: SshPipes) -> int:
        """Serve a request; return git's exit code. Raises VfsError if it is refused."""
        admitted, pushing = self._admit(request), request.program == RECEIVE
        if pushing:
            require_disk_space(self._disk)
        with ExitStack() as held:
            variables = {"GIT_PROTOCOL": protocol} if PROTOCOL.fullmatch(protocol) else {}
            if pushing:
                again = lambda: self._admit(request)  # noqa: E731
                variables |= self._pushes.variables(admitted, request.name)
                variables |= held.enter_context(self._pushes.last_question(admitted, request.name, again))
            complaint = held.enter_context(os.fdopen(os.memfd_create("complaint"), "w+b"))
            process = self._start(request, admitted, variables, complaint)
            held.callback(kill, process)
            feeder = _Feeder(process, _with_bounds(pipes.pieces(), admitted, pushing=pushing))
            feeder.start()
            self._send(process, pipes, pushing=pushing)
            return _end(process, complaint, feeder)

    def _start(
        self, request: GitRequest, admitted: Admitted, variables: dict[str, str], complaint: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        repository = self._repositories.path(admitted.item)
        words = [request.program.removeprefix("git-"), *([] if request.program == RECEIVE else ["--strict"])]
        return self._repositories.git.start(
            repository, *words, str(repository), stdin=subprocess.PIPE, stderr=complaint, env=variables
        )

    def _send(self, process: subprocess.Popen[bytes], pipes: SshPipes, *, pushing: bool) -> None:
        """Send git's output to its end; a push continues for its grace period without a client."""
        output = cast(BufferedReader, process.stdout)
        pieces = iter(lambda: output.read1(PIECE), b"")
        try:
            for piece in with_advice(pieces) if pushing else pieces:
                pipes.send(piece)
        except ClientGone:
            if pushing:
                timer = threading.Timer(self._grace, end, [process])
                timer.start()
                while output.read1(PIECE):
                    pass
                timer.cancel()
            end(process)


class _Feeder(threading.Thread):
    """Passes the client's bytes to git, and ends git when they are refused (`refusal`)."""

    def __init__(self, process: subprocess.Popen[bytes], pieces: Iterator[bytes]) -> None:
        super().__init__(name="ssh-feeder", daemon=True)
        self.refusal: VfsError | None = None
        self._process = process
        self._pieces = pieces

    def run(self) -> None:
        stdin = cast(IO[bytes], self._process.stdin)
        try:
            for piece in self._pieces:
                stdin.write(piece)
                stdin.flush()
        except VfsError as error:
            self.refusal = error
            # Git accepts an incomplete push up to its end; it must not wait for a silent client.
            if not isinstance(error, TooLarge):
                end(self._process)
        except (OSError, ValueError):
            pass  # git has ended, and reports why
        with suppress(OSError):
            stdin.close()


def _with_bounds(pieces: Iterator[bytes], admitted: Admitted, *, pushing: bool) -> Iterator[bytes]:
    """Yield the client's pieces within the same bounds as over HTTP. Raises TooLarge and Invalid."""
    if not pushing:
        return _up_to(pieces, FETCH_LARGEST, FETCH_TOO_LARGE)
    return bound_commands(_up_to(pieces, admitted.push, push_too_large(admitted.push)), admitted.commands)


def _up_to(pieces: Iterator[bytes], largest: int, said: str) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > largest:
            raise TooLarge(said, limit=largest)
        yield piece


def _end(process: subprocess.Popen[bytes], complaint: IO[bytes], feeder: _Feeder) -> int:
    """Return git's exit code. Raises the client's refusal, and Unavailable if git failed."""
    try:
        code = process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        end(process)
        code = process.wait()
    if feeder.refusal is not None:
        raise feeder.refusal
    if code:
        complaint.seek(0)
        words = complaint.read(MOST_WORDS)
        log.warning("git ended with exit code %s: %s", code, one_line(words.decode(errors="replace")))
        if was_stopped(code, words):
            raise Unavailable(STOPPED)
    return code


FIRST = 1 << 20
RETRY = 5


@contextmanager
def ssh_place(file: Path, account: int, most: int) -> Iterator[None]:
    """Hold one of `most` slots; an account may have a quarter of them. Raises TooMany.

    A slot is a locked byte of a file: it is free again when its process ends, for whatever reason.
    """
    each = max(most // 4, 1)
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _take(held, FIRST + account * each, each):
            raise TooMany(
                f"you have {each} git sessions over SSH, which is the maximum; try again", retry_after=RETRY
            )
        if not _take(held, 0, most):
            raise TooMany("too many clones and pushes over SSH are running; try again", retry_after=RETRY)
        yield
    finally:
        os.close(held)


def _take(file: int, start: int, count: int) -> bool:
    """Lock one of the bytes; return False when all are locked."""
    for place in range(start, start + count):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            continue
        return True
    return False
