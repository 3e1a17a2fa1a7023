"""Renderings: the forms of a visualisation, made once for each version of what they are made of, and kept."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
)
from handlers.rendering.render_kinds import PLACEHOLDER, RENDER_KINDS
from handlers.rules.render_options import Options
from handlers.services.account_language import in_language
from handlers.services.drawing.failed_renders import (
    FAILED_SECONDS,
    FAILURE,
    failed_rendering,
    has_picture,
    refusal_of,
)
from handlers.services.drawing.render_time import render_time, time_for_parts, time_left
from handlers.services.viewer import Viewer
from vfs.call import KeptBytes
from vfs.errors import Unavailable
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of

AT_ONCE = 4
"""Renders that one call waits for at a time."""
COMPLETE = {"pdf", "pptx", "png"}
"""Forms that people pass on: one for which there was no time to draw all that it shows is refused."""
DRAWN_SHARE = 0.85
"""The part of its time that a picture has: what is left is for the one that says why there is no other."""

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a visualisation at one moment: its texts by their paths, and `parts` drawn before.

    `version` tells it from any other content of any visualisation of its kind. It is not `whole` where there
    was no time for some of its parts.
    """

    version: str
    texts: Mapping[str, str]
    parts: Mapping[str, str]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class WantedRender:
    """A render that is asked for: of an item, whose present content has that version."""

    item: Item
    form: str
    options: Options
    version: str


class RenderRecipe(Protocol):
    """A kind's way from an item to what its renders are made of."""

    @property
    def kind(self) -> str:
        """The kind of the renderer's orders."""
        ...

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """The version of the present content, by looks that read none of it.

        It says to `viewer.ongoing` where these take time.
        """
        ...

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """The present content for a form, with the version that it has as it was read."""
        ...


@dataclass(frozen=True, slots=True)
class LeavesRecipe:
    """Recipe of a kind whose renders are made of leaves of its item alone: some `files`, and a `folder`."""

    kind: str
    files: tuple[str, ...]
    folder: str = "config"

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """The digest of the digests of the leaves."""
        return digest_of_leaves(
            viewer.world.leaves.digests_of([item.id], self.files, self.folder).get(item.id)
        )

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """The texts of the leaves."""
        leaves = viewer.world.leaves
        texts = {leaf.rel: leaf.text or "" for leaf in leaves.texts(item.id, self.folder)}
        texts |= leaves.texts_of([item.id], self.files).get(item.id, {})
        # Of what was read, in case somebody wrote between the two looks.
        version = digest_of_leaves({rel: digest_of(text) for rel, text in texts.items()})
        return Content(version, texts, {})


def digest_of_leaves(digests: Mapping[str, str] | None) -> str:
    """One digest for the digests of leaves by their paths."""
    return sha256(orjson.dumps(digests or {}, option=orjson.OPT_SORT_KEYS)).hexdigest()


def render(viewer: Viewer, recipe: RenderRecipe, form: str, options: Options) -> KeptBytes:
    """The present render of the viewer's item: the kept one, else made now.

    It is passing when it stands in for one that failed, or shows another content than was asked for.
    Raises Unavailable when too many renders wait, or when one failed that has no picture to say so, and
    TooLarge when that would be larger than a render may be.
    """
    options = in_language(viewer, options)
    version = recipe.version(viewer, viewer.item, options)
    key, kept = renderings_of(viewer, recipe, [WantedRender(viewer.item, form, options, version)])[0]
    # Viewers of the placeholder of a failed render are shown the render that succeeds.
    tag = f"{key}-failed" if kept.passing else key
    kind = RENDER_KINDS[recipe.kind]
    is_passing = kept.passing or key != key_of(recipe.kind, form, options, version)
    return KeptBytes(
        kept.media, kept.size, tag, kept.open, form in kind.scripted, form in kind.framed, is_passing
    )


def renderings_of(
    viewer: Viewer, recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    """The keys of some renders, and the renders: the kept ones, and all others made now at the same time.

    Raises Unavailable and TooLarge for one that failed.
    """
    found = found_renderings(viewer, recipe, wanted)
    for one, (_, kept) in zip(wanted, found, strict=True):
        if kept.media == FAILURE:
            raise refusal_of(recipe.kind, one.form, kept)
    return found


def found_renderings(
    viewer: Viewer, recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    """The same, with what is kept in place of those that failed."""
    keys = [key_of(recipe.kind, one.form, one.options, one.version) for one in wanted]
    visuals = viewer.world.visuals
    kept = [visuals.kept_of(one.item.id).get(key) for one, key in zip(wanted, keys, strict=True)]
    missing = {key: one for key, one, there in zip(keys, wanted, kept, strict=True) if there is None}
    made = dict(zip(missing, _make(viewer, recipe, list(missing.values())) if missing else (), strict=True))
    return [(key, there) if there is not None else made[key] for key, there in zip(keys, kept, strict=True)]


def key_of(kind: str, form: str, options: Options, version: str) -> str:
    """The digest of everything that a render is made of, and by."""
    words = [drawing_version(), kind, form, dict(options), version]
    return sha256(orjson.dumps(words, option=orjson.OPT_SORT_KEYS)).hexdigest()


def notes_of(viewer: Viewer, recipe: RenderRecipe, options: Options, form: str = "svg") -> tuple[str, ...]:
    """Sentences about what the drawing of the viewer's item left out."""
    options = in_language(viewer, options)
    wanted = WantedRender(viewer.item, form, options, recipe.version(viewer, viewer.item, options))
    return found_renderings(viewer, recipe, [wanted])[0][1].notes


def kept_notes(viewer: Viewer, recipe: RenderRecipe, options: Options, form: str) -> tuple[str, ...]:
    """The same of a form of the present content, if it is kept; none are made for their sake."""
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
    # What was made is kept, so that the next call has less to make.
    for outcome in outcomes:
        if isinstance(outcome, RendererBusy):
            raise _busy(outcome) from outcome
    viewer.check_since(began)
    return made


def _content(viewer: Viewer, recipe: RenderRecipe, one: WantedRender) -> Content:
    """The present content of a render. Raises Unavailable where a form would lack some of its parts."""
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
    """A render that is kept, or for a while what stands in place of one that failed."""
    render, seconds = outcome, None
    if isinstance(render, RenderFailed):
        log.warning("no %s of %s %s/%s: %s", order.form, order.kind, item.owner, item.name, render)
        render, seconds = _stand_in(viewer, order, render), FAILED_SECONDS
    kept = viewer.world.visuals.kept_of(item.id)
    return kept.put(key, render.body, render.media, render.notes, seconds, item.owner)


def _render(viewer: Viewer, orders: Sequence[RenderOrder]) -> list[Rendering | RenderFailed | RendererBusy]:
    """Renders, waited for without holding anything of the storage."""
    renderer = viewer.world.visuals.renderer
    with viewer.world.idle():
        if len(orders) == 1:
            return [_attempt(renderer, orders[0])]
        with ThreadPoolExecutor(min(AT_ONCE, len(orders)), "renders") as threads:
            return list(threads.map(partial(_attempt, renderer), orders))


def _attempt(renderer: Renderer, order: RenderOrder) -> Rendering | RenderFailed | RendererBusy:
    """A render, or what became of it."""
    try:
        return renderer.render(order)
    except (RenderFailed, RendererBusy) as failure:
        return failure


def _busy(busy: RendererBusy) -> Unavailable:
    return Unavailable(f"nothing can be rendered now: {busy}; try again soon", retry_after=2)


def _stand_in(viewer: Viewer, order: RenderOrder, failure: RenderFailed) -> Rendering:
    """The stand-in for a render that failed: a picture that says why, else the reason alone.

    A page to print is never such a picture: it would be taken for what it should have been.
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
