"""Single flight: equal orders at the same time are rendered once, for all callers."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Lock

from handlers.rendering.port import Renderer, Rendering, RenderOrder


class SingleFlight:
    """A renderer before another one that coalesces concurrent equal orders."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._flights: dict[str, Future[Rendering]] = {}
        self._lock = Lock()

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order, or share the result of an equal one. Raises RenderFailed, RendererBusy."""
        digest, mine = order.digest, Future[Rendering]()
        with self._lock:
            flight = self._flights.setdefault(digest, mine)
        if flight is not mine:
            return flight.result()
        try:
            mine.set_result(self._renderer.render(order))
        except BaseException as error:
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._flights[digest]
        return mine.result()
