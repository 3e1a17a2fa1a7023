"""Passages that fold: on a screen behind their summary, on paper below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handlers.render.documents.markup.spans import Spans


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks behind a line that says what they are; `shown`: they are unfolded from the start."""

    line: int
    summary: Spans
    blocks: tuple[Any, ...]
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """The line of a passage that folds, while the passage is being read."""

    line: int
    spans: Spans
