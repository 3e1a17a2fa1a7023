"""Files as texts: those that a page shows and an editor takes."""

from __future__ import annotations

from handlers.pages.request import PageRequest
from vfs.call import Reply, Stream
from vfs.ports.blobs import Ref

LARGEST_TEXT = 256 * 1024
LARGEST_FORM = 2 << 20
"""Bytes of all fields: a text twice, as typed and as shown, its line ends doubled, and what was merged."""
FILE = "file"
"""The path of the text in the form of its editor."""
NO_TEXT = "(not text any more)"


def text_in(raw: bytes) -> str | None:
    """The text that bytes are; None where they are none."""
    try:
        return raw.decode() if b"\0" not in raw else None
    except UnicodeDecodeError:
        return None


def bytes_of(request: PageRequest, ref: Ref) -> bytes:
    """The bytes of a stored file."""
    with request.world.blobs.open(ref) as stream:
        return bytes(stream.read())


def leading_bytes(reply: Reply, most: int) -> bytes:
    """The first bytes of a file that is sent as it is read."""
    assert isinstance(reply.value, Stream)
    read = b""
    for piece in reply.value.pieces:
        read += piece
        if len(read) >= most:
            break
    return read[:most]


def with_line_ends(text: str, stored: bytes) -> str:
    """A text with the line ends of what is stored."""
    return text.replace("\n", "\r\n") if b"\r\n" in stored else text
