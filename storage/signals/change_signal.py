"""Wake-ups between the threads and processes of one host: rung after a commit, waited for without polling."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from chains.files.folder_lock import make_folder
from chains.files.keeper import keeper_of

T = TypeVar("T")
Heard = Callable[[str | None], object]

SLOTS = 256
# What begins a message among topics.
MESSAGE = "\x01"
LONGEST_MESSAGE = 3 << 10
"""Bytes of a message at most, so that a pipe takes it whole."""
RECHECK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """The state of a topic when somebody began to look: a later ring is seen however late the wait starts."""

    slot: int
    seen: int


class ChangeSignal:
    """Wake-ups within one process: take a `ticket`, look, then `wait`; no ring after the ticket is missed.

    Topics share a fixed number of slots, so memory stays flat; a wake-up may therefore be for another topic,
    and waiting callers look again. A message goes the same way as a ring, to the listeners for messages.
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._slots = [threading.Condition() for _ in range(SLOTS)]
        self._rung = [1] * SLOTS
        self._hearers: list[Heard] = []

    def ticket(self, topic: str) -> Ticket:
        """The present state of a topic."""
        self._open()
        slot = hash(topic) % SLOTS
        return Ticket(slot, self._rung[slot])

    def wait(self, ticket: Ticket, seconds: float | None) -> bool:
        """Block until the topic was rung after the ticket (True) or the time is over (False)."""
        condition = self._slots[ticket.slot]
        with condition:
            return condition.wait_for(lambda: self._rung[ticket.slot] != ticket.seen, seconds)

    def signal(self, topic: str) -> None:
        """Wake who waits for the topic; inside a transaction, once it is committed."""
        self._set(topic)

    def tell(self, message: str) -> None:
        """Hand a message to who hears them, once the transaction is committed.

        Raises ValueError for one that is no line of LONGEST_MESSAGE bytes.
        """
        if len(message.encode()) > LONGEST_MESSAGE or "\n" in message or "\0" in message:
            raise ValueError("this is no message for the bell")
        self.signal(MESSAGE + message)

    def hear(self, heard: Heard) -> None:
        """Have a call made for each message from now on, once at most, and nearly in the order of commits.

        It is given None when some may have been lost, and must be quick.
        """
        self._open()
        self._hearers.append(heard)

    def watch(
        self,
        topic: str,
        look: Callable[[], tuple[T, bool]],
        seconds: float | None,
        idle: Callable[[], AbstractContextManager[object]] = nullcontext,
        recheck: float | None = RECHECK_SECONDS,
    ) -> T:
        """Look again whenever the topic is rung, until the look says it saw enough or the time is over.

        `look` answers what it saw and whether that is enough; the last thing seen is returned. `idle` is
        entered while nothing is done but wait. Every `recheck` seconds it looks unasked, in case another
        process died between its commit and its ring; with None never, also not when the time is over.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            ticket = self.ticket(topic)
            seen, enough = look()
            left = recheck if deadline is None else deadline - time.monotonic()
            if recheck is not None and left is not None:
                left = min(recheck, left)
            if enough or (left is not None and left <= 0):
                return seen
            with idle():
                is_rung = self.wait(ticket, left)
            if recheck is None and not is_rung:
                return seen

    def waiting(
        self,
        topic: str,
        seen: int,
        seconds: float | None,
        idle: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> int:
        """Block until the topic was rung since `seen`, an earlier answer, or the time is over; a new `seen`.

        With 0, the first, it returns at once. `idle` is entered while it waits.
        """
        ticket = self.ticket(topic)
        if ticket.seen == seen:
            with idle():
                self.wait(ticket, seconds)
        return self.ticket(topic).seen

    def wake(self) -> None:
        """Let everybody in this process look again."""
        for slot in range(SLOTS):
            self._set_slot(slot)

    def close(self) -> None:
        """Stop listening to other processes."""

    def _open(self) -> None:
        """Begin to listen to other processes, once; a forked child begins anew."""
        if self._pid != os.getpid():
            self._start()

    def _set(self, topic: str) -> None:
        if topic.startswith(MESSAGE):
            self._pass_on(topic[len(MESSAGE) :])
        else:
            self._set_slot(hash(topic) % SLOTS)

    def _pass_on(self, message: str | None) -> None:
        for heard in self._hearers:
            heard(message)

    def _set_slot(self, slot: int) -> None:
        with self._slots[slot]:
            self._rung[slot] += 1
            self._slots[slot].notify_all()

    def _set_all(self) -> None:
        """Wake everybody, as something may have been missed."""
        self.wake()
        self._pass_on(None)


@dataclass(frozen=True, slots=True)
class _Ring:
    """A ring that waits for a commit; several of one topic are equal."""

    tell: Callable[[str], None]
    topic: str

    def __call__(self) -> None:
        self.tell(self.topic)


class PipeSignal(ChangeSignal):
    """Wake-ups between processes of one host, for SQLite; each listens at a named pipe in `folder`.

    `after_commit(fn)` calls `fn` once the caller's transaction is committed (at once outside of one). A pipe
    whose process died is removed by the next one that rings. A pipe that overflows makes its reader wake
    everybody: nothing is lost.
    """

    SUFFIX = ".bell"

    def __init__(self, folder: Path, after_commit: Callable[[Callable[[], None]], object]) -> None:
        self._folder = folder
        self._keeper = keeper_of(folder)
        self._after_commit = after_commit
        self._lock = threading.Lock()
        self._pipe: int | None = None
        self._name = ""
        super().__init__()

    def signal(self, topic: str) -> None:
        """Wake who waits for the topic in any process of this host, after the commit."""
        self._after_commit(_Ring(self._tell, topic))

    def close(self) -> None:
        """Take the pipe away; its thread ends."""
        with self._lock:
            if self._pipe is None or self._pid != os.getpid():
                return
            pipe, self._pipe = self._pipe, None
            with contextlib.suppress(OSError), self._keeper.acting():
                (self._folder / self._name).unlink()
            os.write(pipe, b"\0")

    def _open(self) -> None:
        if self._pipe is not None and self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._leave_inherited()
            if self._pipe is None:
                self._pipe = self._make()
                threading.Thread(target=self._listen, args=(self._pipe,), name="bell", daemon=True).start()

    def _leave_inherited(self) -> None:
        """A forked child leaves its parent's pipe alone."""
        if self._pipe is not None:
            os.close(self._pipe)
        self._pipe = None
        self._start()

    def _make(self) -> int:
        """A pipe with its reader; it gets its visible name last, so that nobody takes it for a dead one."""
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}{self.SUFFIX}"
        hidden = self._folder / f".{self._name}"
        with self._keeper.acting():
            make_folder(self._folder)
            os.mkfifo(hidden, 0o600)
            pipe = os.open(hidden, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            hidden.rename(self._folder / self._name)
        return pipe

    def _listen(self, pipe: int) -> None:
        capacity = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        while True:
            heard = os.read(pipe, capacity)
            if b"\0" in heard:
                os.close(pipe)
                return
            for topic in dict.fromkeys(heard.split(b"\n")):
                if topic:
                    self._set(topic.decode())
            if len(heard) > capacity // 2:
                self._set_all()

    def _tell(self, topic: str) -> None:
        self._set(topic)
        for path in self._others():
            with contextlib.suppress(OSError), self._keeper.acting():
                _send(path, topic.encode() + b"\n")

    def _others(self) -> Iterator[Path]:
        mine = self._name if self._pid == os.getpid() else ""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return
        for name in names:
            if name.endswith(self.SUFFIX) and not name.startswith(".") and name != mine:
                yield self._folder / name


def _send(path: Path, message: bytes) -> None:
    """Write to another process's pipe without ever blocking; a pipe nobody reads any more is removed."""
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            path.unlink()
        return
    try:
        os.write(pipe, message)
    except BlockingIOError:
        pass  # it is full, and its reader wakes everybody when it finds that
    finally:
        os.close(pipe)
