"""Confinement of a process that renders: no socket, no other program, few files, bounded memory."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
import sysconfig
from collections.abc import Iterable, Sequence

from handlers.rendering.call_filter import SECCOMP, column, filter_program

NO_NEW_PRIVILEGES = 38
"""Of prctl(2)."""
SET_FILTER, ALL_THREADS = 1, 1
"""Of seccomp(2)."""
INSTRUCTION = 8
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's calls, the same on every machine (landlock(7))."""
CAPABILITIES = 0x20080522
"""The version of capset(2)'s arguments."""
READ_FILE, READ_FOLDER, EXECUTE = 1 << 2, 1 << 3, 1 << 0
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Kinds of access to files that Landlock knows from a version on."""
SCOPES, SCOPED_FROM = 0b11, 6
"""Abstract sockets and signals: nobody outside is reached, from that version on."""
ETC = ("/etc/fonts", "/var/cache/fontconfig", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
PATH_BENEATH = 1
SHORTEST_DATA = 512 << 20
"""Bytes of memory: four times what loading takes, as a process that has half of its memory is replaced."""


class ConfinementFailed(OSError):
    """Raised when this machine cannot confine the process."""


def confine(readable: Iterable[str], memory: int) -> None:
    """Give up, for good: sockets, other programs, files outside `readable` folders, more than `memory` bytes.

    It is for threads that begin afterwards, so there may be but one. Raises ConfinementFailed when there are
    more, or when no filter can be set; a kernel without Landlock leaves reading of files to the modes.
    """
    if len(os.listdir("/proc/self/task")) > 1:
        raise ConfinementFailed(errno.EBUSY, "threads that run already cannot be confined")
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise ConfinementFailed(ctypes.get_errno(), "no_new_privs cannot be set")
    _limit(memory)
    _restrict_files(library, [path for path in readable if os.path.exists(path)])
    _drop_capabilities(library)
    _filter_calls(library)


def landlock_version(library: ctypes.CDLL | None = None) -> int:
    """The version of Landlock that this kernel has; 0 when it has none."""
    library = library or ctypes.CDLL(None, use_errno=True)
    return max(0, int(library.syscall(CREATE_RULESET, None, 0, 1)))


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
    version = landlock_version(library)
    if not version:
        return
    files = (1 << max(bits for since, bits in FILE_RIGHTS.items() if since <= version)) - 1
    attributes = struct.pack("=Q", files)
    if version >= SCOPED_FROM:
        attributes += struct.pack("=QQ", 0, SCOPES)
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


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Give up root's privileges, where there are any."""
    head = struct.pack("=Ii", CAPABILITIES, 0)
    if library.capset(head, bytes(24)):
        raise ConfinementFailed(ctypes.get_errno(), "capabilities cannot be given up")


def _filter_calls(library: ctypes.CDLL) -> None:
    """Seccomp: the filter is for all threads of this process, those to come too."""
    machine = platform.machine()
    try:
        program, call = filter_program(machine, os.getpid()), SECCOMP[column(machine)]
    except KeyError:
        raise ConfinementFailed(errno.ENOSYS, f"renders cannot be confined on {machine}") from None
    code = ctypes.create_string_buffer(program)
    head = struct.pack("@HxxxxxxP", len(code.raw) // INSTRUCTION, ctypes.addressof(code))
    if library.syscall(call, SET_FILTER, ALL_THREADS, head):
        raise ConfinementFailed(ctypes.get_errno(), "no filter of system calls can be set")


def readable_folders() -> list[str]:
    """Folders whose files drawing reads: Python's, this package's, fonts and libraries.

    Of the paths of modules only those of installed packages: a checkout may have a data folder in it.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    own = [os.path.join(here, name) for name in ("vfs", "chains", "storage", "handlers")]
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    system = ("/usr/lib", "/lib", "/lib64", "/usr/share/fonts", "/dev/urandom")
    packages = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    return [*own, *python, *packages, sys.base_prefix, *system, *ETC]
