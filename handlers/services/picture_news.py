"""News of a picture: its version now, and each other one as soon as what it is made of has changed."""

from __future__ import annotations

import time
from collections.abc import Iterator

from handlers.render import sse as events
from handlers.rules.render_options import options_of
from handlers.services.hints import hints_of
from handlers.services.renderings import LeavesRecipe, RenderRecipe
from handlers.services.world import World
from vfs.call import Reply, Stream
from vfs.errors import VfsError
from vfs.place import Place

CALM_SECONDS = 0.25
"""Seconds between two looks at what is made of other items, of which any may have changed."""
FORM = "svg"


def follow_picture(place: Place[World], recipe: RenderRecipe) -> Reply:
    """The stream of the versions of the picture of the item at a place; its tag is the present one.

    Raises Unavailable while as many calls are open as may wait for news.
    """
    place.call.ongoing.begin(spare=True)
    version = _version(place, recipe)
    return Reply(Stream(_versions(place, recipe), "text/event-stream", tag=version))


def _versions(place: Place[World], recipe: RenderRecipe) -> Iterator[bytes]:
    """An event for the present version, unless the caller has it, and for each other one; beats between.

    It ends when the caller may not see the picture any more, is gone, or the service stops.
    """
    yield events.FIRST
    alone = isinstance(recipe, LeavesRecipe)
    changes, known, seen = place.world.visuals.changes, hints_of(place.call).since, 0
    beat = events.first_beat()
    while True:
        began = time.monotonic()
        seen = changes.wait(place.here if alone else None, seen, beat)
        beat = events.BEAT_SECONDS
        if not alone and known and time.monotonic() - began < CALM_SECONDS:
            time.sleep(CALM_SECONDS)
        if not place.call.ongoing.is_allowed():
            return
        try:
            with place.world.session():
                version = _version(place, recipe)
        except VfsError:
            return
        yield events.event({"version": version}, version) if version != known else events.BEAT
        known = version


def _version(place: Place[World], recipe: RenderRecipe) -> str:
    return recipe.version(place, place.here, options_of(FORM, {}))
