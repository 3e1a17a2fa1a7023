"""Effort that reading a text may take: counted in steps, so that it is the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

MOST_STEPS = 400_000
DEEPEST_BLOCK = 24


class EffortSpent(Exception):
    """Raised where a text has taken all the steps that one may take."""


@dataclass(slots=True)
class Effort:
    """The steps that are left, and how things stood where the outermost block began that is being read.

    `line` is its first line, `tokens` precede it, and `before` were left then; `toll` is the price of a
    further line of it.
    """

    left: int
    before: int = 0
    line: int = 0
    tokens: int = 0
    toll: int = 1

    def begin(self, line: int, tokens: int) -> None:
        """Remember where an outermost block begins."""
        self.before, self.line, self.tokens = self.left, line, tokens

    def undo(self) -> None:
        """Take back the steps of the outermost block that is being read."""
        self.left, self.toll = self.before, 1

    def spend(self, steps: int) -> None:
        """Count steps. Raises EffortSpent when none is left."""
        self.left -= steps
        if self.left < 0:
            raise EffortSpent
