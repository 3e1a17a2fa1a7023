"""The rendering service on a socket of the data folder, and the renderer that asks it."""

from __future__ import annotations

import socket
import socketserver
from pathlib import Path

from handlers.rendering.frames import BrokenMessage, read_message, write_message
from handlers.rendering.port import Renderer, RendererBusy, RenderFailed, Rendering, RenderOrder

SOCKET = "render.sock"
LONGEST = 120.0
"""Seconds after which nobody waits for an answer any more: longer than waiting and rendering may take."""


class RenderServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Answers one order a connection; only the account of the service may connect."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, path: Path, renderer: Renderer) -> None:
        path.unlink(missing_ok=True)
        self.renderer = renderer
        super().__init__(str(path), _OrderConnection)
        path.chmod(0o600)


class _OrderConnection(socketserver.StreamRequestHandler):
    server: RenderServer

    def handle(self) -> None:
        """Render what is ordered and answer it; somebody who has gone away is not told."""
        try:
            head, _ = read_message(self.rfile)
            answer = self._answer(RenderOrder(**head))
        except (BrokenMessage, OSError, TypeError):
            return
        try:
            write_message(self.wfile, *answer)
        except OSError:
            return

    def _answer(self, order: RenderOrder) -> tuple[dict[str, object], bytes]:
        try:
            made = self.server.renderer.render(order)
        except RenderFailed as failure:
            return {"failed": str(failure)}, b""
        except RendererBusy as refusal:
            return {"busy": str(refusal)}, b""
        return {"media": made.media, "notes": list(made.notes)}, made.body


class RemoteRenderer:
    """Renderer over the socket of the rendering service."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered. Raises RenderFailed, and RendererBusy also where no service listens."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(LONGEST)
            try:
                connection.connect(str(self._path))
                with connection.makefile("rwb") as pipe:
                    write_message(pipe, order.fields)
                    head, body = read_message(pipe)
            except TimeoutError:
                raise RenderFailed(f"no answer came within {LONGEST:g} seconds") from None
            except (BrokenMessage, OSError) as error:
                raise RendererBusy("the rendering service does not answer") from error
        if "busy" in head:
            raise RendererBusy(str(head["busy"]))
        if "failed" in head:
            raise RenderFailed(str(head["failed"]))
        return Rendering(body, str(head["media"]), tuple(str(note) for note in head["notes"]))
