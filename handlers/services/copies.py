"""Copies of other owners' documents and mails, whose references keep their meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from handlers.rendering.port import KeptRendering
from handlers.rules.render_options import NO_DEFAULTS
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.part_requests import CONTENT, LARGEST_CONTENT
from handlers.services.renderings import (
    FAILURE,
    LeavesRecipe,
    WantedRender,
    digest_of_leaves,
    found_renderings,
    key_of,
    renderings_of,
)
from handlers.services.viewer import Viewer
from handlers.words.references import ReferencePlaces, load_places
from vfs.errors import Conflict, TooLarge
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of, text_at

REFERENCES = "references"
AT_A_TIME = 8
"""Texts whose references are requested at once; the time limit is checked between such groups."""


def places_of(viewer: Viewer, asked: Path, content: str) -> ReferencePlaces:
    """Return the positions of the references in the content of an item, requested at the path `asked`.

    Raises Conflict if the content has changed meanwhile.
    """
    wanted = _wanted_render(viewer.item, content)
    ((key, kept),) = renderings_of(viewer, _recipe(viewer.item.kind), [wanted])
    if key != _key(wanted):
        raise Conflict(f"{asked} was written just now: copy it again")
    return _load(kept)


def all_places_of(
    viewer: Viewer, kind: str, contents: Sequence[tuple[Item, str]]
) -> Iterator[ReferencePlaces | None]:
    """Yield the positions of the references in contents of one kind, in their order.

    Yields None for a content that changed meanwhile or cannot be read, and for the rest when the time is
    over. Raises Unavailable when too many renders wait.
    """
    until = monotonic() + viewer.world.service.settings.render_seconds
    for start in range(0, len(contents), AT_A_TIME):
        wanted = [_wanted_render(*one) for one in contents[start : start + AT_A_TIME]]
        if start and monotonic() > until:
            yield from [None] * len(wanted)
            continue
        found = found_renderings(viewer, _recipe(kind), wanted)
        for one, (key, kept) in zip(wanted, found, strict=True):
            yield _load(kept) if key == _key(one) and kept.media != FAILURE else None


def _recipe(kind: str) -> LeavesRecipe:
    return LeavesRecipe(kind, (CONTENT,), folder=CONTENT)


def _wanted_render(item: Item, content: str) -> WantedRender:
    return WantedRender(item, REFERENCES, NO_DEFAULTS, digest_of_leaves({CONTENT: digest_of(content)}))


def _key(wanted: WantedRender) -> str:
    return key_of(wanted.item.kind, REFERENCES, NO_DEFAULTS, wanted.version)


def _load(kept: KeptRendering) -> ReferencePlaces:
    with kept.open() as file:
        return load_places(file.read().decode())


MOST_LINES = 10
"""Lines of warnings about what the copy's owner does not see."""


@dataclass(frozen=True, slots=True)
class TakenText:
    """A file of the copied item as it was `before` and for its copy, with `warnings` for the caller."""

    rel: str
    before: str
    after: str
    warnings: Sequence[str] = ()


def admit_text(text: str, largest: int) -> str:
    """Return a text whose references were written out. Raises TooLarge if it exceeds `largest` bytes."""
    if len(text.encode()) > largest:
        raise TooLarge(
            f"with its references written out for another owner the text has more than {largest:,} bytes: "
            "ask its owner for a shorter one"
        )
    return text


def keep_text(viewer: Viewer, asked: Path, copy: Item, taken: TakenText) -> str:
    """Write a text to the copy of the item at `asked`; return the warnings, one per line."""
    if text_at(viewer.world.leaves, copy.id, taken.rel) != taken.before:
        raise Conflict(f"{asked} was written just now: copy it again")
    if taken.after != taken.before:
        viewer.world.leaves.put(copy.id, taken.rel, taken.after, viewer.me)
    return lines_of(taken.warnings)


def unseen(names: Sequence[str]) -> list[str]:
    """Return a sentence for each name that the copy's owner does not see, missing or hidden."""
    return [f"{name} is not there, or not visible to you: the copy does not show it" for name in names]


def lines_of(warnings: Sequence[str]) -> str:
    """Return one line for each warning, of the first MOST_LINES, and the number of the others."""
    more = [f"and {len(warnings) - MOST_LINES:,} more"] if len(warnings) > MOST_LINES else []
    return "".join(f"warning: {one}\n" for one in (*warnings[:MOST_LINES], *more))


def taken_document(viewer: Viewer, asked: Path) -> TakenText:
    """Return the content of a document or mail, requested at `asked`, for a copy of another owner."""
    content = text_at(viewer.world.leaves, viewer.item.id, CONTENT)
    if not content:
        return TakenText(CONTENT, "", "")
    places = places_of(viewer, asked, content)
    left = [
        f"{ref} could not be written as @{viewer.item.owner}'s, and now names an item of yours"
        for ref in places.unreached_refs()
    ]
    after = admit_text(places.with_owner(content, viewer.item.owner), LARGEST_CONTENT)
    return TakenText(CONTENT, content, after, [*left, *unseen(unseen_parts(viewer, viewer.item, viewer.me))])
