"""Log lines about a failed step: its last output, and how to run it by hand."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chains.engine.port import StepSpec
from chains.plan.model import ImageSource
from chains.runner.launch import Part
from chains.runs.records import REPEATED

UNRUNNABLE = re.compile(r"\(catatonit:\d+\): failed to exec pid1: Permission denied")
UNRUNNABLE_ADVICE = (
    "the image's command is no program that its user (USER in the Dockerfile) may run: give it and the "
    "folders above it to that user, or let everybody run it (chmod a+rx), and push again"
)

LAST = 5
LONGEST = 500


@dataclass(slots=True)
class Postmortem:
    """Remembers the last lines of every part. `command` returns the shell command that runs a step."""

    command: Callable[[StepSpec], str]
    _printed: dict[Part, deque[str]] = field(default_factory=dict)
    _ending: tuple[Part, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, part: Part, text: str, *, logged: bool = True) -> None:
        """Remember a line that a part printed. Only the last lines are kept."""
        with self._lock:
            self._printed.setdefault(part, deque(maxlen=LAST)).append(text[:LONGEST])
            before = self._ending[1] if self._ending is not None and self._ending[0] == part else 0
            self._ending = (part, before + 1) if logged else None

    def forget(self, part: Part) -> None:
        """Forget the lines of a part, as it is tried again."""
        with self._lock:
            self._printed.pop(part, None)
            self._ending = None

    def last_lines(self, part: Part) -> Iterator[str]:
        """Yield the last lines of a part for the end of the log, unless the log already ends with them."""
        with self._lock:
            last = tuple(self._printed.get(part, ()))
            repeated = self._ending is None or self._ending[0] != part or self._ending[1] < len(last)
        if last and repeated:
            yield f"{part}: {REPEATED}"
            yield from (f"{part}:   {text}" for text in last)

    def last_word(self, part: Part) -> str:
        """Return the last non-blank line of a part. After a crash it is usually the reason."""
        with self._lock:
            last = tuple(self._printed.get(part, ()))
        return next((text.strip() for text in reversed(last) if text.strip()), "")

    def advice(self, part: Part) -> Iterator[str]:
        """Yield advice if the container's init reports that the image's user may not run the command."""
        if UNRUNNABLE.search(self.last_word(part)):
            yield f"{part}: {UNRUNNABLE_ADVICE}"

    def by_hand(self, part: Part, source: ImageSource, spec: StepSpec) -> str:
        """Return the line that shows how to run a part by hand."""
        commit = f" (commit {source.commit})" if source.commit else ""
        return f"{part}: to run it by hand: {self.command(spec)}  # {source}{commit}"
