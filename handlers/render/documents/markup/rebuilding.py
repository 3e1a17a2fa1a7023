"""Parts of a document made anew: what is read later changes what was read before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

Change = Callable[[Any, Any, int], Any]
"""Makes a part anew: of the part, of the part with its inner ones changed, and of the line of its block.

A tuple takes its place in the tuple that holds the part.
"""


def rebuilt(value: Any, change: Change, line: int = 1) -> Any:
    """A part of a document, inner parts first; the part itself where nothing changes."""
    if isinstance(value, tuple):
        made: list[Any] = []
        for one in value:
            new = rebuilt(one, change, line)
            made += new if isinstance(new, tuple) and not isinstance(one, tuple) else [new]
        return value if len(made) == len(value) and all(map(_is, made, value)) else tuple(made)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    line = getattr(value, "line", line)
    inner = ((one.name, getattr(value, one.name)) for one in fields(value))
    pairs = [(name, old, rebuilt(old, change, line)) for name, old in inner if isinstance(old, tuple)]
    changed = {name: new for name, old, new in pairs if new is not old}
    return change(value, replace(value, **changed) if changed else value, line)


def _is(one: Any, other: Any) -> bool:
    return one is other
