"""A client that hears an answer while it is being made."""

from __future__ import annotations

import queue
import threading
from typing import Any

from tests.kit.client import environment

PATIENCE = 120.0


class Listener:
    """A client that takes an answer piece by piece, in a thread of its own as a server would give it one."""

    def __init__(self, application: Any, path: str, token: str, accept: str, **headers: str) -> None:
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        sent = [("Authorization", f"Bearer {token}"), ("Accept", accept), *named]
        self.environ = environment("GET", path, sent, b"")
        self._pieces: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._heard = b""
        self.gone = threading.Event()
        self.status = ""
        self.headers: dict[str, str] = {}
        self.thread = threading.Thread(target=self._take, args=(application,), daemon=True)
        self.thread.start()

    def _take(self, application: Any) -> None:
        def begin(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
            self.status, self.headers = status, {name.lower(): value for name, value in headers}

        body = application(self.environ, begin)
        try:
            for piece in body:
                self._pieces.put(piece)
                if self.gone.is_set():
                    break
        finally:
            getattr(body, "close", lambda: None)()
            self._pieces.put(None)

    def until(self, words: str) -> str:
        """What was sent up to the first piece that holds these words."""
        while words.encode() not in self._heard:
            piece = self._pieces.get(timeout=PATIENCE)
            assert piece is not None, f"it ended after {self._heard!r}"
            self._heard += piece
        return self._heard.decode()

    def whole(self) -> str:
        """All that was sent until the end came."""
        while (piece := self._pieces.get(timeout=PATIENCE)) is not None:
            self._heard += piece
        return self._heard.decode()
