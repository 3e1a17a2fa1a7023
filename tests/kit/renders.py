"""The renderer without pictures, for tests of everything around it: in this process, or behind its socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from handlers.processes.world import House
from handlers.rendering.fake import FakeRenderer
from handlers.rendering.socket_service import SOCKET, RenderServer


def with_fake_renderer(house: House) -> House:
    """The same house, where the shipped fake draws."""
    visuals = replace(house.world.visuals, renderer=FakeRenderer())
    return replace(house, world=replace(house.world, visuals=visuals))


@contextmanager
def fake_renders(folder: Path) -> Iterator[None]:
    """The shipped fake where the web looks for the rendering service."""
    with RenderServer(folder / SOCKET, FakeRenderer()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
