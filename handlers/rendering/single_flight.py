"""Single flight: equal orders that are asked for at the same time are rendered once, for all who ask."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Lock

from handlers.rendering.port import Renderer, Rendering, RenderOrder


class SingleFlight:
    """Renderer in front of another that coalesces concurrent requests for the same render."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._flights: dict[str, Future[Rendering]] = {}
        self._lock = Lock()

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered, or share what another made. Raises RenderFailed, RendererBusy."""
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
