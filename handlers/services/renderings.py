"""Renderings: the forms of a visualisation, made once for each version of their sources, and kept."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from time import monotonic
from typing import Protocol

import orjson

from handlers.rendering.drawing_version import drawing_version
from handlers.rendering.port import (
    KeptRendering,
    Renderer,
    RendererBusy,
    RenderFailed,
    Rendering,
    RenderOrder,
    fault_fields,
)
from handlers.rendering.render_kinds import PICTURES, PLACEHOLDER, RENDER_KINDS
from handlers.rules.render_options import Options
from handlers.services.viewer import Viewer
from vfs.call import KeptBytes
from vfs.errors import TooLarge, Unavailable
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of

PARTS_SHARE = 0.7
"""Share of a render's time for its parts; the rest is for the render itself."""

_UNTIL: ContextVar[float] = ContextVar("render_time", default=math.inf)


@contextmanager
def render_time(seconds: float) -> Iterator[None]:
    """Limit the render inside to this time, and to the time of the render around it."""
    token = _UNTIL.set(min(_UNTIL.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def time_for_parts() -> Iterator[None]:
    """Limit the time for the parts of the present render, which are drawn first."""
    with render_time(time_left() * PARTS_SHARE):
        yield


def time_left() -> float:
    """Return the seconds that are left for the present render; infinite outside of any."""
    return _UNTIL.get() - monotonic()


FAILED_SECONDS = 600.0
"""Seconds after which a failed render is tried again."""
FAILURE = "application/problem+json"
"""Media type of the replacement of a failed render that has no error picture."""


def has_picture(kind: str, form: str) -> bool:
    """Return whether an error picture can replace a failed form.

    Never for a page to print: it would be mistaken for the page.
    """
    return RENDER_KINDS[kind].pictured and form in PICTURES and form != "pdf"


def failed_rendering(failure: RenderFailed, notes: tuple[str, ...]) -> Rendering:
    """Return the replacement of a failed render that has no error picture."""
    return Rendering(orjson.dumps(fault_fields(failure)), FAILURE, notes)


def refusal_of(kind: str, form: str, kept: KeptRendering) -> Unavailable | TooLarge:
    """Return the error for a form whose kept replacement is a failure."""
    with kept.open() as file:
        facts = orjson.loads(file.read())
    said = f"this {kind} cannot be rendered as {form}: {facts['failed']}"
    if facts["fault"] == "large":
        return TooLarge(said)
    return Unavailable(
        f"{said}; reduce what it shows and ask again; unchanged, it is drawn again in "
        f"{FAILED_SECONDS / 60:g} minutes",
        retry_after=int(FAILED_SECONDS),
    )


LEAF, OPTION = "language", "language"


def in_language(viewer: Viewer, options: Options) -> Options:
    """Add the language that the item's owner chose, if any, to the options of a render.

    The owner's language is used, not the reader's, so that everybody gets the same picture.
    """
    user = viewer.world.people.users.find(viewer.item.owner)
    said = viewer.world.leaves.texts_of([user.item], [LEAF]).get(user.item, {}) if user is not None else {}
    tag = said.get(LEAF, "").strip()
    return {OPTION: tag, **options} if tag else options


def language_option(options: Options, own: str = "") -> Options:
    """Return the language option alone, for a part in a document; `own` is the part's own language."""
    tag = own or options.get(OPTION, "")
    return {OPTION: tag} if tag else {}


AT_ONCE = 4
"""Renders that one call waits for at a time."""
COMPLETE = {"pdf", "pptx", "png"}
"""Forms that people pass on: they are refused if the time was too short to draw all their parts."""
DRAWN_SHARE = 0.85
"""Share of the render time for the picture itself; the rest is for a picture of the error."""

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a visualisation at one moment: its texts by their paths, and the drawn `parts`.

    `version` is unique among all contents of all visualisations of the kind. `whole` is false if the time was
    too short for some of its parts.
    """

    version: str
    texts: Mapping[str, str]
    parts: Mapping[str, str]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class WantedRender:
    """A requested render of an item, whose present content has this version."""

    item: Item
    form: str
    options: Options
    version: str


class RenderRecipe(Protocol):
    """The way in which a kind collects the sources of the renders of an item."""

    @property
    def kind(self) -> str:
        """The kind that the renderer gets in its orders."""

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the version of the present content, without reading the content.

        If that takes long, the call is registered at `viewer.ongoing`.
        """

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the present content for a form, with the version that was read."""


@dataclass(frozen=True, slots=True)
class LeavesRecipe:
    """Recipe of a kind whose renders are made of files of the item alone: some `files`, and a `folder`."""

    kind: str
    files: tuple[str, ...]
    folder: str = "config"

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the digest of the digests of the files."""
        return digest_of_leaves(
            viewer.world.leaves.digests_of([item.id], self.files, self.folder).get(item.id)
        )

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the texts of the files."""
        leaves = viewer.world.leaves
        texts = {leaf.rel: leaf.text or "" for leaf in leaves.texts(item.id, self.folder)}
        texts |= leaves.texts_of([item.id], self.files).get(item.id, {})
        # The version of what was read, in case of a change between the two statements.
        version = digest_of_leaves({rel: digest_of(text) for rel, text in texts.items()})
        return Content(version, texts, {})


def digest_of_leaves(digests: Mapping[str, str] | None) -> str:
    """Return one digest for the digests of files by their paths."""
    return sha256(orjson.dumps(digests or {}, option=orjson.OPT_SORT_KEYS)).hexdigest()


def render(viewer: Viewer, recipe: RenderRecipe, form: str, options: Options) -> KeptBytes:
    """Return the present render of the viewer's item, kept or made now.

    It is passing if it replaces a failed render, or if the content changed meanwhile. Raises Unavailable when
    too many renders wait, or when a render without an error picture failed, and TooLarge if that one would
    exceed the size limit.
    """
    options = in_language(viewer, options)
    version = recipe.version(viewer, viewer.item, options)
    key, kept = renderings_of(viewer, recipe, [WantedRender(viewer.item, form, options, version)])[0]
    # A separate tag, so that viewers of the error picture get the render when it succeeds.
    tag = f"{key}-failed" if kept.passing else key
    kind = RENDER_KINDS[recipe.kind]
    is_passing = kept.passing or key != key_of(recipe.kind, form, options, version)
    return KeptBytes(
        kept.media, kept.size, tag, kept.open, form in kind.scripted, form in kind.framed, is_passing
    )


def renderings_of(
    viewer: Viewer, recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    """Return the keys and the renders that are wanted: kept ones, and all others made now in parallel.

    Raises Unavailable or TooLarge for a failed one.
    """
    found = found_renderings(viewer, recipe, wanted)
    for one, (_, kept) in zip(wanted, found, strict=True):
        if kept.media == FAILURE:
            raise refusal_of(recipe.kind, one.form, kept)
    return found


def found_renderings(
    viewer: Viewer, recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    """Return the same as `renderings_of`, with the replacements of failed renders."""
    keys = [key_of(recipe.kind, one.form, one.options, one.version) for one in wanted]
    visuals = viewer.world.visuals
    kept = [visuals.kept_of(one.item.id).get(key) for one, key in zip(wanted, keys, strict=True)]
    missing = {key: one for key, one, there in zip(keys, wanted, kept, strict=True) if there is None}
    made = dict(zip(missing, _make(viewer, recipe, list(missing.values())) if missing else (), strict=True))
    return [(key, there) if there is not None else made[key] for key, there in zip(keys, kept, strict=True)]


def key_of(kind: str, form: str, options: Options, version: str) -> str:
    """Return the digest of all sources of a render and of the version of the renderer."""
    words = [drawing_version(), kind, form, dict(options), version]
    return sha256(orjson.dumps(words, option=orjson.OPT_SORT_KEYS)).hexdigest()


def notes_of(viewer: Viewer, recipe: RenderRecipe, options: Options, form: str = "svg") -> tuple[str, ...]:
    """Return sentences about what the drawing of the viewer's item left out."""
    options = in_language(viewer, options)
    wanted = WantedRender(viewer.item, form, options, recipe.version(viewer, viewer.item, options))
    return found_renderings(viewer, recipe, [wanted])[0][1].notes


def kept_notes(viewer: Viewer, recipe: RenderRecipe, options: Options, form: str) -> tuple[str, ...]:
    """Return the notes of a form of the present content if it is kept; else (), without drawing it."""
    options = in_language(viewer, options)
    key = key_of(recipe.kind, form, options, recipe.version(viewer, viewer.item, options))
    kept = viewer.world.visuals.kept_of(viewer.item.id).get(key)
    return kept.notes if kept is not None else ()


def _make(
    viewer: Viewer, recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    began = monotonic()
    viewer.ongoing.begin()
    with render_time(viewer.world.service.settings.render_seconds):
        contents = [_content(viewer, recipe, one) for one in wanted]
        account, left = viewer.caller.name or "", time_left()
        times = [left * (DRAWN_SHARE if has_picture(recipe.kind, one.form) else 1) for one in wanted]
        orders = [
            RenderOrder(recipe.kind, one.form, content.texts, one.options, content.parts, account, seconds)
            for one, content, seconds in zip(wanted, contents, times, strict=True)
        ]
        outcomes = _render(viewer, orders)
    keys = [
        key_of(recipe.kind, one.form, one.options, content.version)
        for one, content in zip(wanted, contents, strict=True)
    ]
    made = [
        (key, _keep(viewer, key, one.item, order, outcome))
        for key, one, order, outcome in zip(keys, wanted, orders, outcomes, strict=True)
        if not isinstance(outcome, RendererBusy)
    ]
    # The finished renders are kept before this raises, so the next call has fewer to make.
    for outcome in outcomes:
        if isinstance(outcome, RendererBusy):
            raise _busy(outcome) from outcome
    viewer.check_since(began)
    return made


def _content(viewer: Viewer, recipe: RenderRecipe, one: WantedRender) -> Content:
    """Return the present content of a render. Raises Unavailable if a complete form would lack parts."""
    with time_for_parts():
        content = recipe.content(viewer, one.item, one.form, one.options)
    if not content.whole and one.form in COMPLETE:
        raise Unavailable(
            f"the charts of this {recipe.kind} took too long, so the {one.form} would not be complete: "
            "the charts that were drawn are kept; ask again to draw the others",
            retry_after=1,
        )
    return content


def _keep(
    viewer: Viewer, key: str, item: Item, order: RenderOrder, outcome: Rendering | RenderFailed
) -> KeptRendering:
    """Store a render, or for a limited time the replacement of a failed one."""
    render, seconds = outcome, None
    if isinstance(render, RenderFailed):
        log.warning("no %s of %s %s/%s: %s", order.form, order.kind, item.owner, item.name, render)
        render, seconds = _stand_in(viewer, order, render), FAILED_SECONDS
    kept = viewer.world.visuals.kept_of(item.id)
    return kept.put(key, render.body, render.media, render.notes, seconds, item.owner)


def _render(viewer: Viewer, orders: Sequence[RenderOrder]) -> list[Rendering | RenderFailed | RendererBusy]:
    """Draw renders, in parallel and without holding a storage connection."""
    renderer = viewer.world.visuals.renderer
    with viewer.world.idle():
        if len(orders) == 1:
            return [_attempt(renderer, orders[0])]
        with ThreadPoolExecutor(min(AT_ONCE, len(orders)), "renders") as threads:
            return list(threads.map(partial(_attempt, renderer), orders))


def _attempt(renderer: Renderer, order: RenderOrder) -> Rendering | RenderFailed | RendererBusy:
    """Return a render, or the exception it raised."""
    try:
        return renderer.render(order)
    except (RenderFailed, RendererBusy) as failure:
        return failure


def _busy(busy: RendererBusy) -> Unavailable:
    return Unavailable(f"nothing can be rendered now: {busy}; try again soon", retry_after=2)


def _stand_in(viewer: Viewer, order: RenderOrder, failure: RenderFailed) -> Rendering:
    """Return the replacement of a failed render: a picture with the reason, else the reason alone.

    A page to print never gets such a picture: it would be mistaken for the page.
    """
    notes = (f"It could not be drawn: {failure}.",)
    if has_picture(order.kind, order.form):
        texts = {"reason": str(failure), "kind": order.kind}
        (made,) = _render(
            viewer, [RenderOrder(PLACEHOLDER.name, order.form, texts, order.options, account=order.account)]
        )
        if isinstance(made, RendererBusy):
            raise _busy(made) from made
        if isinstance(made, Rendering):
            return Rendering(made.body, made.media, notes)
    return failed_rendering(failure, notes)
