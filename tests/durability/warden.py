"""The warden of a filtered process: lets its calls pass, and makes chosen ones fail."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import socket
import stat
import struct
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.durability.seccomp import CALLS, machine

NOTICE, ANSWER = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
RECEIVE = (3 << 30) | (NOTICE.size << 16) | (ord("!") << 8)
SEND = (3 << 30) | (ANSWER.size << 16) | (ord("!") << 8) | 1
PASS_ON = 1
HERE = 2**64 - 100
LONGEST_PATH = 4096
HANDLES = {"F": 0, "F2": 2}
"""Which argument is the file descriptor of a call."""

# What takes room on a disk; the others go on while it is full.
TAKING = {
    "write",
    "pwrite",
    "writev",
    "pwritev",
    "sendfile",
    "copy_file_range",
    "openat",
    "open",
    "mkdir",
    "mkdirat",
    "ftruncate",
    "fallocate",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The `nth` call from now on fails with `error`; `lasting`: so do all later ones that take room."""

    nth: int
    error: int
    lasting: bool = False

    def __str__(self) -> str:
        return f"{errno.errorcode[self.error]}{' from' if self.lasting else ' at'} call {self.nth}"


class Warden:
    """Answers for every call that changes files in the processes that `command` starts. Those on files of
    `folder` are counted and may be made to fail; the others pass.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._ours, self.theirs = socket.socketpair()
        self._stop, self._stopped = os.pipe()
        self._lock = threading.Lock()
        self._fault: Fault | None = None
        self._calls: list[str] = []
        self._failed: list[str] = []
        self._thread = threading.Thread(target=self._watch, name="warden", daemon=True)
        self._thread.start()

    def command(self, command: Sequence[str]) -> list[str]:
        """The command under the filter; it has to be passed the file descriptor of `theirs`."""
        return [sys.executable, "-m", "tests.durability.seccomp", str(self.theirs.fileno()), *command]

    def arm(self, fault: Fault) -> None:
        """Count from now on."""
        with self._lock:
            self._fault, self._calls, self._failed = fault, [], []

    def disarm(self) -> list[str]:
        """Let everything pass again; the calls that failed, as `fsync of blobs/…`."""
        with self._lock:
            self._fault = None
            return self._failed

    def calls(self) -> list[str]:
        """The calls that were counted when it was armed last."""
        return self._calls

    def close(self) -> None:
        """Once the process has ended."""
        os.close(self._stopped)
        self._thread.join()
        os.close(self._stop)
        self._ours.close()
        self.theirs.close()

    def _watch(self) -> None:
        """Listen to each filter that is installed, until all its processes have ended."""
        waiting, door = select.poll(), self._ours.fileno()
        for handle in (self._stop, door):
            waiting.register(handle, select.POLLIN)
        listeners: set[int] = set()
        while self._stop not in (ready := dict(waiting.poll())):
            if ready.pop(door, 0):
                _, (listener, *_), _, _ = socket.recv_fds(self._ours, 16, 1)
                waiting.register(listener, select.POLLIN)
                listeners.add(listener)
            for listener, event in ready.items():
                if event & select.POLLIN:
                    self._decide(listener)
                else:
                    waiting.unregister(listener)
                    listeners.remove(listener)
                    os.close(listener)
        for listener in listeners:
            os.close(listener)

    def _decide(self, listener: int) -> None:
        notice = bytearray(NOTICE.size)
        try:
            fcntl.ioctl(listener, RECEIVE, notice)
        except FileNotFoundError:  # who asked was killed
            return
        id, thread, _, number, _, _, *arguments = NOTICE.unpack(notice)
        error = self._verdict(thread, *CALLS[machine()][number], arguments)
        with contextlib.suppress(FileNotFoundError):
            fcntl.ioctl(listener, SEND, ANSWER.pack(id, 0, -error, 0 if error else PASS_ON))

    def _verdict(self, thread: int, name: str, where: str, arguments: list[int]) -> int:
        """The error that a call is to fail with, 0 for none."""
        if self._fault is None or (name in ("open", "openat") and not _creates(name, arguments)):
            return 0
        path = _path(thread, where, arguments)
        with self._lock:
            if self._fault is None or path is None or not path.startswith(self._folder + "/"):
                return 0
            said = f"{name} of {path.removeprefix(self._folder + '/')}"
            self._calls.append(said)
            count, fault = len(self._calls), self._fault
            if count == fault.nth or (fault.lasting and count > fault.nth and name in TAKING):
                self._failed.append(said)
                return fault.error
            return 0


def _creates(name: str, arguments: list[int]) -> bool:
    return bool(arguments[2 if name == "openat" else 1] & os.O_CREAT)


def _path(thread: int, where: str, arguments: list[int]) -> str | None:
    """The file that a call of a thread is about; None if that is unknown, and for a pipe."""
    try:
        if where in HANDLES:
            handle = f"/proc/{thread}/fd/{arguments[HANDLES[where]]}"
            return None if stat.S_ISFIFO(os.stat(handle).st_mode) else os.readlink(handle)
        path = named(thread, *arguments[:2]) if where == "PD" else named(thread, HERE, arguments[0])
        return None if Path(path).is_fifo() else path
    except OSError:
        return None


def named(thread: int, at: int, address: int) -> str:
    """The path whose text is at an address of a thread, relative to the folder `at`. Raises OSError."""
    text = memory(thread, address, LONGEST_PATH).split(b"\0", 1)[0].decode(errors="surrogateescape")
    start = f"/proc/{thread}/fd/{at}" if at < 1 << 20 else f"/proc/{thread}/cwd"
    return os.path.normpath(os.path.join(os.readlink(start), text))


def memory(thread: int, address: int, size: int) -> bytes:
    """Bytes of a thread's memory. Raises OSError."""
    with open(f"/proc/{thread}/mem", "rb", buffering=0) as file:
        file.seek(address)
        return file.read(size)
