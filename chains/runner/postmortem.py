"""The log's lines about a step that failed: its last output, and how to run it by hand."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chains.engine.port import StepSpec
from chains.plan.model import ImageSource
from chains.runner.launch import Part

LAST = 5
LONGEST = 500


@dataclass(slots=True)
class Postmortem:
    """Remembers the last lines of every part. `command` tells the line for a shell that runs a step."""

    command: Callable[[StepSpec], str]
    _said: dict[Part, deque[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, part: Part, text: str) -> None:
        """Keep a line that a part printed, as long as it is among the last."""
        with self._lock:
            self._said.setdefault(part, deque(maxlen=LAST)).append(text[:LONGEST])

    def of(self, part: Part, source: ImageSource, spec: StepSpec) -> Iterator[str]:
        """The lines for the log of a part that failed, or of a step that could not begin."""
        with self._lock:
            last = self._said.pop(part, ())
        if last:
            yield f"{part}: what it printed last:"
            yield from (f"{part}:   {text}" for text in last)
        commit = f" (commit {source.commit})" if source.commit else ""
        yield f"{part}: to run it by hand: {self.command(spec)}  # {source}{commit}"
