"""GitCommand: the one way to run git, with its limits, and without locks of one that was killed."""

from __future__ import annotations

import io
import logging
import os
import re
import secrets
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

from chains.files.keeper import keeper_of
from vfs.errors import Unavailable

# Git's words, and the C library's, where memory or a thread was refused, or a program of git's was ended.
_COMPLAINT = re.compile(
    rb"out of memory|cannot allocate memory|unable to create thread|died of signal (?:9|24)\b", re.IGNORECASE
)
_SIGNALS = (signal.SIGXCPU, signal.SIGKILL)
# As the process itself ends, and as a shell or git tells of a program of its own.
_CODES = frozenset(code for each in _SIGNALS for code in (-each, 128 + each))


@dataclass(frozen=True, slots=True)
class GitLimits:
    """The limits of a git, and of each program that it starts anew.

    `memory` is its address space in bytes: windows of packs, an index or two, a window of deltas for each
    thread. `seconds` are of the processor.
    """

    memory: int = 4 << 30
    seconds: int = 900

    @property
    def program(self) -> tuple[str, ...]:
        """The words before a command that is to have these limits."""
        # Where both limits of time are equal the kernel kills, which looks as if anybody had.
        seconds = f"--cpu={self.seconds}:{self.seconds + 5}"
        return ("prlimit", f"--as={self.memory}", seconds, "--core=0", "--")


LIMITS = GitLimits()


def was_stopped(code: int | None, complaint: bytes = b"") -> bool:
    """Whether a git with this exit code and these words on its standard error was stopped by its limits."""
    return bool(code) and (code in _CODES or _COMPLAINT.search(complaint) is not None)


LOCK = ".lock"
STALE = 300.0
"""Seconds: a git keeps a lock for as long as it writes one small file or the list of packed refs."""

_log = logging.getLogger("curlew")


def drop_stale_locks(repository: Path) -> None:
    """Remove the locks of a bare repository that are older than STALE; no ref is called so.

    Such a lock would keep pushes out until somebody removes it by hand. A clock that was set back lets none
    of them seem old; one that was set forward, those at most that a git takes at this moment.
    """
    before = time.time() - STALE
    for folder, names in _folders(repository):
        for name in names:
            lock = os.path.join(folder, name)
            with suppress(OSError):  # its git was faster
                if os.lstat(lock).st_mtime < before:
                    os.unlink(lock)
                    _log.warning("removed a lock that a git left behind: %s", lock)


def _folders(repository: Path) -> list[tuple[str, list[str]]]:
    """The folders in which git keeps locks of refs and settings, with the names of locks in each."""
    with suppress(OSError):
        top = [(str(repository), os.listdir(repository))]
        below = [(folder, files) for folder, _, files in os.walk(repository / "refs")]
        return [(folder, [name for name in names if name.endswith(LOCK)]) for folder, names in top + below]
    return []


SECONDS = 120
MOST_WORDS = 1 << 12
STOPPED = (
    "git needed more memory or processor time than this server gives it; "
    "ask for less at a time, or tell the operator."
)
log = logging.getLogger("curlew")


# git's global configuration for the programs started here, so it holds for every repository, old and new.
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
# Hands the pushed refs to the server, which builds images and tells the pusher how it goes.
exec {program}
"""


# What is pushed lies in a quarantine until this ends well. CURLEW_PUSH is a folder with two pipes, by which
# the server is asked whether the push may still be made. CURLEW_ROOM are the bytes by which the repo may
# grow, CURLEW_BUILDS is how many commits may be built (nothing: all).
PRE_RECEIVE = """\
#!/bin/sh
# Refuses a push that may no longer be made, is larger than its owner's account has room for, or would queue
# too many builds.
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
        echo "the account of this repo may keep no more: its quota of storage is full."
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
    """Runs git for the repositories below a folder, as the account in whose hands they are.

    What their configuration makes git do, it does with no other's rights. Nothing of the server's own
    environment reaches it.
    """

    def __init__(self, home: Path, hook: Sequence[str], largest: int, limits: GitLimits = LIMITS) -> None:
        """`hook` is the program that runs after a push, `largest` the most bytes that one may bring."""
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
        """The whole environment that git is started with."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._home),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self._home / "gitconfig"),
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",  # a pushed refs/replace must not change what a commit shows
            "GIT_TERMINAL_PROMPT": "0",
            # No repository makes git fetch from elsewhere, which may be a program of its choice.
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            # Each arena would take 64 MiB of the address space, for every thread one.
            "MALLOC_ARENA_MAX": "2",
        }

    def run(
        self,
        repository: Path,
        *words: str | bytes,
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
    ) -> bytes | None:
        """The output of git; None when it refuses. `stdin` and `env` are as `start` takes them.

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
        """Git at work within its limits, in a session of its own, its output a pipe.

        `env` comes on top of `environment()`. Raises Unavailable where git is not installed.
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
    """The output of a program as a file; closing it ends the program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._process = process
        self._pipe = process.stdout

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """As RawIOBase: the next bytes, none at the end."""
        piece = self._pipe.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """End the program, if it has not, and forget it."""
        if not self.closed:
            kill(self._process)
        super().close()


def refuse_stopped(code: int | None, complaint: bytes = b"") -> None:
    """Raise Unavailable for a git that was stopped by its limits, and log it: it did not refuse, it broke."""
    if was_stopped(code, complaint):
        log.warning("a git was stopped by its limits, or by the system, and ended with exit code %s", code)
        raise Unavailable(STOPPED)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that `GitCommand.start` started, with all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program, reap it and close its output."""
    end(process)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _keep(path: Path, text: str, mode: int) -> None:
    """Let a file hold a text; it appears whole, and is left alone when it does already."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return
    except FileNotFoundError:
        pass
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    draft.write_text(text, encoding="utf-8")
    draft.chmod(mode)
    draft.rename(path)
