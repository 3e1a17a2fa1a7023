"""News of a picture: its present version, and each new version when its sources change."""

from __future__ import annotations

import time
from collections.abc import Iterator

from handlers.rules.render_options import options_of
from handlers.services.renderings import LeavesRecipe, RenderRecipe
from handlers.services.viewer import Viewer
from handlers.words import sse as events
from vfs.call import Stream
from vfs.errors import VfsError

CALM_SECONDS = 0.25
"""Seconds between two checks of a picture made of several items; any of them may have changed."""
FORM = "svg"


def follow_picture(viewer: Viewer, recipe: RenderRecipe, since: str) -> Stream:
    """Return a stream of the versions of an item's picture, after the version `since`.

    Its tag is the present version. Raises Unavailable while the maximum number of calls waits for news.
    """
    viewer.ongoing.begin(spare=True)
    version = _version(viewer, recipe)
    return Stream(_versions(viewer, recipe, since), "text/event-stream", tag=version)


def _versions(viewer: Viewer, recipe: RenderRecipe, since: str) -> Iterator[bytes]:
    """Yield an event for the present version, unless the caller has it, and for each new one.

    Heartbeats come between. It ends when the caller may no longer see the picture or the service stops.
    """
    yield events.FIRST
    alone = isinstance(recipe, LeavesRecipe)
    changes, known, seen = viewer.world.visuals.changes, since, 0
    heartbeat = events.first_heartbeat()
    while True:
        began = time.monotonic()
        seen = changes.wait(viewer.item if alone else None, seen, heartbeat)
        heartbeat = events.HEARTBEAT_SECONDS
        if not alone and known and time.monotonic() - began < CALM_SECONDS:
            time.sleep(CALM_SECONDS)
        if not viewer.ongoing.is_allowed():
            return
        try:
            with viewer.world.session():
                version = _version(viewer, recipe)
        except VfsError:
            return
        yield events.event({"version": version}, version) if version != known else events.HEARTBEAT
        known = version


def _version(viewer: Viewer, recipe: RenderRecipe) -> str:
    return recipe.version(viewer, viewer.item, options_of(FORM, {}))
