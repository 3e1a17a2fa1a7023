"""Documents and mails as others copy them, their references as they were meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from handlers.rendering.port import KeptRendering
from handlers.rules.render_options import NO_DEFAULTS
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.part_requests import CONTENT, LARGEST_CONTENT
from handlers.services.drawing.failed_renders import FAILURE
from handlers.services.renderings import (
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
from vfs.ports.leaves import digest_of

REFERENCES = "references"
AT_A_TIME = 8
"""Texts whose references are asked for before it is asked whether there is time for more."""


def places_of(viewer: Viewer, asked: Path, content: str) -> ReferencePlaces:
    """The places of the references in the content of an item, which was `asked` for there.

    Raises Conflict where somebody wrote another meanwhile.
    """
    wanted = _wanted_render(viewer.item, content)
    ((key, kept),) = renderings_of(viewer, _recipe(viewer.item.kind), [wanted])
    if key != _key(wanted):
        raise Conflict(f"{asked} was written just now: copy it again")
    return _load(kept)


def all_places_of(
    viewer: Viewer, kind: str, contents: Sequence[tuple[Item, str]]
) -> Iterator[ReferencePlaces | None]:
    """The same for contents of a kind, in their order.

    None is given for one that was written meanwhile or cannot be read, and for those for which there is no
    time. Raises Unavailable when too many renders wait.
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


def taken_document(viewer: Viewer, asked: Path) -> TakenText:
    """The content of a document or a mail, `asked` for there, for a copy of somebody else's."""
    content = text_at(viewer, CONTENT)
    if not content:
        return TakenText(CONTENT, "", "")
    places = places_of(viewer, asked, content)
    left = [
        f"{ref} could not be written as @{viewer.item.owner}'s, and is yours now"
        for ref in places.unreached_refs()
    ]
    after = admit_text(places.with_owner(content, viewer.item.owner), LARGEST_CONTENT)
    return TakenText(CONTENT, content, after, [*left, *unseen(unseen_parts(viewer, viewer.item, viewer.me))])
