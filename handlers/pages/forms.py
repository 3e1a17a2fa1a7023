"""Forms that pages send: fields, files, and the token that proves which session's page sent it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import orjson

from chains.files.fsync import write_durably
from handlers.http.bodies.body import RequestBody
from handlers.http.bodies.form_fields import leading_fields
from handlers.http.bodies.multipart import store
from handlers.http.request_head import RequestHead
from handlers.services.world import World
from vfs.access import Caller
from vfs.body import NoBody
from vfs.errors import Denied, Invalid, TooLarge, WrongMedia

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
LARGEST = 1 << 20
MOST_FIELDS = 64
PIECE = 1 << 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SentForm:
    """The fields of a form; for one with files, `pieces` is its whole body and `kind` its media type."""

    fields: Mapping[str, str]
    kind: str = ""
    pieces: Iterable[bytes] | None = None

    def __getitem__(self, name: str) -> str:
        """Return a field; "" if the form has none of that name."""
        return self.fields.get(name, "")

    def files(self, folder: Folder, most: int) -> list[str]:
        """Store the uploaded files below `folder`; return their relative paths. Raises as multipart does."""
        return store(self.pieces, self.kind, folder, most, form=True) if self.pieces is not None else []

    @contextmanager
    def unpack(self, most: int) -> Iterator[Mapping[str, Folder]]:
        """Yield the uploaded files by name; they exist until the end of the block."""
        with tempfile.TemporaryDirectory(prefix="curlew-form-") as name:
            folder = Folder(name)
            yield {path: folder / path for path in self.files(folder, most)}


def receive(environ: Mapping[str, Any], largest: int, texts: int = LARGEST) -> SentForm:
    """Return the form of a request; files of at most `largest` bytes are read later.

    In a form with files the fields have at most `texts` bytes.

    Raises Invalid, TooLarge, WrongMedia.
    """
    body, kind = RequestBody(environ), environ.get("CONTENT_TYPE") or ""
    if body.media == MULTIPART:
        fields, pieces = leading_fields(body.chunks(largest), kind, texts)
        return SentForm(fields, kind, pieces)
    if body.media != URLENCODED:
        raise WrongMedia("pages accept only their own forms; programs use the API below /v1: see /docs")
    raw = b"".join(body.chunks(LARGEST))
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Invalid("the form is malformed, or not in UTF-8") from None
    return SentForm(dict(pairs))


def token(world: World, caller: Caller) -> str:
    """Return the token for every form of a page; it is valid only for the caller's session."""
    return str(world.service.seal.mark(_session(caller)))


def require_token(world: World, caller: Caller, form: SentForm) -> None:
    """Raise Denied unless the form was sent from a page of the same session (R-15)."""
    if not world.service.seal.is_mark_of(form["token"], _session(caller)):
        raise Denied("your session has changed since this page was opened: reload the page and try again")


def require_origin(ask: RequestHead) -> None:
    """Refuse a form from a page of another origin, including the sign-in form."""
    site, origin = ask.environ.get("HTTP_SEC_FETCH_SITE"), ask.environ.get("HTTP_ORIGIN")
    if site not in (None, "same-origin") or (site is None and origin not in (None, ask.origin)):
        raise Denied(
            "this form was sent from a page of another site: open the page here, and send it from there"
        )


def unknown_form() -> Invalid:
    """Return the error for a form that its page does not have, or no longer has."""
    return Invalid("this form is out of date: reload the page and try again")


def find_action(actions: Mapping[str, T], form: SentForm) -> T:
    """Return the action of the pressed button of a form. Raises Invalid."""
    if form["do"] not in actions:
        raise unknown_form()
    return actions[form["do"]]


def _session(caller: Caller) -> str:
    return f"form of session {caller.token}"


class Json(NoBody):
    """A JSON document for the kernel."""

    media = "application/json"

    def __init__(self, value: Any) -> None:
        self._value = value

    def empty(self) -> bool:
        return False

    def data(self, largest: int) -> Any:
        return self._value


class Bytes(NoBody):
    """The bytes of a file for the kernel; without `media` the type is derived from the file's name."""

    def __init__(self, pieces: Iterable[bytes], media: str | None = None) -> None:
        self._pieces = pieces
        self.media = media

    def empty(self) -> bool:
        return False

    def chunks(self, largest: int) -> Iterator[bytes]:
        size = 0
        for piece in self._pieces:
            size += len(piece)
            if size > largest:
                raise TooLarge(f"the file is larger than the {largest:,} bytes that fit here", limit=largest)
            yield piece


class RunInput(NoBody):
    """The input of a run from a form: the uploaded files, and the typed input as `input.json`.

    `input.json` is `{}` if nothing was sent.
    """

    media = MULTIPART

    def __init__(self, form: SentForm, typed: Mapping[str, Any], *, file_needed: bool) -> None:
        self._form = form
        self._typed = typed
        self._file_needed = file_needed

    def empty(self) -> bool:
        return False

    def files(self, folder: Folder, largest: int, most: int) -> list[str]:
        names = self._form.files(folder, most)
        if not names and self._file_needed:
            raise Invalid("this job needs a file: choose one, then press Run again")
        if names and not self._typed:
            return names
        if "input.json" in names:
            raise Invalid('no file may be named "input.json", as the form is stored there: rename it')
        write_durably(folder / "input.json", orjson.dumps(dict(self._typed)))
        return [*names, "input.json"]


def pieces_of(file: Folder) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    with file.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield piece


def text_of(name: str, file: Folder) -> str:
    """Return the text of an uploaded file without a byte order mark.

    Raises Invalid if it is not text or is empty.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise Invalid(
            f'"{name[:80]}" is not UTF-8 text (byte {wrong.start}): save it as UTF-8; in a spreadsheet, '
            "choose CSV UTF-8"
        ) from None
    if not text.strip():
        raise Invalid(f'"{name[:80]}" is empty: choose another file')
    return text
