"""A field of the settings: its default, its line of the manual, and its bounds."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

from handlers.settings.quantities import Unit

T = TypeVar("T")


def setting(
    default: T,
    about: str,
    *,
    unset: str = "",
    choices: tuple[str, ...] = (),
    least: int | None = None,
    unit: Unit | None = None,
) -> T:
    """A field of Settings with its line of the manual; `unset` says what an empty default stands for.

    With a `unit` it is a size or a time, which may be said in people's words: `1G`, `30d`.
    """
    facts = {"about": about, "unset": unset, "choices": choices, "least": least, "unit": unit}
    return field(default=default, metadata=facts)
