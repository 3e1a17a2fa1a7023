"""Bodies of git's requests: their content codings and their sizes."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from chains.files.fsync import write_whole
from chains.files.sizes import size_text
from handlers.git.push_commands import bound_commands
from vfs.errors import Invalid, TooLarge, WrongMedia

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


Environ = Mapping[str, Any]

FETCH_LARGEST = 2 << 20
"""Bytes of a fetch after inflation: the commits that a client wants and has, 50 bytes each."""
FETCH_TOO_LARGE = f"A fetch may send {FETCH_LARGEST >> 20} MiB at most; fetch fewer branches at a time."


def receive_fetch(environ: Environ, held: ExitStack) -> tuple[IO[bytes], int]:
    """Return the body of a fetch in a file in memory, and its size. Raises TooLarge and Invalid."""
    file = held.enter_context(os.fdopen(os.memfd_create("fetch"), "w+b", buffering=0))
    return _rewound(file, spool(environ, file, FETCH_LARGEST, FETCH_TOO_LARGE))


def receive_push(
    environ: Environ, held: ExitStack, folder: Path, largest: int, commands: int
) -> tuple[IO[bytes], int]:
    """Return the body of a push of at most `commands` commands as an unnamed file, and its size.

    The file is in a folder on disk. Raises as `spool` does.
    """
    file: IO[bytes] = held.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115
    pieces = plain_pieces(environ, largest, push_too_large(largest))
    return _rewound(file, _spool(bound_commands(pieces, commands), file))


def push_too_large(largest: int) -> str:
    """Return the message for a push of more than this number of bytes."""
    most = size_text(largest)
    return f"A push may send {most} at most; push fewer commits at a time, or ask the operator for more."


def _rewound(file: IO[bytes], size: int) -> tuple[IO[bytes], int]:
    file.seek(0)
    return file, size


def spool(environ: Environ, file: IO[bytes], largest: int, said: str) -> int:
    """Write a request's body to a file, without its content coding; return its size.

    Raises TooLarge with the text `said`, Invalid (incomplete, broken), WrongMedia (another coding), OSError
    (no space).
    """
    return _spool(plain_pieces(environ, largest, said), file)


def _spool(pieces: Iterator[bytes], file: IO[bytes]) -> int:
    return sum(write_whole(file, piece) for piece in pieces)


def plain_pieces(environ: Environ, largest: int, said: str) -> Iterator[bytes]:
    """Yield the body without its content coding, at most `largest` bytes both as sent and inflated."""
    coding = str(environ.get("HTTP_CONTENT_ENCODING", ""))
    size = 0
    for piece in decode(_pieces(environ, largest, said), coding):
        size += len(piece)
        if size > largest:
            raise TooLarge(said, limit=largest)
        yield piece


def _pieces(environ: Environ, largest: int, said: str) -> Iterator[bytes]:
    length = str(environ.get("CONTENT_LENGTH") or "")
    if not length and environ.get("HTTP_TRANSFER_ENCODING", "").lower() != "chunked":
        return
    expected = int(length) if length.isdigit() else None
    size = 0
    while expected is None or size < expected:
        if max(size, expected or 0) > largest:
            raise TooLarge(said, limit=largest)
        try:
            piece = environ["wsgi.input"].read(PIECE if expected is None else min(PIECE, expected - size))
        except Exception as error:  # a lost client, and the server's own errors for malformed chunks
            raise Invalid("The request was cut short; try again.") from error
        if not piece:
            break
        size += len(piece)
        yield piece
    if expected is not None and size < expected:
        raise Invalid("The request was cut short; try again.")
