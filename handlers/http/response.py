"""Kernel replies as HTTP responses: status, headers, text or JSON, conditional reads, ranges."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, BinaryIO
from urllib.parse import quote

from handlers.http.conditions import etag, is_not_modified, span
from handlers.http.headers import DRAWN, FRAMED, SANDBOX, WITHIN, Headers, Policy
from handlers.http.listings import allow, as_json, as_lines
from handlers.http.negotiation import AcceptedFace
from handlers.http.request_head import RequestHead
from handlers.http.shown_texts import shown_pieces, text_bytes
from handlers.rules.media import UNKNOWN, valid_media
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Call, Data, Entry, Form, KeptBytes, Outcome, Reply, Stream
from vfs.ports.blobs import Blobs, Ref

# A blob up to this size is read into memory, which is cheaper than passing its file to the server.
SMALL = 1 << 16

# Not allowed in a name or a header: control characters, and single surrogates.
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")

PLAIN = "text/plain; charset=utf-8"
JSON = "application/json"
_STATUS = {
    Outcome.DONE: HTTPStatus.OK,
    Outcome.CREATED: HTTPStatus.CREATED,
    Outcome.ACCEPTED: HTTPStatus.ACCEPTED,
    Outcome.EMPTY: HTTPStatus.NO_CONTENT,
}


@dataclass(slots=True)
class Answer:
    """An HTTP response: `body`, or an open `file` from its position to its end, or `pieces`.

    `headers`: without repeated names; `cookies` are separate. `length`: bytes of a file or of pieces, if
    known. `policy`: the sandbox, except for renders and the service's own pages. `cache`: the caching of a
    response that is the same for all callers. `why`: the kind and sentence of a refusal.
    """

    status: HTTPStatus
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    file: BinaryIO | None = None
    pieces: Iterable[bytes] | None = None
    length: int | None = None
    policy: Policy = SANDBOX
    cache: str | None = None
    cookies: list[str] = field(default_factory=list)
    why: str = ""

    def add(self, name: str, value: str) -> None:
        """Add a header."""
        self.headers.append((name, value))


class CountedPieces:
    """Pieces being sent; `ended` gets their size when all are sent or the client is gone."""

    def __init__(self, pieces: Iterable[bytes], ended: Callable[[int], object]) -> None:
        self._pieces = pieces
        self._ended: Callable[[int], object] | None = ended
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._size += len(piece)
            yield piece

    def close(self) -> None:
        ended, self._ended = self._ended, None
        try:
            if hasattr(self._pieces, "close"):
                self._pieces.close()
        finally:
            if ended is not None:
                ended(self._size)


def answer_of(reply: Reply, call: Call[World], head: RequestHead, blobs: Blobs) -> Answer:
    """Make the response of a reply. Raises Outdated and Unsatisfiable for the conditions of a read."""
    answer = Answer(_STATUS[reply.outcome])
    _describe(answer, reply, call)
    value = reply.value
    if reply.outcome is Outcome.EMPTY:
        return answer
    if isinstance(value, Stream):
        answer.add("Content-Type", _with_charset(value.media))
        answer.add("X-Accel-Buffering", "no")
        if value.tag is None or not _condition(answer, etag(value.tag.encode()), head.environ):
            answer.pieces = shown_pieces(reply, value)
        return answer
    if isinstance(value, Ref):
        value = KeptBytes(value.media, value.size, value.digest, partial(blobs.open, value))
    elif isinstance(value, KeptBytes):
        answer.policy = FRAMED if value.is_scripted else WITHIN if value.is_framed else DRAWN
    if isinstance(value, KeptBytes):
        return _bytes_answer(answer, value, call, head)
    answer.body, media = _face(reply, head.face, call.verb)
    answer.add("Content-Type", media)
    if call.verb is Verb.READ:
        _condition(answer, etag(answer.body), head.environ)
    return answer


def tags(reply: Reply) -> tuple[str, ...]:
    """Return the validators of all representations of a reply."""
    value = reply.value
    if isinstance(value, KeptBytes):
        return (f'"{value.tag}"',)
    if isinstance(value, Ref):
        return (_tag(value),)
    if isinstance(value, str):
        return (etag(text_bytes(value, reply.signs, reply.media)),)
    if isinstance(value, Data):
        faces = [as_json(value.value)]
        if value.text is not None:
            faces.append(text_bytes(value.text(value.value), reply.signs))
        elif _is_listing(value.value):
            faces.append(text_bytes(as_lines(value.value)))
        return tuple(etag(face) for face in faces)
    return ()


@lru_cache(1024)
def disposition(name: str, *, inline: bool = False) -> str:
    """Return a Content-Disposition with a file's name, without its folders, safely quoted."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    last = _CONTROL.sub("", last)
    if last in ("", ".", ".."):
        last = "output"
    plain = "".join(one if one.isascii() and one not in '"\\;%' else "_" for one in last)
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(last, safe='')}"


def _describe(answer: Answer, reply: Reply, call: Call[World]) -> None:
    """Add the headers that describe the route rather than the bytes."""
    if call.verb is Verb.READ:
        answer.add("X-NVM-Type", "dir" if reply.folder else "file")
        if reply.permissions:
            answer.add("X-NVM-Permissions", ", ".join(reply.permissions))
        if reply.default:
            answer.add("X-NVM-Default", "true")
    if reply.allow is not None:
        answer.add("Allow", allow(reply.allow))
    if reply.location is not None:
        answer.add("Location", reply.location)
    if reply.filename is not None:
        answer.add("Content-Disposition", disposition(reply.filename, inline=reply.inline))
    if reply.canonical is not None:
        answer.add("Link", f'<{reply.canonical}>; rel="canonical"')
    if reply.written is not None:
        answer.add("ETag", _tag(reply.written))
    if reply.heeded is not None:
        answer.add("Preference-Applied", reply.heeded)


def _tag(value: str | Ref) -> str:
    return f'"{value.digest}"' if isinstance(value, Ref) else etag(value.encode())


def _face(reply: Reply, face: AcceptedFace, verb: Verb | None) -> tuple[bytes, str]:
    """Return the body and its media type; the text of a change is a JSON string if JSON is preferred.

    A read returns a stored text as it is.
    """
    value = reply.value
    if isinstance(value, Data):
        if face.form is Form.TEXT and value.text is not None:
            return text_bytes(value.text(value.value), reply.signs), PLAIN
        if face.named and face.form is Form.TEXT and _is_listing(value.value):
            return text_bytes(as_lines(value.value)), PLAIN
        return as_json(value.value), JSON
    if value is None:
        return b"", PLAIN
    assert isinstance(value, str)
    is_plain = reply.media == "text/plain"
    if verb is not Verb.READ and is_plain and face.named and face.form is Form.DATA:
        return as_json(value), JSON
    return text_bytes(value, reply.signs, reply.media), PLAIN if is_plain else _with_charset(reply.media)


def _is_listing(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, Entry) for row in value)


def _bytes_answer(answer: Answer, value: KeptBytes, call: Call[World], head: RequestHead) -> Answer:
    answer.add("Content-Type", _with_charset(value.media))
    first, length, tag = 0, value.size, f'"{value.tag}"'
    if call.verb is Verb.READ:
        answer.add("Accept-Ranges", "bytes")
        if _condition(answer, tag, head.environ):
            return answer
        # Ranges are for GET only (RFC 9110 section 14.2).
        asked = span(head.environ, tag, value.size) if head.method == "GET" else None
        if asked is not None:
            first, length = asked
            answer.status = HTTPStatus.PARTIAL_CONTENT
            answer.add("Content-Range", f"bytes {first}-{first + length - 1}/{value.size}")
    answer.length = length
    if head.method != "HEAD":
        _open(answer, value.open(), first, length, whole=first + length == value.size)
    return answer


def _open(answer: Answer, file: BinaryIO, first: int, length: int, *, whole: bool) -> None:
    with contextlib.ExitStack() as stack:
        stack.callback(file.close)
        if first:
            file.seek(first)
        if length <= SMALL:
            answer.body, answer.length = file.read(length), None
        elif whole:
            answer.file = file
            stack.pop_all()
        else:
            answer.pieces = _part(file, length)
            stack.pop_all()


def _part(file: BinaryIO, length: int) -> Iterator[bytes]:
    with file:
        while length and (piece := file.read(min(length, SMALL))):
            length -= len(piece)
            yield piece


def _condition(answer: Answer, tag: str, environ: Mapping[str, Any]) -> bool:
    """Add the validator; make it "not modified" when the client has these bytes."""
    answer.add("ETag", tag)
    if not is_not_modified(environ, tag):
        return False
    answer.status = HTTPStatus.NOT_MODIFIED
    answer.body = b""
    return True


def _with_charset(media: str) -> str:
    """Add the charset to a text's media type: without one the published clients read it as Latin-1.

    The media type comes from users: an invalid one, or a multipart type, becomes plain bytes.
    """
    media = valid_media(media)
    if media.lower().startswith("multipart/"):
        return UNKNOWN
    return (
        f"{media}; charset=utf-8" if media.startswith("text/") and "charset" not in media.lower() else media
    )
