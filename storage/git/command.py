"""GitCommand: execution of git within limits, and removal of stale locks of killed processes."""

from __future__ import annotations

import errno
import io
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chains.files.fsync import place_file
from chains.files.keeper import keeper_of
from vfs.errors import Unavailable, storage_error

# Messages of git and the C library when memory or a thread was refused, or a child of git was killed.
_COMPLAINT = re.compile(
    rb"out of memory|cannot allocate memory|unable to create thread|died of signal (?:9|24)\b", re.IGNORECASE
)
# Git does not always report the error with which a write failed.
_UNWRITTEN = re.compile(
    rb"(?:couldn't|could not|unable to|failed to|cannot) (?:write|close|fsync|rename|append|set)\b"
    rb"|write error\b"
)
_SIGNALS = (signal.SIGXCPU, signal.SIGKILL)
# The exit code of the process itself, and the code by which a shell or git reports a child's signal.
_CODES = frozenset(code for each in _SIGNALS for code in (-each, 128 + each))


@dataclass(frozen=True, slots=True)
class GitLimits:
    """The limits of a git process, and of each process that it starts.

    `memory`: the address space in bytes, for pack windows, one or two indexes, and a delta window for each
    thread. `seconds`: processor time.
    """

    memory: int = 4 << 30
    seconds: int = 900

    @property
    def program(self) -> tuple[str, ...]:
        """The command prefix that sets these limits."""
        # With equal soft and hard limits the kernel sends SIGKILL, which does not show the cause.
        seconds = f"--cpu={self.seconds}:{self.seconds + 5}"
        return ("prlimit", f"--as={self.memory}", seconds, "--core=0", "--")


LIMITS = GitLimits()


def was_stopped(code: int | None, complaint: bytes = b"") -> bool:
    """Return whether a git with this exit code and this standard error was stopped by its limits."""
    return bool(code) and (code in _CODES or _COMPLAINT.search(complaint) is not None)


LOCK = ".lock"
STALE = 300.0
"""Seconds after which a lock is stale: git holds it only to write a small file or the packed refs."""

_log = logging.getLogger("curlew")


def drop_stale_locks(repository: Path) -> None:
    """Remove the locks of a bare repository that are older than STALE; no ref has such a name.

    A stale lock blocks pushes until it is removed. After the clock is set back, no lock seems old. After it
    is set forward, at most the locks that git holds at this moment are removed by mistake.
    """
    before = time.time() - STALE
    for folder, names in _folders(repository):
        for name in names:
            lock = os.path.join(folder, name)
            with suppress(OSError):  # git has removed it meanwhile
                if os.lstat(lock).st_mtime < before:
                    os.unlink(lock)
                    _log.warning("removed a lock that a git left behind: %s", lock)


def _folders(repository: Path) -> list[tuple[str, list[str]]]:
    """Return the folders in which git keeps locks of refs and settings, with the names of the locks."""
    with suppress(OSError):
        top = [(str(repository), os.listdir(repository))]
        below = [(folder, files) for folder, _, files in os.walk(repository / "refs")]
        return [(folder, [name for name in names if name.endswith(LOCK)]) for folder, names in top + below]
    return []


SECONDS = 120
MOST_WORDS = 1 << 12
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
STOPPED = (
    "git needed more memory or processor time than this server gives it; "
    "request less at a time, or inform the operator."
)
log = logging.getLogger("curlew")


# git's global configuration for the processes started here; it applies to every repository, old and new.
CONFIG = """\
[safe]
\tdirectory = *
[http]
\treceivepack = true
[core]
\thooksPath = {hooks}
\tfsync = objects,reference
\tfsyncMethod = batch
\tlogAllRefUpdates = false
\tbigFileThreshold = 32m
\tpackedGitWindowSize = 64m
\tpackedGitLimit = 1g
[pack]
\twindowMemory = 64m
\tthreads = 4
[transfer]
\tfsckObjects = true
[receive]
\tdenyDeleteCurrent = ignore
\tmaxInputSize = {largest}
\tunpackLimit = 1
\tkeepAlive = 1
[receive "fsck"]
\tbadTimezone = ignore
\tmissingSpaceBeforeDate = ignore
\tzeroPaddedFilemode = ignore
[uploadpack]
\tallowFilter = true
[gc]
\tauto = 2000
[init]
\tdefaultBranch = main
"""

POST_RECEIVE = """\
#!/bin/sh
# Passes the pushed refs to the server, which builds images and reports progress to the pusher.
exec {program}
"""


# Pushed objects are in quarantine until this hook succeeds. CURLEW_PUSH: a folder with two pipes to ask the
# server whether the push is still allowed. CURLEW_ROOM: number of bytes by which the repo may grow.
# CURLEW_BUILDS: number of commits that may be built. If the last two are empty, there is no limit.
PRE_RECEIVE = """\
#!/bin/sh
# Refuses a push that is no longer allowed, is larger than the room of the owner's account, or would queue too
# many builds.
if [ -n "$CURLEW_PUSH" ]; then
    echo ask | timeout 10 tee "$CURLEW_PUSH/ask" >/dev/null 2>&1
    answer=$(timeout 60 head -n 1 "$CURLEW_PUSH/answer" 2>/dev/null)
    if [ "$answer" != yes ]; then
        printf '%s\\n' "${answer:-the server that took this push is gone; push again.}"
        echo "Nothing was kept of the push."
        exit 1
    fi
fi
if [ -n "$CURLEW_ROOM" ] && [ -d "$GIT_QUARANTINE_PATH" ]; then
    size=$(du -sk "$GIT_QUARANTINE_PATH" | cut -f1)
    if [ "$size" -gt $((CURLEW_ROOM / 1024 + 64)) ]; then
        echo "the account of this repo cannot store more: its storage quota is full."
        echo "Nothing was kept of the push; remove something there, or ask the operator for more."
        exit 1
    fi
fi
if [ -n "$CURLEW_BUILDS" ]; then
    commits=$(while read -r old new ref; do
        case "$new $ref" in
            *[!0]*" refs/heads/"* | *[!0]*" refs/tags/"*) echo "$new^{commit}" ;;
        esac
    done)
    builds=0
    if [ -n "$commits" ]; then
        builds=$(printf '%s\\n' "$commits" | git cat-file --batch-check='%(objectname)' | sort -u | grep -c .)
    fi
    if [ "$builds" -gt "$CURLEW_BUILDS" ]; then
        echo "this push would queue $builds builds, and the account may have $CURLEW_BUILDS more at once."
        echo "Nothing was kept of it; push fewer branches at a time, or wait until builds have ended."
        exit 1
    fi
fi
"""


class GitCommand:
    """The program git for the repositories below a folder, run as the account that owns them.

    So commands in a repository's configuration have only that account's permissions. Git gets only PATH of
    the server's environment.
    """

    def __init__(self, home: Path, hook: Sequence[str], largest: int, limits: GitLimits = LIMITS) -> None:
        """Set `hook`, the program that runs after a push, and `largest`, the maximum bytes of a push."""
        self._limited = limits.program
        self._home = home.absolute()
        self._keeper = keeper_of(self._home)
        hooks = self._home / "hooks"
        quoted = '"' + str(hooks).replace("\\", "\\\\").replace('"', '\\"') + '"'
        with self._keeper.acting():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            hooks.mkdir(mode=0o700, exist_ok=True)
            _keep(self._home / "gitconfig", CONFIG.format(hooks=quoted, largest=largest), 0o600)
            _keep(hooks / "pre-receive", PRE_RECEIVE, 0o700)
            _keep(hooks / "post-receive", POST_RECEIVE.format(program=shlex.join(hook)), 0o700)

    def environment(self) -> dict[str, str]:
        """Return the complete environment of git."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._home),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self._home / "gitconfig"),
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",  # a pushed refs/replace must not change the content of a commit
            "GIT_TERMINAL_PROMPT": "0",
            # No repository can make git fetch from another place, which could run any program.
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            # The memory arena of each thread would take 64 MiB of the address space.
            "MALLOC_ARENA_MAX": "2",
        }

    def run(
        self,
        repository: Path,
        *words: str | bytes,
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
    ) -> bytes | None:
        """Run git; return its output, None when it fails. `stdin` and `env` are those of `start`.

        Raises Unavailable when git is missing, does not end, or is stopped by its limits.
        """
        with os.fdopen(os.memfd_create("complaint"), "w+b") as complaint:
            process = self.start(repository, *words, stdin=stdin, stderr=complaint, env=env)
            try:
                printed, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                kill(process)
                raise Unavailable(f"git did not answer within {SECONDS} seconds; try again later.") from None
            complaint.seek(0)
            refuse_stopped(process.returncode, complaint.read(MOST_WORDS))
        return printed if process.returncode == 0 else None

    def start(
        self,
        repository: Path,
        *words: str | bytes,
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        stderr: IO[bytes] | int = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start git within its limits, in its own session, with a pipe for its output.

        `env` is added to `environment()`. Raises Unavailable when git is not installed.
        """
        with self._keeper.acting():
            place = repository if repository.is_dir() else self._home
        environment = self.environment()
        for program in (self._limited[0], "git"):
            if shutil.which(program, path=environment["PATH"]) is None:
                raise Unavailable(f"{program} is not installed on the server; its operator has to do that.")
        return subprocess.Popen(
            [*self._limited, "git", *words],
            cwd=place,
            env={**environment, "GIT_DIR": str(repository), **(env or {})},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            **self._keeper.program,
        )


class Output(io.RawIOBase):
    """The output of a process as a file; closing it ends the process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._process = process
        self._pipe = process.stdout

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes, none at the end, as RawIOBase does."""
        piece = self._pipe.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """End the process and reap it."""
        if not self.closed:
            kill(self._process)
        super().close()


def refuse_stopped(code: int | None, complaint: bytes = b"") -> None:
    """Raise an error if the server caused git's failure, and not its input.

    Log and raise Unavailable if limits stopped git. Raise as storage_error does if the disk failed.
    """
    for error in DISK_ERRORS if code else ():
        if os.strerror(error).encode() in complaint:
            raise storage_error(OSError(error, os.strerror(error)), "what git writes")
    if code and _UNWRITTEN.search(complaint):
        raise storage_error(OSError(errno.EIO, os.strerror(errno.EIO)), "what git writes")
    if was_stopped(code, complaint):
        log.warning("git was stopped by its limits or by the system, and ended with exit code %s", code)
        raise Unavailable(STOPPED)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that `GitCommand.start` started, and all its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, reap it and close its output."""
    end(process)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _keep(path: Path, text: str, mode: int) -> None:
    """Write a text to a file, unless the file already contains it."""
    content = text.encode()
    with suppress(FileNotFoundError):
        if path.read_bytes() == content:
            return
    place_file(path, content, mode=mode)
