"""Words for the letters of a share: what they let people do with a kind, for pages and notices."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.rules.kinds import ResourceKind
from vfs.access import LETTERS

DELETE = "d"


def in_words(kind: ResourceKind, letters: str) -> str:
    """What people with these letters may do with an item: `read`, `edit and delete`, `r and d`."""
    held = "".join(one for one in LETTERS if one in letters)
    if held in kind.rights:
        return kind.rights[held]
    kept = held.replace(DELETE, "")
    if DELETE in held and "w" in kept and kept in kind.rights:
        return f"{kind.rights[kept].replace(' and ', ', ')} and delete"
    first, last = ", ".join(held[:-1]), held[-1:]
    return f"{first} and {last}" if first else last or "nothing"


def choices(kind: ResourceKind) -> Iterator[tuple[str, str]]:
    """The sets of letters that there are words for, each with its words: first those that cannot delete."""
    yield from kind.rights.items()
    for letters in kind.rights:
        if "w" in letters:
            more = "".join(one for one in LETTERS if one in letters + DELETE)
            yield more, in_words(kind, more)
