"""The files of a snapshot: drawn from one version of an item, and stored as bytes without a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from handlers.rendering.port import KeptRendering
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options, options_of
from handlers.services.account_language import in_language
from handlers.services.renderings import AT_ONCE, RenderRecipe, WantedRender, found_renderings, key_of
from handlers.services.snapshots.shown_parts import (
    DATA_FORM,
    ShownParts,
    file_name,
    page_of,
    readable_parts,
)
from handlers.services.viewer import Viewer
from vfs.errors import Unavailable, Unmet
from vfs.ports.blobs import Ref, chunks
from vfs.ports.items import Item

MOST_TURNS = 3
PAUSE = 2
"""Seconds after which a client may try again."""
TEXT, PICTURES, DATA = "text", "pictures", "data"
FORMS = ("html", "pdf")
PICTURED = ("svg", "png")
PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class FormWay:
    """The way in which the forms of a kind are drawn: its recipe, and its options as in `files`."""

    recipe: RenderRecipe
    defaults: Options = field(default_factory=lambda: NO_DEFAULTS)
    known: FormOptions = field(default_factory=lambda: FORM_OPTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotWay:
    """The way in which a kind makes snapshots.

    `own` draws the item, `drawn` its parts by their kinds, `parts` finds these. The `sources` are its texts.
    """

    own: FormWay
    drawn: Mapping[str, FormWay]
    parts: Callable[[Viewer], ShownParts]
    sources: Sequence[str]

    def text(self, viewer: Viewer) -> str:
        """Return the present text of the viewer's item: several ones with an empty line between them."""
        found = viewer.world.leaves.texts_of([viewer.item.id], self.sources).get(viewer.item.id, {})
        texts = [found.get(rel, "") for rel in self.sources]
        return texts[0] if len(texts) == 1 else "\n\n".join(text.strip("\n") for text in texts) + "\n"


class FixedItem(NamedTuple):
    """The stored files of a snapshot that has no row yet, by their paths, and the items that it shows."""

    files: Mapping[str, Ref]
    used: Mapping[Item, str]


class WantedFile(NamedTuple):
    """A file that is to be drawn: its path, the item that it shows, its form, and the way to draw it."""

    rel: str
    item: Item
    form: str
    way: FormWay


def fix(viewer: Viewer, way: SnapshotWay) -> FixedItem:
    """Draw and store everything that the viewer's item shows now. Call it outside of transactions.

    Raises Denied if the caller may not see a part, Unmet if something cannot be drawn, and Unavailable if the
    item changes meanwhile.
    """
    recipe, item = way.own.recipe, viewer.item
    for _ in range(MOST_TURNS):
        version = recipe.version(viewer, item, NO_DEFAULTS)
        parts, text = way.parts(viewer), way.text(viewer)
        readable = readable_parts(viewer, parts.used, parts.writers)
        wanted = list(_wanted(item, way, parts, readable))
        drawn = list(_drawn(viewer, wanted))
        if recipe.version(viewer, item, NO_DEFAULTS) == version:
            contents = [(_chunks(kept), kept.media) for kept in drawn]
            refs = viewer.world.blobs.add_all([((text.encode(),), PLAIN), *contents], item.id)
            rels = (TEXT, *(one.rel for one in wanted))
            return FixedItem(dict(zip(rels, refs, strict=True)), parts.used)
    raise _changed(item)


def _wanted(
    item: Item, way: SnapshotWay, parts: ShownParts, readable: frozenset[int]
) -> Iterator[WantedFile]:
    """Yield the files to draw: those of the item, pictures of its parts, and data that may be read."""
    for form in FORMS:
        yield WantedFile(form, item, form, way.own)
    for part in parts.drawn:
        name = file_name(item, part)
        for form in PICTURED:
            yield WantedFile(f"{PICTURES}/{name}.{form}", part, form, way.drawn[part.kind])
    for plot in parts.plots:
        if plot.id in readable:
            rel = f"{DATA}/{file_name(item, plot)}.{DATA_FORM}"
            yield WantedFile(rel, plot, DATA_FORM, way.drawn[plot.kind])


def _drawn(viewer: Viewer, wanted: Sequence[WantedFile]) -> Iterator[KeptRendering]:
    """Yield the renders of files, a few at a time. Raises Unmet and Unavailable."""
    for way, files in groupby(wanted, attrgetter("way")):
        group = list(files)
        for start in range(0, len(group), AT_ONCE):
            yield from _draw(viewer, way, group[start : start + AT_ONCE])


def _draw(viewer: Viewer, way: FormWay, files: Sequence[WantedFile]) -> Iterator[KeptRendering]:
    kind = way.recipe.kind
    renders = [_render(viewer, way, one) for one in files]
    for one, render, (key, kept) in zip(
        files, renders, found_renderings(viewer, way.recipe, renders), strict=True
    ):
        if kept.passing:
            why = " ".join(kept.notes) or "It could not be drawn."
            raise Unmet(
                f"nothing was stored, as {page_of(viewer, one.item)} has no {one.form}: {why} Correct it, or "
                "take it out of the text"
            )
        if key != key_of(kind, one.form, render.options, render.version):
            raise _changed(one.item)
        yield kept


def _render(viewer: Viewer, way: FormWay, file: WantedFile) -> WantedRender:
    options = in_language(viewer, options_of(file.form, {}, way.defaults, way.known))
    return WantedRender(file.item, file.form, options, way.recipe.version(viewer, file.item, options))


def _changed(item: Item) -> Unavailable:
    return Unavailable(
        f"nothing was stored, as {item.name} changes or takes long to be drawn: try again", retry_after=PAUSE
    )


def _chunks(kept: KeptRendering) -> Iterator[bytes]:
    with kept.open() as file:
        yield from chunks(file)
