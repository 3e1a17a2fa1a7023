"""The text that a copy for another owner takes along, its references as they were meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.services.viewer import Viewer
from vfs.errors import Conflict, TooLarge
from vfs.path import Path
from vfs.ports.items import Item

MOST_LINES = 10
"""Lines that tell of what a copier does not see."""


@dataclass(frozen=True, slots=True)
class TakenText:
    """A file of an item as it was `before`, and as its copy is to have it; `told` is said to the copier."""

    rel: str
    before: str
    after: str
    told: Sequence[str] = ()


def text_at(viewer: Viewer, rel: str) -> str:
    """A text of the item that is copied."""
    leaf = viewer.world.leaves.get(viewer.item.id, rel)
    return leaf.text or "" if leaf is not None else ""


def admit_text(text: str, largest: int) -> str:
    """A text whose references were made longer. Raises TooLarge where no such file may be so large."""
    if len(text.encode()) > largest:
        raise TooLarge(
            f"with its references written out for another owner the text has more than {largest:,} bytes: "
            "ask its owner for a shorter one"
        )
    return text


def keep_text(viewer: Viewer, asked: Path, copy: Item, taken: TakenText) -> str:
    """Let the copy have the text of an item, `asked` for there; what its copier should know, a line each."""
    leaf = viewer.world.leaves.get(copy.id, taken.rel)
    if (leaf.text or "" if leaf is not None else "") != taken.before:
        raise Conflict(f"{asked} was written just now: copy it again")
    if taken.after != taken.before:
        viewer.world.leaves.put(copy.id, taken.rel, taken.after, viewer.me)
    return lines_of(taken.told)


def unseen(names: Sequence[str]) -> list[str]:
    """Sentences about what a copy names and its owner does not see, the same for what is not there."""
    return [f"{name} is not there, or not visible to you: the copy does not show it" for name in names]


def lines_of(told: Sequence[str]) -> str:
    """A warning on a line for each sentence, of many the first ones."""
    more = [f"and {len(told) - MOST_LINES:,} more"] if len(told) > MOST_LINES else []
    return "".join(f"warning: {one}\n" for one in (*told[:MOST_LINES], *more))
