"""Plot: the data and the settings that are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot to draw: the text of its data, and its settings by their path below `config`."""

    data: str
    config: Mapping[str, str]
    name: str = ""
    summary: str = ""

    @property
    def type(self) -> str:
        """The word of the type."""
        return self.config.get("type", "").strip() or "bar"
