"""References of documents and mails: the renderer, which reads them, says where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from handlers.rendering.port import KeptRendering
from handlers.rules.render_options import NO_DEFAULTS
from handlers.services.documents.parsed_content import CONTENT
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
from vfs.errors import Conflict
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
