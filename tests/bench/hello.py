"""The floor of HTTP: a bare Falcon application under stock gunicorn gthread with Curlew's settings."""

from __future__ import annotations

import sys
from typing import Any

import falcon
from gunicorn.workers.gthread import ThreadWorker

from handlers.http.server import Server, ServerOptions

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


class Stock(Server):
    """The same server with gunicorn's own worker."""

    def load_config(self) -> None:
        """Tell gunicorn how to serve."""
        super().load_config()
        self.cfg.set("worker_class", ThreadWorker)


if __name__ == "__main__":
    port, threads = sys.argv[1:]
    Stock(application, ServerOptions(bind=f"127.0.0.1:{port}", workers=1, threads=int(threads))).run()
