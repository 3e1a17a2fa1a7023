"""Requests that are refused before they are looked at: partial writes, and growth on a full disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.http.request_head import RequestHead
from handlers.identity.identify import Credentials
from handlers.rules.addresses import API
from handlers.server.framing.bodies import is_partial_write
from vfs.access import Credential
from vfs.errors import Invalid
from vfs.path import Path
from vfs.ports.disk import DiskSpace, DiskState, full_disk


def refuse_partial_write(method: str, path: str, environ: Mapping[str, Any]) -> None:
    """Raise Invalid for a request that would write a part of a file."""
    sent = environ.get("HTTP_CONTENT_RANGE")
    if is_partial_write(method, path, has_range=sent is not None):
        raise Invalid(
            f'the request has a Content-Range ("{str(sent)[:80]}"), but files are written only as a whole: '
            "nothing was changed. Send the whole file without a Content-Range; with curl "
            "leave out -C (--continue-at), and -T FILE sends the whole file"
        )


SMALL = 64 << 10
"""Bytes of a body that may be written while the disk is full: for settings, names, comments."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FORM = "multipart/form-data"


def admit_growth(head: RequestHead, path: Path, disk: DiskSpace, credentials: Credentials) -> None:
    """Raise NoSpace for a request that may use more of a full disk.

    Logins stay possible: pages, and files that take other `credentials` than a token.
    """
    if head.method in SAFE:
        return
    # Also for a deletion: the reserve may be released for it.
    room = disk.room()
    if (
        head.method != "DELETE"
        and room.is_full
        and not (_is_small(head.environ) and (room is DiskState.FULL or _signs_in(path, credentials)))
    ):
        raise full_disk()


def _signs_in(path: Path, credentials: Credentials) -> bool:
    return path[:1] != API or credentials.get(path, Credential.TOKEN) is not Credential.TOKEN


def _is_small(environ: Mapping[str, Any]) -> bool:
    """Return whether a request announces at most a few bytes, and no files."""
    if environ.get("HTTP_TRANSFER_ENCODING") or environ.get("CONTENT_TYPE", "").lower().startswith(FORM):
        return False
    length = environ.get("CONTENT_LENGTH") or "0"
    return length.isdigit() and int(length) <= SMALL
