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

from handlers.rendering.port import (
    VERSION,
    KeptRendering,
    Renderer,
    RendererBusy,
    RenderFailed,
    Rendering,
    RenderOrder,
)
from handlers.rules.render_options import Options
from handlers.services.world import World
from vfs.call import KeptBytes, Reply
from vfs.errors import Unavailable
from vfs.place import Place
from vfs.ports.world import Item, digest_of

FAILED_SECONDS = 600.0
"""A render that failed is tried again after so long."""
PROMPT = 0.5
"""Seconds after which a caller may have lost the right that it came with."""
AT_ONCE = 4
"""Renders that one call waits for at a time."""
PLACEHOLDER = "placeholder"
SCRIPTED = ("plot", "html")
"""The form of plots that draw themselves."""
PAGE_WITHIN = ("mail", "html")
"""The form of mails, which are pages of their own within a page."""

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a visualisation at one moment: its texts by their paths, and `parts` drawn before.

    `version` tells it from any other content of any visualisation of its kind.
    """

    version: str
    texts: Mapping[str, str]
    parts: Mapping[str, str]


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

    def version(self, place: Place[World], item: Item, options: Options) -> str:
        """The version of the present content, by looks that read none of it."""
        ...

    def content(self, place: Place[World], item: Item, form: str, options: Options) -> Content:
        """The present content for a form, with the version that it has as it was read."""
        ...


@dataclass(frozen=True, slots=True)
class LeavesRecipe:
    """Recipe of a kind whose renders are made of leaves of its item alone: some `files`, and a `folder`."""

    kind: str
    files: tuple[str, ...]
    folder: str = "config"

    def version(self, place: Place[World], item: Item, options: Options) -> str:
        """The digest of the digests of the leaves."""
        return digest_of_leaves(
            place.world.leaves.digests_of([item.id], self.files, self.folder).get(item.id)
        )

    def content(self, place: Place[World], item: Item, form: str, options: Options) -> Content:
        """The texts of the leaves."""
        leaves = place.world.leaves
        texts = {leaf.rel: leaf.text or "" for leaf in leaves.texts(item.id, self.folder)}
        texts |= leaves.texts_of([item.id], self.files).get(item.id, {})
        # Of what was read, in case somebody wrote between the two looks.
        version = digest_of_leaves({rel: digest_of(text) for rel, text in texts.items()})
        return Content(version, texts, {})


def digest_of_leaves(digests: Mapping[str, str] | None) -> str:
    """One digest for the digests of leaves by their paths."""
    return sha256(orjson.dumps(digests or {}, option=orjson.OPT_SORT_KEYS)).hexdigest()


def render(place: Place[World], recipe: RenderRecipe, form: str, options: Options) -> KeptBytes:
    """The present render of the item at a place: the kept one, else made now.

    It is passing when it stands in for one that failed, or shows another content than was asked for.
    Raises Unavailable when too many renders wait, or when one failed that has no picture to say so.
    """
    version = recipe.version(place, place.here, options)
    key, kept = renderings_of(place, recipe, [WantedRender(place.here, form, options, version)])[0]
    # Whoever saw the placeholder of a render that failed is shown the render that succeeds.
    tag = f"{key}-failed" if kept.passing else key
    made = (recipe.kind, form)
    is_passing = kept.passing or key != key_of(recipe.kind, form, options, version)
    return KeptBytes(kept.media, kept.size, tag, kept.open, made == SCRIPTED, made == PAGE_WITHIN, is_passing)


def renderings_of(
    place: Place[World], recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    """The keys of some renders, and the renders: the kept ones, and all others made now at the same time."""
    keys = [key_of(recipe.kind, one.form, one.options, one.version) for one in wanted]
    kept = [place.world.visuals.kept.get(key) for key in keys]
    missing = {key: one for key, one, there in zip(keys, wanted, kept, strict=True) if there is None}
    made = dict(zip(missing, _make(place, recipe, list(missing.values())) if missing else (), strict=True))
    return [(key, there) if there is not None else made[key] for key, there in zip(keys, kept, strict=True)]


def key_of(kind: str, form: str, options: Options, version: str) -> str:
    """The digest of everything that a render is made of."""
    words = [VERSION, kind, form, dict(options), version]
    return sha256(orjson.dumps(words, option=orjson.OPT_SORT_KEYS)).hexdigest()


def reply_for(place: Place[World], recipe: RenderRecipe, form: str, options: Options, page: str) -> Reply:
    """The answer with a render of the item at a place, which is shown at a `page`."""
    value = render(place, recipe, form, options)
    return Reply(value, filename=f"{place.here.name}.{form}", inline=True, canonical=page)


def notes_of(
    place: Place[World], recipe: RenderRecipe, options: Options, form: str = "svg"
) -> tuple[str, ...]:
    """Sentences about what the drawing of the item at a place left out."""
    wanted = WantedRender(place.here, form, options, recipe.version(place, place.here, options))
    return renderings_of(place, recipe, [wanted])[0][1].notes


def kept_notes(place: Place[World], recipe: RenderRecipe, options: Options, form: str) -> tuple[str, ...]:
    """The same of a form of the present content, if it is kept; none are made for their sake."""
    key = key_of(recipe.kind, form, options, recipe.version(place, place.here, options))
    kept = place.world.visuals.kept.get(key)
    return kept.notes if kept is not None else ()


def _make(
    place: Place[World], recipe: RenderRecipe, wanted: Sequence[WantedRender]
) -> list[tuple[str, KeptRendering]]:
    began, made = monotonic(), list[tuple[str, KeptRendering]]()
    contents = [recipe.content(place, one.item, one.form, one.options) for one in wanted]
    account = place.call.caller.name or ""
    orders = [
        RenderOrder(recipe.kind, one.form, content.texts, one.options, content.parts, account)
        for one, content in zip(wanted, contents, strict=True)
    ]
    for one, content, order, outcome in zip(wanted, contents, orders, _render(place, orders), strict=True):
        render, seconds = outcome, None
        if isinstance(render, RenderFailed):
            item = one.item
            log.warning("no %s of %s %s/%s: %s", one.form, recipe.kind, item.owner, item.name, render)
            render, seconds = _placeholder(place, order, str(render)), FAILED_SECONDS
        key = key_of(recipe.kind, one.form, one.options, content.version)
        kept = place.world.visuals.kept.put(key, render.body, render.media, render.notes, seconds)
        made.append((key, kept))
    if monotonic() - began > PROMPT:
        place.call.ongoing.check()
    return made


def _render(place: Place[World], orders: Sequence[RenderOrder]) -> list[Rendering | RenderFailed]:
    """Renders, waited for without holding anything of the storage. Raises Unavailable."""
    place.call.ongoing.begin()
    renderer = place.world.visuals.renderer
    try:
        with place.world.idle():
            if len(orders) == 1:
                return [_attempt(renderer, orders[0])]
            with ThreadPoolExecutor(min(AT_ONCE, len(orders)), "renders") as threads:
                return list(threads.map(partial(_attempt, renderer), orders))
    except RendererBusy as busy:
        raise Unavailable(f"nothing can be rendered now: {busy}; try again soon", retry_after=2) from busy


def _attempt(renderer: Renderer, order: RenderOrder) -> Rendering | RenderFailed:
    """A render, or the failure of it. Raises RendererBusy."""
    try:
        return renderer.render(order)
    except RenderFailed as failure:
        return failure


def _placeholder(place: Place[World], order: RenderOrder, reason: str) -> Rendering:
    """A picture that says why there is no other. Raises Unavailable for forms that are no pictures."""
    texts = {"reason": reason, "kind": order.kind}
    instead = RenderOrder(PLACEHOLDER, order.form, texts, order.options, account=order.account)
    (made,) = _render(place, [instead])
    if isinstance(made, RenderFailed):
        said = f"this {order.kind} cannot be rendered as {order.form}: {reason}"
        raise Unavailable(said, retry_after=60) from made
    return Rendering(made.body, made.media, (f"It could not be drawn: {reason}.",))
