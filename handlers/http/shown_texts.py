"""The bytes of texts that are sent: which control characters leave the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from handlers.words.terminal_signs import safe_colors, safe_json, safe_text
from vfs.call import Reply, Signs, Stream

JSON = "application/json"


def text_bytes(text: str, signs: Signs = Signs.NONE, media: str = "text/plain") -> bytes:
    """Return a text without unsafe control characters; in JSON they are escaped."""
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
    """Return the pieces of a stream without unsafe control characters."""
    return stream.pieces if reply.signs is Signs.ALL else MadePieces(stream, reply.signs)


class MadePieces:
    """Pieces of a text or of JSON, made while they are sent, each of whole characters."""

    def __init__(self, stream: Stream, signs: Signs) -> None:
        self._pieces = stream.pieces
        self._is_text = stream.media == "text/plain"
        self._signs = signs

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            yield text_bytes(piece.decode(), self._signs) if self._is_text else safe_json(piece)

    def close(self) -> None:
        if hasattr(self._pieces, "close"):
            self._pieces.close()
