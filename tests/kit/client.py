"""Calls of a WSGI application without a socket, their answers, and what is asked of every answer."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status number, headers by lower-case name, the body's bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


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


# What comes from users is below these only.
OF_USERS = ("/v1", "/git")


OF_PLOTS = re.compile(r"/files/plot\.html$|/p/[a-z0-9_]+/html$")
OF_MAILS = re.compile(r"/files/mail\.html$|/m/[a-z0-9_]+/html$")
BROUGHT_ALONG = {"style-src 'unsafe-inline'", "img-src data:", "font-src data:"}
"""A render's own styles, pictures and fonts."""


def sandboxed(headers: Mapping[str, str]) -> bool:
    """Whether a browser that shows an answer, and whatever is in it, lets it do nothing at all."""
    rules = {rule.strip() for rule in headers.get("content-security-policy", "").split(";")}
    bare = {"default-src 'none'", "sandbox", "frame-ancestors 'none'"}
    return rules in (bare, bare | BROUGHT_ALONG) and lax(headers) == ""


def framed(path: str, headers: Mapping[str, str]) -> bool:
    """Whether this is a plot that may draw itself: by a script without an origin, a network or a way out."""
    rules = {rule.strip() for rule in headers.get("content-security-policy", "").split(";")}
    alone = {
        "default-src 'none'",
        "sandbox allow-scripts",
        "frame-ancestors 'self'",
        "script-src 'unsafe-inline'",
    }
    return OF_PLOTS.search(path) is not None and rules == alone | BROUGHT_ALONG and lax(headers) == ""


def within_page(path: str, headers: Mapping[str, str]) -> bool:
    """Whether this is a mail as programs show it: in a frame of its page, where it may do nothing at all."""
    rules = {rule.strip() for rule in headers.get("content-security-policy", "").split(";")}
    alone = {"default-src 'none'", "sandbox", "frame-ancestors 'self'"}
    return OF_MAILS.search(path) is not None and rules == alone | BROUGHT_ALONG and lax(headers) == ""


def lax(headers: Mapping[str, str]) -> str:
    """Which of the other headers is missing or lax; empty when all are as they must be."""
    wanted = {
        "x-content-type-options": r"nosniff",
        "referrer-policy": r"no-referrer|same-origin",
        "cross-origin-resource-policy": r"same-origin",
        "cache-control": r"private, no-store|no-cache|public, max-age=31536000, immutable",
        "vary": r"Accept(, Authorization, Cookie)?",
        "x-request-id": r"[A-Za-z0-9._-]+",
    }
    return ", ".join(name for name, value in wanted.items() if not re.fullmatch(value, headers.get(name, "")))


def is_page(path: str, answer: Answer) -> bool:
    """Whether this is a page of the service's own, which has a strict policy and no sandbox."""
    policy = answer.headers["content-security-policy"]
    return (
        not path.startswith(OF_USERS)
        and answer.headers["content-type"] == "text/html; charset=utf-8"
        and policy.startswith("default-src 'none'; ")
        and "frame-ancestors 'none'" in policy
        and not re.search(r"unsafe|\*|https?:|data:|script-src 'self'|style-src 'self'", policy)
        and lax(answer.headers) == ""
    )
