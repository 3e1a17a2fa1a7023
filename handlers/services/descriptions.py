"""Texts of people as HTML, rendered once for each content and kept."""

from __future__ import annotations

from handlers.rendering.markdown import html
from handlers.services.world import World
from vfs.errors import Unavailable
from vfs.ports.leaves import digest_of

# Below it, rendering is as quick as looking whether it was done.
SMALL = 2_000
# Another way of rendering is another key.
WAY = "description 1"


def description_html(world: World, markdown: str, owner: str) -> str:
    """The HTML of a text of an owner, as safe as it is quick to make; of a long one what is kept of it."""
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
