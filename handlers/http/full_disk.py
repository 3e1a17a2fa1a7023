"""Admission of requests while the disk is full: all that make room, and those that are small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.http.request_head import RequestHead
from handlers.identity.identify import Credentials
from handlers.rules.addresses import API
from vfs.access import Credential
from vfs.path import Path
from vfs.ports.disk import DiskSpace, DiskState, full_disk

SMALL = 64 << 10
"""Bytes of a body that may be written while the disk is full: a setting, a name, a comment."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FORM = "multipart/form-data"


def admit_growth(head: RequestHead, path: Path, disk: DiskSpace, credentials: Credentials) -> None:
    """Raise NoSpace for a request that may make a full disk fuller.

    Where other `credentials` are taken than a token, and by pages, people sign in: from that nobody is kept.
    """
    if head.method in SAFE:
        return
    # Asked for a deletion too: it may be what the reserve is given up for.
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
    """Return whether a request announces a body of a few bytes, or none, and no files."""
    if environ.get("HTTP_TRANSFER_ENCODING") or environ.get("CONTENT_TYPE", "").lower().startswith(FORM):
        return False
    length = environ.get("CONTENT_LENGTH") or "0"
    return length.isdigit() and int(length) <= SMALL
