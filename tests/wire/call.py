"""Calls a WSGI application as a server would, without a socket."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from tests.wire.player import Answer


def environment(method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> dict[str, Any]:
    """The WSGI environment of a request (PEP 3333), with gunicorn's RAW_URI."""
    route, _, query = path.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(route).decode("latin-1"),
        "QUERY_STRING": query,
        "RAW_URI": path,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "HTTP_HOST": "localhost:8000",
    }
    if body or method in {"POST", "PUT", "PATCH"}:
        environ["CONTENT_LENGTH"] = str(len(body))
    for name, value in headers:
        key = name.upper().replace("-", "_")
        environ[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    return environ


def call(
    application: Any, method: str, path: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
) -> Answer:
    """The answer of a WSGI application to one request, read to its end."""
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, answered: list[tuple[str, str]], _error: Any = None) -> Any:
        begun.append((status, answered))

    chunks: Iterable[bytes] = application(environment(method, path, headers, body), start_response)
    try:
        content = b"".join(chunks)
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
    status, answered = begun[-1]
    return Answer(int(status[:3]), {name.lower(): value for name, value in answered}, content)
