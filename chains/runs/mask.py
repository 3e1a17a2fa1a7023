"""The mask of a run's log: removes secret values from its lines, in all usual encodings."""

from __future__ import annotations

import base64
import html
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""Characters of the shortest value that is masked. Shorter values occur in ordinary words."""

MASK = "***"
WRAPS = (64, 76)
"""Characters after which programs wrap lines of Base64 (RFC 7468, RFC 2045)."""

_URL = bytes.maketrans(b"+/", b"-_")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}


class Mask:
    """A mask of secret values in lines: plain, in Base64, in hex, and escaped for URLs, JSON and HTML.

    The cost depends only on the line's length and the number of values: each value is searched for in a few
    spellings, in the line and in its unescaped forms.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        parts = {part for secret in secrets for part in maskable(secret)}
        self._plain = _by_length(needle for part in parts for needle in _encodings(_octets(part)))
        self._all = _by_length(
            (*self._plain, *(_octets(form) for part in parts for form in _escaped_forms(part)))
        )

    def __call__(self, text: str) -> str:
        if not self._all:
            return text
        line = _octets(text)
        hidden = list(_spans(line, self._all))
        for mark, escapes, read in VIEWS:
            if mark in line:
                view = _View(line, escapes, read)
                hidden += (view.origin(*span) for span in _spans(view.said, self._plain))
        return _without(line, hidden).decode(errors="surrogatepass") if hidden else text


def maskable(secret: str) -> set[str]:
    """Return the parts of a value to mask: the whole and each of its lines, if they are long enough."""
    return {part for part in (secret, *secret.splitlines()) if len(part) >= SHORTEST}


def _octets(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _by_length(needles: Iterable[bytes]) -> Sequence[bytes]:
    return sorted(set(needles), key=len, reverse=True)


def _encodings(secret: bytes) -> Iterator[bytes]:
    """Yield a secret plain, in hex, and in Base64, including as part of a text such as `user:secret`."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for ahead in range(3):
        encoded = base64.b64encode(bytes(ahead) + secret)
        # Leave out the characters that also depend on the bytes before and after.
        forms = [encoded[(8 * ahead + 5) // 6 : 8 * (ahead + len(secret)) // 6]]
        if not ahead:
            forms += [encoded, encoded.rstrip(b"="), *_base64_lines(encoded)]
        for form in forms:
            yield form
            yield form.translate(_URL)


def _base64_lines(encoded: bytes) -> Iterator[bytes]:
    """Yield the lines in which programs write long Base64."""
    for width in WRAPS:
        lines = [encoded[start : start + width] for start in range(0, len(encoded), width)]
        yield from (line for line in lines if len(line) > SHORTEST)


def _escaped_forms(secret: str) -> Iterator[str]:
    """Yield the escaped forms of a secret, to find it even if a preceding character breaks unescaping."""
    yield quote(secret)
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield html.escape(secret)
    yield html.escape(secret, quote=False)


def _spans(line: bytes, needles: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        start = line.find(needle)
        while start >= 0:
            yield start, start + len(needle)
            start = line.find(needle, start + len(needle))


def _without(line: bytes, hidden: list[tuple[int, int]]) -> bytes:
    """Return the line with each of the spans replaced by a mask; one mask for overlapping spans."""
    pieces, end = list[bytes](), 0
    for first, last in sorted(hidden):
        if first >= end:
            pieces += (line[end:first], MASK.encode())
        end = max(end, last)
    return b"".join((*pieces, line[end:]))


class _View:
    """A line with escapes of one kind decoded, and the position of each part in the original line."""

    def __init__(
        self, line: bytes, escapes: re.Pattern[bytes], read: Callable[[re.Match[bytes]], bytes]
    ) -> None:
        pieces, size, end = list[bytes](), 0, 0
        self._parts: list[tuple[int, int, int]] = []
        for escape in escapes.finditer(line):
            plain, meant = line[end : escape.start()], read(escape)
            self._parts += ((size, end, 0), (size + len(plain), escape.start(), len(escape[0])))
            pieces += (plain, meant)
            size, end = size + len(plain) + len(meant), escape.end()
        self._parts.append((size, end, 0))
        self.said = b"".join((*pieces, line[end:]))

    def origin(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of the line from which this span of the decoded text comes."""
        return self._place(first)[0], self._place(last - 1)[1]

    def _place(self, octet: int) -> tuple[int, int]:
        said, start, length = self._parts[bisect_right(self._parts, octet, key=itemgetter(0)) - 1]
        return (start, start + length) if length else (start + octet - said, start + octet - said + 1)


def _read_percent(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode()) if escape[1] else b" "


def _read_backslash(escape: re.Match[bytes]) -> bytes:
    said = escape[0]
    if said.startswith(b"\\u") and len(said) > 2:
        return _octets(json.loads(b'"%b"' % said))
    if said.startswith(b"\\x") and len(said) > 2:
        return bytes.fromhex(said[2:].decode())
    return _LETTERS.get(said[1:], said[1:])


def _read_entity(escape: re.Match[bytes]) -> bytes:
    return _octets(html.unescape(escape[0].decode()))


VIEWS = (
    (b"%", re.compile(rb"%([0-9A-Fa-f]{2})"), _read_percent),
    (b"+", re.compile(rb"\+|%([0-9A-Fa-f]{2})"), _read_percent),
    (
        b"\\",
        re.compile(rb"(?:\\u[0-9A-Fa-f]{4}){1,2}|\\x[0-9A-Fa-f]{2}|\\[ -~]"),
        _read_backslash,
    ),
    (b"&", re.compile(rb"&#?[0-9A-Za-z]{1,32};"), _read_entity),
)
"""The kinds of escapes: the sign that every such line contains, the pattern, and the decoder."""
