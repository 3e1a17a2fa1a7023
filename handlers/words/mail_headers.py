"""Headers of mails as bytes, with users' words unchanged.

Python's own policy decodes encoded words (RFC 2047) in a text that is set, so that a subject could inject
line ends and headers. Nothing is decoded here: words that are not plain ASCII are encoded as a whole.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote

# Maximum bytes of an encoded word; with the name of its header it has less than 76 (RFC 2047, 2).
_WORD_BYTES = 39
_LONGEST_LINE = 70
_FOLD = "\r\n"
# A line that needs no folding.
_PLAIN = re.compile(r"[!-~](?:[ -~]{0,58}[!-~])?")
_PHRASE = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_OURS = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}|\"(?:[ !#-\[\]-~]|\\[ -~]){0,62}\""
_ADDRESS = re.compile(rf"(?:{_LOCAL})@(?:[A-Za-z0-9.-]{{1,253}}|\[[!-Z^-~]{{1,60}}\])")
_MEDIA = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,60}")
_MARK = "=?"
_BREAKS = frozenset({"Cc", "Zl", "Zp"})
UNKNOWN_MEDIA = "application/octet-stream"


def header(name: str, value: str) -> bytes:
    """Return a header with the service's own value. Raises ValueError if it is not plain ASCII.

    A single word, such as a message id, is never folded, because some programs keep the space of the fold.
    """
    if not _OURS.fullmatch(value):
        raise ValueError(f"{name} cannot be {value[:100]!r}")
    is_long = len(name) + len(value) >= _LONGEST_LINE
    fold = "\r\n " if is_long and " " in value else " "
    return f"{name}:{fold}{value}\r\n".encode("ascii")


def words_header(name: str, words: str) -> bytes:
    """Return a header of a user's words, such as a subject (RFC 5322, 3.6.5)."""
    line = one_line(words)
    if _PLAIN.fullmatch(line) and _MARK not in line:
        return f"{name}: {line}\r\n".encode("ascii")
    return f"{name}: {_encode(line)}\r\n".encode("ascii") if line else b""


def address_header(name: str, address: str, shown: str = "") -> bytes:
    """Return a header of one address with its name. Raises ValueError for an invalid address."""
    if not is_address(address):
        raise ValueError(f"{address[:100]} is no address to which a mail could go")
    line = one_line(shown)
    if not line:
        return f"{name}: {address}\r\n".encode("ascii")
    phrase = line if _PHRASE.fullmatch(line) and len(line) < 60 and _MARK not in line else _encode(line)
    is_short = len(name) + len(phrase) + len(address) < _LONGEST_LINE
    return f"{name}: {phrase}{'' if is_short else _FOLD} <{address}>\r\n".encode("ascii")


def file_part(media: str, body: bytes, name: str) -> bytes:
    """Return a part of a message that is a file (RFC 2183), its body in base 64."""
    line = one_line(name) or "file"
    disposition = f"Content-Disposition: attachment;\r\n filename*=utf-8''{quote(line, safe='')}\r\n"
    return base64_part(media if _MEDIA.fullmatch(media) else UNKNOWN_MEDIA, body, disposition)


def base64_part(media: str, body: bytes, more: str = "") -> bytes:
    """Return a part of a message; `media` and the headers `more` are the service's own."""
    head = f"Content-Type: {media}\r\nContent-Transfer-Encoding: base64\r\n{more}\r\n".encode("ascii")
    return head + base64.encodebytes(body).replace(b"\n", b"\r\n")


def is_address(text: str) -> bool:
    """Return whether a text is one address that is safe in a header."""
    return _ADDRESS.fullmatch(text) is not None and _MARK not in text


def one_line(words: str) -> str:
    """Return words for a header: control characters become spaces, surrogates replacement characters."""
    sound = words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    signs = ("\n" if unicodedata.category(sign) in _BREAKS else sign for sign in sound)
    return re.sub(r"\n+", " ", "".join(signs)).strip()


def _encode(line: str) -> str:
    """Return encoded words, one on each line; the white space between them is not part of the text."""
    return "\r\n ".join(
        f"=?utf-8?b?{base64.b64encode(piece.encode()).decode()}?=" for piece in _pieces_of(line)
    )


def _pieces_of(line: str) -> Iterator[str]:
    """Yield the text in pieces of whole characters, each short enough for an encoded word."""
    piece, size = "", 0
    for sign in line:
        width = len(sign.encode())
        if size + width > _WORD_BYTES:
            yield piece
            piece, size = "", 0
        piece, size = piece + sign, size + width
    yield piece
