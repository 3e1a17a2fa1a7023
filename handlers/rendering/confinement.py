"""Confinement of a process that renders: no socket, no other program, few files, bounded memory."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
from collections.abc import Iterable, Sequence

NO_NEW_PRIVILEGES = 38
SECCOMP, SECCOMP_FILTER = 22, 2
"""Of prctl(2)."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
LOAD, EQUAL, RETURN, AT_LEAST = 0x20, 0x15, 0x06, 0x35
"""Instructions of the filter (seccomp(2), BPF)."""
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FOREIGN_CALLS = 0x40000000
"""From here on numbers are of another calling convention."""
FORBIDDEN = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "socketpair": (53, 199),
    "execve": (59, 221),
    "ptrace": (101, 117),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "execveat": (322, 281),
    "io_uring_setup": (425, 425),
    "kill": (62, 129),
    "tkill": (200, 130),
    "pidfd_open": (434, 434),
    "keyctl": (250, 219),
}
"""Numbers of the calls that are refused, on x86_64 and on aarch64."""
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's calls, the same on every machine (landlock(7))."""
READ_FILE, READ_FOLDER, EXECUTE = 1 << 2, 1 << 3, 1 << 0
EVERY_FILE_RIGHT = (1 << 13) - 1
PATH_BENEATH = 1
SHORTEST_DATA = 700 << 20
"""A JavaScript engine reserves this much before it draws anything."""


class ConfinementFailed(OSError):
    """Raised when this machine cannot confine the process."""


def confine(readable: Iterable[str], memory: int) -> None:
    """Give up, for good: sockets, other programs, files outside `readable` folders, more than `memory` bytes.

    Raises ConfinementFailed when no filter can be set; a kernel without Landlock leaves files to the modes.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise ConfinementFailed(ctypes.get_errno(), "no_new_privs cannot be set")
    _limit(memory)
    _restrict_files(library, [path for path in readable if os.path.exists(path)])
    _filter_calls(library)


def _limit(memory: int) -> None:
    limits = (
        (resource.RLIMIT_DATA, max(SHORTEST_DATA, memory)),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    )
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))


def _restrict_files(library: ctypes.CDLL, readable: Sequence[str]) -> None:
    """Landlock: reading below some folders, and nothing else of any file system."""
    if library.syscall(CREATE_RULESET, None, 0, 1) < 1:
        return
    attributes = struct.pack("=Q", EVERY_FILE_RIGHT)
    ruleset = library.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise ConfinementFailed(ctypes.get_errno(), "no Landlock rules can be made")
    for path in readable:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = READ_FILE | EXECUTE | (READ_FOLDER if os.path.isdir(path) else 0)
        rule = struct.pack("=Qi", allowed, folder)
        refused = library.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
        os.close(folder)
        if refused:
            raise ConfinementFailed(ctypes.get_errno(), f"Landlock refuses a rule for {path}")
    if library.syscall(RESTRICT_SELF, ruleset, 0):
        raise ConfinementFailed(ctypes.get_errno(), "Landlock cannot be put in force")
    os.close(ruleset)


def _filter_calls(library: ctypes.CDLL) -> None:
    """Seccomp: the forbidden calls answer EACCES in this process and in all its threads to come."""
    machine = platform.machine()
    if machine not in MACHINES:
        raise ConfinementFailed(errno.ENOSYS, f"renders cannot be confined on {machine}")
    column = list(MACHINES).index(machine)
    numbers = sorted(pair[column] for pair in FORBIDDEN.values())
    program = [
        _instruction(LOAD, 4),
        _instruction(EQUAL, MACHINES[machine], 1, 0),
        _instruction(RETURN, REFUSE),
        _instruction(LOAD, 0),
        _instruction(AT_LEAST, FOREIGN_CALLS, len(numbers) + 1, 0),
        *(_instruction(EQUAL, number, len(numbers) - index, 0) for index, number in enumerate(numbers)),
        _instruction(RETURN, ALLOW),
        _instruction(RETURN, REFUSE),
    ]
    code = ctypes.create_string_buffer(b"".join(program))
    head = struct.pack("@HxxxxxxP", len(program), ctypes.addressof(code))
    if library.prctl(SECCOMP, SECCOMP_FILTER, head, 0, 0):
        raise ConfinementFailed(ctypes.get_errno(), "no filter of system calls can be set")


def _instruction(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, when_true, when_false, value)
