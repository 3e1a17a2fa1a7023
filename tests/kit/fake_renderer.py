"""FakeRenderer: the renderer of tests that need no picture, whose renders are the orders themselves."""

from __future__ import annotations

from handlers.rendering.port import RenderFailed, Rendering, RenderOrder
from handlers.rendering.render_kinds import MEDIA_TYPES, RENDER_KINDS

MESSAGE = '{"html": "<p>Fake</p>", "text": "Fake", "pictures": [], "notes": [], "title": ""}'
NO_REQUESTS = '{"visuals": [], "assets": [], "authors": [], "variables": []}'
PLAIN = {"requests": NO_REQUESTS, "references": "[[], []]", "message": MESSAGE}


class FakeRenderer:
    """Renderer whose bytes are the order as JSON; an order whose data are the word `break` fails.

    Documents refer to nothing.
    """

    def render(self, order: RenderOrder) -> Rendering:
        """Answer the order. Raises RenderFailed."""
        kind = RENDER_KINDS.get(order.kind)
        if kind is None or order.form not in kind.forms or order.texts.get("data") == "break":
            raise RenderFailed("the renderer broke (Fake)")
        return Rendering(PLAIN.get(order.form, order.json).encode(), MEDIA_TYPES[order.form], ())
