"""Validators, preconditions and byte ranges of HTTP (RFC 9110 sections 8.8, 13 and 14)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from vfs.call import Reply
from vfs.errors import Outdated, Unsatisfiable
from vfs.ports.leaves import TAG

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.IGNORECASE)

Tags = Callable[[Reply], tuple[str, ...]]
Expect = Callable[[Reply | None, Reply | None], None]


def etag(content: bytes) -> str:
    """Return the strong validator of a response's bytes."""
    return f'"{hashlib.sha256(content).hexdigest()[:TAG]}"'


def is_not_modified(environ: Mapping[str, Any], tag: str) -> bool:
    """Return whether the response is "not modified". Raises Outdated when If-Match does not match."""
    must = environ.get("HTTP_IF_MATCH")
    if must is not None and must.strip() != "*" and tag not in _strong(must):
        raise Outdated(
            "this has changed since you read it: the ETag that If-Match names is not its present one"
        )
    none = environ.get("HTTP_IF_NONE_MATCH")
    return none is not None and (none.strip() == "*" or tag in _weak(none))


def expectation(environ: Mapping[str, Any], tags: Tags) -> Expect | None:
    """Return the check that the preconditions of a write require; None without preconditions.

    It gets the present reply, for If-Match, and the one that would be replaced, for If-None-Match (None:
    nothing is there), and raises Outdated; `tags` returns the validators of every representation of a reply.
    """
    must, none = environ.get("HTTP_IF_MATCH"), environ.get("HTTP_IF_NONE_MATCH")
    if must is None and none is None:
        return None

    def expect(present: Reply | None, replaced: Reply | None) -> None:
        known = () if present is None else tags(present)
        if must is not None:
            if present is None:
                raise Outdated("there is nothing here, and If-Match requires something: nothing was written")
            if must.strip() != "*" and _strong(must).isdisjoint(known):
                raise Outdated(
                    "this has changed since you read it: nothing was written; read it again, then write"
                )
        if (
            none is not None
            and replaced is not None
            and (none.strip() == "*" or not _weak(none).isdisjoint(tags(replaced)))
        ):
            raise Outdated(
                "this is there already, and If-None-Match requires that it is not: nothing was written"
            )

    return expect


def span(environ: Mapping[str, Any], tag: str, size: int) -> tuple[int, int] | None:
    """Return the first byte and the number of bytes that a Range requests; None for all.

    Several ranges, other units, malformed ranges, and a range of an older state (If-Range) get the whole.
    Raises Unsatisfiable.
    """
    asked = environ.get("HTTP_RANGE")
    if asked is None or environ.get("HTTP_IF_RANGE", tag).strip() != tag:
        return None
    found = _RANGE.fullmatch(asked)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        first = size - length
    else:
        first = int(found[1])
        last = min(int(found[2]), size - 1) if found[2] else size - 1
        if found[2] and int(found[2]) < first:
            return None
        length = last - first + 1
    if length <= 0 or first >= size:
        raise Unsatisfiable(f"the range asks for bytes that are not there: this has {size} bytes", size=size)
    return first, length


def _strong(header: str) -> set[str]:
    return {tag for weak, tag in _TAG.findall(header) if not weak}


def _weak(header: str) -> set[str]:
    return {tag for _, tag in _TAG.findall(header)}
