"""Bounds of an inbound message, asked of its bytes before anything reads them."""

from __future__ import annotations

import re

MIB = 1024 * 1024
MOST_BYTES = 10 * MIB
MOST_LINES, MOST_CONTAINERS, MOST_EFFORT = 400_000, 64, 3_000_000
MOST_HEADER_BYTES, MOST_HEADERS = 256 * 1024, 1_000
MOST_FIELD, MOST_BLANKS = 4_000, 50_000_000
CONTAINER = re.compile(rb"(?:multipart|message)/", re.IGNORECASE)
FIELD = re.compile(
    rb"^content-(?:type|disposition)[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE
)
HEADER = re.compile(rb"[!-9;-~]+:|[ \t]")
BLANKS = re.compile(rb"[ \t]{64,}")
END = re.compile(rb"\r?\n\r?\n")


class RefusedMessage(Exception):
    """Raised for a message that is not read, with the reason."""


def check_bounds(raw: bytes) -> None:
    """Raise RefusedMessage for what takes long to read, and for what programs read differently."""
    if len(raw) > MOST_BYTES:
        raise RefusedMessage(f"it has more than {MOST_BYTES // MIB} MB")
    if re.search(rb"\r(?!\n)", raw):
        raise RefusedMessage("a line of it ends in a way that programs read differently")
    _check_head(END.split(raw, maxsplit=1)[0])
    lines, containers = raw.count(b"\n"), sum(1 for _ in CONTAINER.finditer(raw))
    if lines > MOST_LINES or containers > MOST_CONTAINERS or lines * containers > MOST_EFFORT:
        raise RefusedMessage("it has too many lines, or too many messages within one another")
    if any(len(found[0]) > MOST_FIELD for found in FIELD.finditer(raw)):
        raise RefusedMessage("a header of one of its parts is too long")
    # Where a signature is looked at, a run of blanks takes as long as its square.
    if sum(len(found[0]) ** 2 for found in BLANKS.finditer(raw)) > MOST_BLANKS:
        raise RefusedMessage("it has too many blanks side by side")


def _check_head(head: bytes) -> None:
    if len(head) > MOST_HEADER_BYTES or head.count(b"\n") > MOST_HEADERS:
        raise RefusedMessage("its headers are too long")
    if b"\0" in head:
        raise RefusedMessage("it has a sign of no text in its headers")
    if not all(HEADER.match(line) for line in head.split(b"\n")) or head[:1] in (b" ", b"\t"):
        raise RefusedMessage("a line among its headers is none")
