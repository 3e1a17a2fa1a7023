"""Users' Markdown texts as HTML, rendered once for each content and kept."""

from __future__ import annotations

from handlers.rendering.markdown import html
from handlers.services.world import World
from vfs.errors import Unavailable
from vfs.ports.leaves import digest_of

# Below this number of characters, rendering is as quick as a look-up.
SMALL = 2_000
# A part of the key: change it when the rendering changes.
WAY = "description 1"


def description_html(world: World, markdown: str, owner: str) -> str:
    """Return the safe HTML of an owner's text; that of texts longer than SMALL is kept."""
    if len(markdown) <= SMALL:
        return html(markdown)
    kept, key = world.visuals.kept, digest_of(f"{WAY}\n{markdown}")
    found = kept.get(key)
    if found is not None:
        try:
            with found.open() as file:
                return file.read().decode()
        except Unavailable:
            pass  # it was swept just now
    made = html(markdown)
    kept.put(key, made.encode(), "text/html", (), owner=owner)
    return made
