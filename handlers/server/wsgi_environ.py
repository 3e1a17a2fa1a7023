"""The WSGI environment (PEP 3333) of a request."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from gunicorn.util import unquote_to_wsgi_str

from handlers.server.application import Environ
from handlers.server.framing.wire_request import WireRequest
from handlers.server.response_writer import FileAnswer

_PLAIN = {"CONTENT-TYPE": "CONTENT_TYPE", "CONTENT-LENGTH": "CONTENT_LENGTH"}
_MOST_NAMES = 512


def base_environ(several: bool) -> Environ:
    """Return the variables common to all requests of a worker; `several`: there are other workers."""
    return {
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": several,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileAnswer,
        "wsgi.input_terminated": True,
        "SERVER_SOFTWARE": "gunicorn",
        "SCRIPT_NAME": "",
    }


def connection_environ(base: Environ, wire: Any, peer: Any, here: Any) -> Environ:
    """Return the variables of all requests of a connection; a UNIX socket has no peer address."""
    environ = {**base, "gunicorn.socket": wire}
    if isinstance(peer, tuple):
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = peer[0], str(peer[1])
        environ["SERVER_NAME"], environ["SERVER_PORT"] = here[0], str(here[1])
    else:
        environ["REMOTE_ADDR"] = peer if isinstance(peer, str) else ""
        environ["SERVER_NAME"], environ["SERVER_PORT"] = "", ""
    return environ


def request_environ(request: WireRequest, body: Any, connection: Environ) -> Environ:
    """Return the environment of one request; the values of a repeated header are joined by commas."""
    environ = dict(connection)
    for name, value in request.headers:
        key = _environ_name(name)
        if key in environ:
            value = f"{environ[key]},{value}"
        environ[key] = value
    environ["wsgi.url_scheme"] = request.scheme
    environ["wsgi.input"] = body
    environ["REQUEST_METHOD"] = request.method
    environ["QUERY_STRING"] = request.query
    environ["RAW_URI"] = request.target
    environ["SERVER_PROTOCOL"] = f"HTTP/{request.version[0]}.{request.version[1]}"
    path = request.path
    environ["PATH_INFO"] = unquote_to_wsgi_str(path) if "%" in path else path
    if not environ["SERVER_NAME"]:
        host, _, port = environ.get("HTTP_HOST", "").partition(":")
        environ["SERVER_NAME"] = host
        environ["SERVER_PORT"] = port or ("443" if request.scheme == "https" else "80") if host else ""
    return environ


@lru_cache(maxsize=_MOST_NAMES)
def _environ_name(name: str) -> str:
    """Return the variable name of a header; recent names are cached."""
    return _PLAIN.get(name) or f"HTTP_{name.replace('-', '_')}"
