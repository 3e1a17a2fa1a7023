"""Content codings of git's requests: compressed bodies are inflated in pieces, within bounds."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from vfs.errors import Invalid, WrongMedia

GZIP = frozenset({"gzip", "x-gzip"})
PLAIN = frozenset({"", "identity"})
PIECE = 1 << 16
# zlib's window for gzip (RFC 1952), its header and its checksum.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def decode(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Yield the pieces without their content coding, none larger than PIECE after inflation.

    Raises WrongMedia for a coding that git does not send, Invalid for a body that is broken, incomplete or
    too long.
    """
    name = coding.strip().lower()
    if name in PLAIN:
        return iter(pieces)
    if name not in GZIP:
        raise WrongMedia(f'The Content-Encoding "{name[:40]}" is not supported; send gzip, or none.')
    return _inflate(pieces)


def _inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    for piece in pieces:
        if inflater.eof:
            raise Invalid("Something follows the end of the compressed request; send one stream of gzip.")
        while piece:
            try:
                content = inflater.decompress(piece, PIECE)
            except zlib.error as error:
                raise Invalid(
                    f"The Content-Encoding says gzip, but the request is not gzip: {error}."
                ) from None
            if content:
                yield content
            piece = inflater.unconsumed_tail
        if inflater.unused_data:
            raise Invalid("Something follows the end of the compressed request; send one stream of gzip.")
    yield from _rest(inflater)


def _rest(inflater: zlib._Decompress) -> Iterator[bytes]:
    """Yield the content that the decompressor still holds."""
    while not inflater.eof:
        try:
            content = inflater.decompress(b"", PIECE)
        except zlib.error as error:
            raise Invalid(f"The Content-Encoding says gzip, but the request is not gzip: {error}.") from None
        if not content:
            raise Invalid("The compressed request was cut short; try again.")
        yield content
