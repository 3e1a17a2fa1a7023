"""Wake-ups between threads and processes of one host: sent after a commit, awaited without polling."""

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
Receiver = Callable[[str | None], object]

SLOTS = 256
# The prefix that marks a message among topics.
MESSAGE = "\x01"
LONGEST_MESSAGE = 3 << 10
"""Maximum bytes of a message, so that a pipe writes it atomically."""
RECHECK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """The state of a topic before a look. Any later signal ends a wait, even one that starts after it."""

    slot: int
    seen: int


class ChangeSignal:
    """Wake-ups within one process: take a `ticket`, look, then `wait`. No signal after the ticket is missed.

    Topics share a fixed number of slots, so memory is bounded. A wake-up may therefore be for another topic,
    so waiting callers look again. A message is sent like a signal, to the listeners for messages.
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._slots = [threading.Condition() for _ in range(SLOTS)]
        self._signaled = [1] * SLOTS
        self._receivers: list[Receiver] = []

    def ticket(self, topic: str) -> Ticket:
        """Return the current state of a topic."""
        self._open()
        slot = hash(topic) % SLOTS
        return Ticket(slot, self._signaled[slot])

    def wait(self, ticket: Ticket, seconds: float | None) -> bool:
        """Block until the topic is signalled after the ticket (return True) or the time is over (False)."""
        condition = self._slots[ticket.slot]
        with condition:
            return condition.wait_for(lambda: self._signaled[ticket.slot] != ticket.seen, seconds)

    def signal(self, topic: str) -> None:
        """Wake the callers that wait for the topic. Inside a transaction, this happens after its commit."""
        self._set(topic)

    def publish(self, message: str) -> None:
        """Send a message to the listeners for messages, after the transaction's commit.

        Raises ValueError for one that is not a single line of at most LONGEST_MESSAGE bytes.
        """
        if len(message.encode()) > LONGEST_MESSAGE or "\n" in message or "\0" in message:
            raise ValueError("the change signal cannot send this message: use one short line")
        self.signal(MESSAGE + message)

    def subscribe(self, receive: Receiver) -> None:
        """Call `receive` for each message from now on, at most once, and nearly in the order of commits.

        It gets None when messages may have been lost, and must be quick.
        """
        self._open()
        self._receivers.append(receive)

    def watch(
        self,
        topic: str,
        look: Callable[[], tuple[T, bool]],
        seconds: float | None,
        idle: Callable[[], AbstractContextManager[object]] = nullcontext,
        recheck: float | None = RECHECK_SECONDS,
    ) -> T:
        """Call `look` again after each signal of the topic, until it found enough or the time is over.

        `look` returns its finding and whether that is enough. The last finding is returned. `idle` is entered
        during waits. Every `recheck` seconds it looks without a signal, in case another process died between
        its commit and its signal. With None it never does, not even when the time is over.
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
                is_signaled = self.wait(ticket, left)
            if recheck is None and not is_signaled:
                return seen

    def waiting(
        self,
        topic: str,
        seen: int,
        seconds: float | None,
        idle: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> int:
        """Block until the topic is signalled after `seen` or the time is over. Return the next `seen`.

        The first `seen` is 0, for which it returns at once. `idle` is entered while it waits.
        """
        ticket = self.ticket(topic)
        if ticket.seen == seen:
            with idle():
                self.wait(ticket, seconds)
        return self.ticket(topic).seen

    def wake(self) -> None:
        """Wake all waiting callers of this process."""
        for slot in range(SLOTS):
            self._set_slot(slot)

    def close(self) -> None:
        """Stop listening to other processes."""

    def _open(self) -> None:
        """Start to listen to other processes, once. A forked child starts again."""
        if self._pid != os.getpid():
            self._start()

    def _set(self, topic: str) -> None:
        if topic.startswith(MESSAGE):
            self._pass_on(topic[len(MESSAGE) :])
        else:
            self._set_slot(hash(topic) % SLOTS)

    def _pass_on(self, message: str | None) -> None:
        for receive in self._receivers:
            receive(message)

    def _set_slot(self, slot: int) -> None:
        with self._slots[slot]:
            self._signaled[slot] += 1
            self._slots[slot].notify_all()

    def _set_all(self) -> None:
        """Wake all callers and listeners, because signals may have been missed."""
        self.wake()
        self._pass_on(None)


@dataclass(frozen=True, slots=True)
class _Signal:
    """A signal that waits for a commit. Signals of the same topic are equal."""

    send: Callable[[str], None]
    topic: str

    def __call__(self) -> None:
        self.send(self.topic)


class PipeSignal(ChangeSignal):
    """Wake-ups between processes of one host, for SQLite. Each process listens to a named pipe in `folder`.

    `after_commit(fn)` calls `fn` after the commit of the caller's transaction (at once outside of one). The
    pipe of a dead process is removed by the next sender. The reader of a pipe that overflows wakes all
    callers, so no signal is lost.
    """

    SUFFIX = ".signal"

    def __init__(self, folder: Path, after_commit: Callable[[Callable[[], None]], object]) -> None:
        self._folder = folder
        self._keeper = keeper_of(folder)
        self._after_commit = after_commit
        self._lock = threading.Lock()
        self._pipe: int | None = None
        self._name = ""
        super().__init__()

    def signal(self, topic: str) -> None:
        """Wake the callers that wait for the topic in any process of this host, after the commit."""
        self._after_commit(_Signal(self._send, topic))

    def close(self) -> None:
        """Remove the pipe and end its thread."""
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
                threading.Thread(target=self._listen, args=(self._pipe,), name="signals", daemon=True).start()

    def _leave_inherited(self) -> None:
        """Close the pipe of the parent in a forked child, without removing it."""
        if self._pipe is not None:
            os.close(self._pipe)
        self._pipe = None
        self._start()

    def _make(self) -> int:
        """Make a pipe, open it, and then rename it, so that other processes do not remove it as dead."""
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
            received = os.read(pipe, capacity)
            if b"\0" in received:
                os.close(pipe)
                return
            for topic in dict.fromkeys(received.split(b"\n")):
                if topic:
                    self._set(topic.decode())
            if len(received) > capacity // 2:
                self._set_all()

    def _send(self, topic: str) -> None:
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
    """Write to another process's pipe without blocking. Remove a pipe that has no reader."""
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            path.unlink()
        return
    try:
        os.write(pipe, message)
    except BlockingIOError:
        pass  # it is full: its reader will notice that and wake all callers
    finally:
        os.close(pipe)
