"""Partial writes are refused, because files are written whole.

A server that takes a part for the whole would lose the rest (RFC 9110, 14.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.server.framing.bodies import is_partial_write
from vfs.errors import Invalid


def refuse_partial_write(method: str, path: str, environ: Mapping[str, Any]) -> None:
    """Raise Invalid for a request that would write a part of a file."""
    sent = environ.get("HTTP_CONTENT_RANGE")
    if is_partial_write(method, path, has_range=sent is not None):
        raise Invalid(
            f'this is a piece of something, as its Content-Range says ("{str(sent)[:80]}"), and things are '
            "written here as a whole: nothing was changed. Send all of it without a Content-Range; with curl "
            "leave out -C (--continue-at), and -T FILE sends the whole file"
        )
