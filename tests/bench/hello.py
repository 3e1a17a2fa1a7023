"""The floor of HTTP: a bare Falcon application under gunicorn's own worker of threads, as it comes."""

from __future__ import annotations

import sys
from typing import Any

import falcon
from gunicorn.app.base import BaseApplication

THREADS = 4
BODY = b"sixty-four bytes of text, as many as the small file has, to hell"


class Hello:
    """Answers the same bytes to every GET."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """The bytes."""
        response.content_type = "text/plain; charset=utf-8"
        response.data = BODY


def application() -> falcon.App[Any, Any]:
    """The application."""
    app = falcon.App()
    app.add_route("/hello", Hello())
    return app


class Stock(BaseApplication):  # type: ignore[misc]
    """gunicorn with its own worker of threads, and nothing chosen but where it listens."""

    def __init__(self, port: int) -> None:
        self._port = port
        super().__init__()

    def load_config(self) -> None:
        """Choose what has no default that would do."""
        for name, value in (
            ("worker_class", "gthread"),
            ("threads", THREADS),
            ("bind", f"127.0.0.1:{self._port}"),
        ):
            self.cfg.set(name, value)

    def load(self) -> falcon.App[Any, Any]:
        """Make the application."""
        return application()


if __name__ == "__main__":
    Stock(int(sys.argv[1])).run()
