"""Confinement of a process that renders: no socket, no other program, few files, bounded memory."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from handlers.rendering.call_filter import SECCOMP, column, filter_program
from vfs.errors import Unavailable

NO_NEW_PRIVILEGES = 38
"""An option of prctl(2)."""
SET_FILTER, ALL_THREADS = 1, 1
"""An operation and a flag of seccomp(2)."""
INSTRUCTION = 8
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's calls, with the same numbers on every machine (landlock(7))."""
CAPABILITIES = 0x20080522
"""The version of capset(2)'s arguments."""
READ_FILE, READ_FOLDER, EXECUTE = 1 << 2, 1 << 3, 1 << 0
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Landlock's rights for files, by the first version that has them."""
SCOPES, SCOPED_FROM = 0b11, 6
"""Abstract sockets and signals: nothing outside can be reached, from that version on."""
ETC = ("/etc/fonts", "/var/cache/fontconfig", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
PATH_BENEATH = 1
SHORTEST_DATA = 512 << 20
"""Least memory in bytes: four times that of the loaded code, as using half of it ends a process."""


class ConfinementFailed(OSError):
    """Raised when this machine cannot confine the process."""


def confine(readable: Iterable[str], memory: int) -> None:
    """Deny this process sockets, other programs, files outside `readable` and more than `memory` bytes.

    It cannot be undone. It applies to threads that begin afterwards, so there must be only one now. Raises
    ConfinementFailed if there are more, or without a filter. Without Landlock only modes protect files.
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
    """Return the version of this kernel's Landlock; 0 without one."""
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
    """Allow only reading below some folders, with Landlock."""
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
        raise ConfinementFailed(ctypes.get_errno(), "Landlock cannot be enabled")
    os.close(ruleset)


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Drop root's capabilities, if there are any."""
    head = struct.pack("=Ii", CAPABILITIES, 0)
    if library.capset(head, bytes(24)):
        raise ConfinementFailed(ctypes.get_errno(), "capabilities cannot be dropped")


def _filter_calls(library: ctypes.CDLL) -> None:
    """Install the seccomp filter for all present and future threads of this process."""
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
    """Return folders with files for drawing: Python's, this package's, fonts and libraries.

    Only the folders of installed packages in the module path, because a checkout may contain a data folder.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    own = [os.path.join(here, name) for name in ("vfs", "chains", "storage", "handlers")]
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    system = ("/usr/lib", "/lib", "/lib64", "/usr/share/fonts", "/dev/urandom")
    packages = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    return [*own, *python, *packages, sys.base_prefix, *system, *ETC]


SECONDS = 30.0
FAILED = 3
NETWORK: Mapping[str, Callable[[], object]] = {
    "a socket of the network": lambda: socket.socket(socket.AF_INET),
    "a socket of this host": lambda: socket.socket(socket.AF_UNIX),
    "a pair of sockets": socket.socketpair,
    "another program": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    "another process": os.fork,
}
FILES: Mapping[str, Callable[[], object]] = {"files of the service": lambda: os.listdir("/")}


@dataclass(frozen=True, slots=True)
class ConfinementTrial:
    """The version of Landlock (0: none), and the files that a confined process could still read."""

    landlock: int
    reached: tuple[str, ...] = ()

    @property
    def concerns(self) -> tuple[str, ...]:
        """Sentences for the operator."""
        if self.landlock and not self.reached:
            return ()
        return (
            "this kernel has no Landlock: a render that broke out of its libraries would read what the "
            "account of the service can",
        )


def try_confinement() -> ConfinementTrial:
    """Test the confinement in a separate process. Raises Unavailable if it fails on this machine."""
    command = [sys.executable, "-P", "-m", "handlers.rendering.confinement"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"no process that renders can be started: {error}") from error
    if tried.returncode:
        raise Unavailable(f"no process that renders can be confined: {tried.stderr.strip()[-300:]}")
    found = json.loads(tried.stdout)
    return ConfinementTrial(found["landlock"], tuple(found["reached"]))


def main() -> int:
    """Confine this process, attempt what must be refused, and print what was not."""
    try:
        confine(readable_folders(), 1)
    except ConfinementFailed as failure:
        sys.stderr.write(f"{failure.strerror}\n")
        return FAILED
    open_ways = [what for what, attempt in NETWORK.items() if succeeds(attempt)]
    if open_ways:
        sys.stderr.write(f"it still reaches {', '.join(open_ways)}\n")
        return FAILED
    reached = [what for what, attempt in FILES.items() if succeeds(attempt)]
    print(json.dumps({"landlock": landlock_version(), "reached": reached}))  # noqa: T201
    return 0


def succeeds(attempt: Callable[[], object]) -> bool:
    """Return whether an attempt did not fail with OSError, as refused calls do."""
    try:
        attempt()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
