"""Redirects: addresses that receive an application's authorization code (RFC 8252, 9700)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlencode, urlsplit

from vfs.errors import Invalid

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
LONGEST = 512
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HOW = (
    "a redirect is https://<host>/<path>, http://localhost/<path> or http://127.0.0.1/<path> for a program "
    "on the person's own computer, <com.example.app>:/<path>, vscode://<extension>/<path> for an extension "
    "of an editor, or "
    f"{OUT_OF_BAND} for a code that is copied by hand"
)

# Only characters that an address needs; no quotes, spaces or semicolons, so it is safe in a header.
_PLAIN = re.compile(r"[A-Za-z0-9._~:/?@!$&()*+=%\[\]-]+")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
EDITORS = frozenset({"vscode", "vscode-insiders", "vscodium", "cursor", "windsurf"})
"""Schemes that editors have for addresses of their extensions, which are named in place of a host."""
_PRIVATE = re.compile(r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+")


def redirect(sent: str) -> str:
    """Return a redirect that may be registered. Raises Invalid."""
    text = sent.strip()
    if text == OUT_OF_BAND:
        return text
    parts = _split(text)
    if parts is None or not (_is_web(parts) or _is_loopback(parts) or _is_app(parts)):
        raise Invalid(f'"{text[:80]}" cannot be a redirect: {HOW}')
    return text


def admits(registered: Iterable[str], asked: str) -> bool:
    """Return whether a redirect is registered, or differs only in the port of a loopback address.

    An application that listens there gets a free port from the system (RFC 8252, 7.3).
    """
    there = tuple(registered)
    if asked in there:
        return True
    parts = _split(asked)
    if parts is None or not _is_loopback(parts):
        return False
    return any(_portless(found) == _portless(parts) for text in there if (found := _split(text)) is not None)


def with_answer(address: str, answer: dict[str, str]) -> str:
    """Return a redirect with the fields of an answer in its query."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(answer)}"


def form_target(address: str) -> str:
    """Return the redirect's origin for a content security policy (CSP level 3); empty if there is none."""
    parts = _split(address)
    if address == OUT_OF_BAND or parts is None:
        return ""
    if not parts.netloc or parts.netloc.startswith("[") or parts.scheme in EDITORS:
        return f"{parts.scheme}:"  # such a policy can name neither an IPv6 address nor an extension
    return f"{parts.scheme}://{parts.netloc}"


def _split(text: str) -> SplitResult | None:
    """Return the parts of an address that is safe to send and to compare; None for any other."""
    if len(text) > LONGEST or not _PLAIN.fullmatch(text):
        return None
    try:
        parts = urlsplit(text)
        fine = parts.port != 0 and parts.username is None and parts.scheme == text.partition(":")[0]
    except ValueError:
        return None
    return parts if fine else None


def _is_web(parts: SplitResult) -> bool:
    return parts.scheme == "https" and _HOST.fullmatch(parts.hostname or "") is not None


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def _is_app(parts: SplitResult) -> bool:
    """Return whether a program of the person's own computer opens the address (RFC 8252, 7.1)."""
    if parts.scheme in EDITORS:
        return _HOST.fullmatch(parts.netloc) is not None
    return not parts.netloc and parts.path.startswith("/") and _PRIVATE.fullmatch(parts.scheme) is not None


def _portless(parts: SplitResult) -> tuple[str, str | None, str, str]:
    return parts.scheme, parts.hostname, parts.path, parts.query
