"""Request bodies: length and media type enforced, read as text, JSON, bytes or files."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path as Folder
from typing import Any

import orjson

from handlers.http.bodies.form_fields import read_texts
from handlers.http.bodies.multipart import store
from vfs.body import Body, NoBody, Waiting, hold_charset
from vfs.errors import Invalid, TooLarge, WrongMedia

DEEPEST = 64
PIECE = 1 << 16

_FORM = "application/x-www-form-urlencoded"
# A string without an end is matched as well: looking for an end at each quote would not be linear.
_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_AS_TEXT = "-H 'Content-Type: text/plain'"
_AS_JSON = "-H 'Content-Type: application/json'"

NOTHING = NoBody()


def body_of(environ: Mapping[str, Any]) -> Body:
    """Return the body of a request; nothing is read before a reader is called."""
    if "CONTENT_LENGTH" in environ or "HTTP_TRANSFER_ENCODING" in environ or environ.get("CONTENT_TYPE"):
        return RequestBody(environ)
    return NOTHING


class RequestBody:
    """The body of one request, read once; every reader refuses an incomplete one."""

    __slots__ = ("_environ", "_here", "_stream", "content_type", "media")

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ
        self._stream = environ["wsgi.input"]
        self.content_type: str | None = (environ.get("CONTENT_TYPE") or "").strip() or None
        self.media: str | None = (self.content_type or "").partition(";")[0].strip().lower() or None
        self._here: deque[bytes] = deque()

    def arrive(self, largest: int, waiting: Waiting) -> None:
        """Wait until the body, or more than `largest` bytes of it, is there. Raises Invalid (incomplete)."""
        length = self._length()
        if self._is_here or length == 0 or (length is not None and length > largest):
            return  # nothing is coming, or every reader refuses it unread
        seen = sum(map(len, self._here))
        with waiting():
            while seen <= largest and (
                piece := self._read(PIECE if length is None else min(PIECE, length - seen))
            ):
                self._here.append(piece)
                seen += len(piece)
        if length is not None and seen < length:
            raise _cut_short(seen, length)

    def empty(self) -> bool:
        """Return whether a complete and empty body was sent.

        Raises Invalid (incomplete), WrongMedia (a form: curl's -d with an empty value sends one).
        """
        self._refuse_form(_AS_TEXT)
        length = self._length()
        if length is not None:
            return length == 0
        if not self._here and (piece := self._read(PIECE)):
            self._here.append(piece)
        return not self._here

    def text(self, largest: int) -> str:
        """Return the body as text. Raises WrongMedia, TooLarge, Invalid (not UTF-8, NUL, incomplete)."""
        self._refuse_form(_AS_TEXT)
        if self.media is None and self.empty():
            return ""
        if self.media != "text/plain":
            sent = f"as {self.media}" if self.media else "without a Content-Type"
            raise WrongMedia(f"this takes plain text and the body came {sent}: send it with  {_AS_TEXT}")
        hold_charset(self.content_type)
        raw = self._whole(largest)
        try:
            content = raw.decode()
        except UnicodeDecodeError as wrong:
            raise Invalid(f"the text is not UTF-8 (byte {wrong.start}): convert it to UTF-8 first") from None
        if "\0" in content:
            raise Invalid("the text contains a NUL character: only text can be stored here")
        return content

    def data(self, largest: int) -> Any:
        """Return the body as a parsed JSON document.

        Raises WrongMedia, TooLarge, Invalid (not JSON, too deep, incomplete).
        """
        return parse_fields(self._document(largest))

    def document(self, largest: int) -> bytes:
        """Return the bytes of a JSON document, validated. Raises as `data` does."""
        sent = self._document(largest)
        parse_json(sent)
        return sent

    def _document(self, largest: int) -> bytes:
        self._refuse_form(_AS_JSON)
        if self.media is None and self.empty():
            raise Invalid('the body is empty: send a JSON document, for example {"name": "value"}')
        if self.media != "application/json" and not (self.media or "").endswith("+json"):
            sent = f"as {self.media}" if self.media else "without a Content-Type"
            raise WrongMedia(f"this takes JSON and the body came {sent}: send it with  {_AS_JSON}")
        hold_charset(self.content_type)
        return self._whole(largest)

    def chunks(self, largest: int) -> Iterator[bytes]:
        """Yield the bytes in pieces as they arrive.

        Raises TooLarge, Invalid (incomplete) and WrongMedia (compressed) while iterated.
        """
        if self._is_compressed():
            raise WrongMedia(
                "the body is compressed, which is not supported: send it without a Content-Encoding, and "
                "with no Transfer-Encoding but chunked"
            )
        length = self._length()
        if length is not None and length > largest:
            raise _too_large(largest)
        seen = 0
        while piece := self._next(PIECE if length is None else min(PIECE, length - seen)):
            seen += len(piece)
            if seen > largest:
                raise _too_large(largest)
            yield piece
        if length is not None and seen < length:
            raise _cut_short(seen, length)

    def files(self, folder: Folder, largest: int, most: int) -> list[str]:
        """Store the files of a multipart/form-data body below `folder`; return their relative paths.

        Raises Invalid (odd, absolute or repeated names, malformed, incomplete), TooLarge, WrongMedia; then
        nothing is left.
        """
        if self.media != "multipart/form-data":
            raise WrongMedia(
                "this takes files as multipart/form-data: send each one with  -F 'file=@input.csv'"
            )
        return store(self.chunks(largest), self.content_type or "", folder, most)

    def form_texts(self, largest: int, most: int) -> Mapping[str, str]:
        """Return the texts of a multipart/form-data body with a limited number of parts, by their names.

        Raises Invalid (not UTF-8, NUL, repeated names, malformed, incomplete), TooLarge, WrongMedia.
        """
        if self.media != "multipart/form-data":
            raise WrongMedia(
                "this takes texts as multipart/form-data: send each one with  -F 'data=@sales.csv'"
            )
        return read_texts(self.chunks(largest), self.content_type or "", most)

    def _whole(self, largest: int) -> bytes:
        return b"".join(self.chunks(largest))

    def _next(self, size: int) -> bytes:
        return self._here.popleft() if self._here else self._read(size)

    def _read(self, size: int) -> bytes:
        if size == 0 or ("CONTENT_LENGTH" not in self._environ and not self._is_chunked()):
            return b""
        try:
            return self._stream.read(size)  # type: ignore[no-any-return]
        except Exception as broken:
            # The server decodes chunks while reading, and raises its own errors when the client is gone.
            raise Invalid(
                "the body was cut short or its chunks are malformed: nothing was stored; send it again"
            ) from broken

    def _length(self) -> int | None:
        """Return the announced length; None for a chunked body."""
        announced = self._environ.get("CONTENT_LENGTH")
        if self._is_chunked():
            if announced:
                raise Invalid("the request has both Content-Length and Transfer-Encoding: send one of them")
            return None
        if not announced:
            return 0
        if not (announced.isascii() and announced.isdigit() and len(announced) < 19):
            raise Invalid("the Content-Length is not a number of bytes")
        return int(announced)

    @property
    def _is_here(self) -> bool:
        """Whether the body has arrived completely, as the server reports."""
        return getattr(self._stream, "is_here", False)

    def _is_chunked(self) -> bool:
        return bool(self._environ.get("HTTP_TRANSFER_ENCODING"))

    def _is_compressed(self) -> bool:
        """Return whether the body has a coding other than chunked, the only one that the server decodes."""
        content = self._environ.get("HTTP_CONTENT_ENCODING", "identity")
        transfer = self._environ.get("HTTP_TRANSFER_ENCODING") or "chunked"
        return content.lower() != "identity" or transfer.strip().lower() != "chunked"

    def _refuse_form(self, header: str) -> None:
        """Refuse a form and name the curl flag to use instead; `-d` removes line breaks."""
        if self.media == _FORM:
            flags = f"{header} --data-binary"
            raise WrongMedia(
                f"curl's -d sends a form ({_FORM}), which is not supported: instead of -d use  {flags}",
                hint=flags,
            )


def parse_json(raw: bytes) -> Any:
    """Parse a JSON document. Raises Invalid for anything but UTF-8 JSON, and for more than 64 levels."""
    if not raw.strip():
        raise Invalid('the body is empty: send a JSON document, for example {"name": "value"}')
    if raw.count(b"[") + raw.count(b"{") > DEEPEST and _depth(raw) > DEEPEST:
        raise Invalid(f"the JSON is nested deeper than {DEEPEST} levels")
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as wrong:
        raise Invalid(f"the body is not JSON: {wrong}") from None


def parse_fields(raw: bytes) -> Any:
    """Parse a small JSON document of options.

    Raises Invalid as `parse_json` does, and for a repeated key: parsers differ in which one they take.
    """
    found = parse_json(raw)
    json.loads(raw, object_pairs_hook=_refuse_twins, parse_int=len, parse_float=len)
    return found


def size(count: int) -> str:
    """Format a number of bytes: `256 KiB`."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024 or count % 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} GiB"


def _refuse_twins(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise Invalid(f'the key "{key[:80]}" is repeated in one JSON object: send it once')
        seen.add(key)


def _depth(raw: bytes) -> int:
    depth = deepest = 0
    for found in _BRACKET.finditer(raw):
        if found[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in b"]}":
            depth -= 1
    return deepest


def _cut_short(seen: int, length: int) -> Invalid:
    return Invalid(
        f"the body was cut short: {seen} of {length} bytes arrived, nothing was stored; send it again"
    )


def _too_large(largest: int) -> TooLarge:
    return TooLarge(f"the body is larger than the {size(largest)} that fit here", limit=largest)
