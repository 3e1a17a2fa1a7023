"""The bytes of texts as they are handed on: which control signs leave the service (decision 170)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack

from handlers.render.terminal_signs import safe_colors, safe_json, safe_text
from vfs.call import Reply, Signs, Stream

JSON = "application/json"


def shown(text: str, signs: Signs = Signs.NONE, media: str = "text/plain") -> bytes:
    """A text with the control signs that it may hand on; JSON has all of them, escaped."""
    match signs:
        case Signs.ALL:
            return text.encode()
        case _ if media == JSON:
            return safe_json(text.encode())
        case Signs.COLORS:
            return safe_colors(text).encode()
        case _:
            return safe_text(text).encode()


def shown_pieces(reply: Reply, stream: Stream) -> Iterable[bytes]:
    """The pieces of a stream likewise; where it was made here, each is of whole characters."""
    return stream.pieces if reply.signs is Signs.ALL else _shown_pieces(reply, stream)


def _shown_pieces(reply: Reply, stream: Stream) -> Iterator[bytes]:
    is_text = stream.media == "text/plain"
    with ExitStack() as stack:
        if isinstance(stream.pieces, Generator):
            stack.callback(stream.pieces.close)
        for piece in stream.pieces:
            yield shown(piece.decode(), reply.signs) if is_text else safe_json(piece)
