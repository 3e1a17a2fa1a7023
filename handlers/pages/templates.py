"""Templates to HTML: the one importer of Jinja2, and how moments, lengths of time and sizes are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from handlers.pages.assets import address

MINUTE, HOUR, DAY = 60, 3600, 86_400


def render(name: str, facts: Mapping[str, Any]) -> bytes:
    """The page that a template makes of these facts, in UTF-8. Whatever stands in a fact is escaped."""
    return _environment().get_template(name).render(facts).encode("utf-8", "replace")


def moment(stamp: str | None) -> str:
    """A time stamp for people, UTC: `21 Nov 2026, 07:44:16`; nothing for None."""
    return f"{datetime.fromisoformat(stamp):%-d %b %Y, %H:%M:%S}" if stamp else ""


def lasting(seconds: float | None) -> str:
    """A length of time for people: `0.71 s`, `3 min 5 s`, `2 h 4 min`, `3 d 2 h`; nothing for None."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    for large, small, one, other in (
        (DAY, HOUR, "d", "h"),
        (HOUR, MINUTE, "h", "min"),
        (MINUTE, 1, "min", "s"),
    ):
        if whole >= large:
            return f"{whole // large} {one} {whole % large // small} {other}"
    return f"{whole} s"


def size(count: int) -> str:
    """A number of bytes for people: `312 B`, `4.2 KiB`."""
    if count < 1024:
        return f"{count} B"
    power = min(int(math.log(count, 1024)), 3)
    return f"{count / 1024**power:.1f} {('KiB', 'MiB', 'GiB')[power - 1]}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("handlers.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(moment=moment, lasting=lasting, sized=size)
    made.globals.update(asset=address)
    return made
