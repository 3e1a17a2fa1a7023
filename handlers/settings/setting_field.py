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
    """Return a field of Settings with its line of the manual; `unset` describes an empty default.

    With a `unit` it is a size or a time, which may be written as `1G` or `30d`.
    """
    facts = {"about": about, "unset": unset, "choices": choices, "least": least, "unit": unit}
    return field(default=default, metadata=facts)
