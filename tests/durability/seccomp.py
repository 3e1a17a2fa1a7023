"""A filter of system calls (seccomp, user notification): what changes files waits for another's word."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Iterator, Mapping

# The calls that change files, and where the path (P) or the file descriptor (F) stands among their arguments:
# `PD` is a path relative to the folder in the argument before it, `F2` a file descriptor as third argument.
CALLS: Mapping[str, Mapping[int, tuple[str, str]]] = {
    "x86_64": {
        1: ("write", "F"), 18: ("pwrite", "F"), 20: ("writev", "F"), 296: ("pwritev", "F"),
        74: ("fsync", "F"), 75: ("fdatasync", "F"), 306: ("syncfs", "F"), 77: ("ftruncate", "F"),
        285: ("fallocate", "F"),
        2: ("open", "P"), 257: ("openat", "PD"), 82: ("rename", "P"), 264: ("renameat", "PD"),
        316: ("renameat2", "PD"), 83: ("mkdir", "P"), 258: ("mkdirat", "PD"), 84: ("rmdir", "P"),
        87: ("unlink", "P"), 263: ("unlinkat", "PD"), 86: ("link", "P"), 265: ("linkat", "PD"),
        40: ("sendfile", "F"), 326: ("copy_file_range", "F2"),
        133: ("mknod", "P"), 259: ("mknodat", "PD"), 280: ("utimensat", "PD"),
        90: ("chmod", "P"), 91: ("fchmod", "F"),
    },
    "aarch64": {
        64: ("write", "F"), 68: ("pwrite", "F"), 66: ("writev", "F"), 70: ("pwritev", "F"),
        82: ("fsync", "F"), 83: ("fdatasync", "F"), 267: ("syncfs", "F"), 46: ("ftruncate", "F"),
        47: ("fallocate", "F"), 71: ("sendfile", "F"), 285: ("copy_file_range", "F2"),
        56: ("openat", "PD"), 38: ("renameat", "PD"), 276: ("renameat2", "PD"), 34: ("mkdirat", "PD"),
        35: ("unlinkat", "PD"), 37: ("linkat", "PD"), 33: ("mknodat", "PD"), 88: ("utimensat", "PD"),
        52: ("fchmod", "F"),
    },
}  # fmt: skip
SECCOMP = {"x86_64": 317, "aarch64": 277}

NO_NEW_PRIVILEGES = 38
SET_MODE_FILTER, NEW_LISTENER = 1, 8
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
LARGEST_FILTER = 255


def machine() -> str:
    """The name under which this machine's calls are listed."""
    return platform.machine()


def install() -> int:
    """Put the filter on this thread, and so on all that it starts; the listener's file descriptor. Every call
    waits from now on until the holder of the listener answers.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    program = b"".join(_instructions(sorted(CALLS[machine()])))
    code = ctypes.create_string_buffer(program)
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)))
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    listener: int = libc.syscall(SECCOMP[machine()], SET_MODE_FILTER, NEW_LISTENER, head)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls can be installed")
    return listener


def _instructions(numbers: list[int]) -> Iterator[bytes]:
    """A program in the kernel's filter language: notify of these calls, let the others pass."""
    assert len(numbers) < LARGEST_FILTER
    yield _instruction(LOAD, 0)
    for place, number in enumerate(numbers):
        yield _instruction(JUMP_IF_EQUAL, number, taken=len(numbers) - place)
    yield _instruction(RETURN, ALLOW)
    yield _instruction(RETURN, NOTIFY)


def _instruction(code: int, value: int, taken: int = 0) -> bytes:
    return struct.pack("HBBI", code, taken, 0, value)


def main(wire: int, command: list[str]) -> None:
    """Send the listener over a socket, then be the command."""
    import socket

    with socket.socket(fileno=wire) as channel:
        listener = install()
        socket.send_fds(channel, [b"listener"], [listener])
        os.close(listener)
    os.execv(command[0], command)


if __name__ == "__main__":
    import sys

    main(int(sys.argv[1]), sys.argv[2:])
