"""Limits of every git: what memory and processor time it may take, and how one that took more is known."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

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
