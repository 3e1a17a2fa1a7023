"""Text fields at the start of a multipart/form-data form, read before its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from handlers.http.bodies.form_reader import FormReader, PartCallbacks
from handlers.http.bodies.part_headers import boundary_of, disposition_of
from vfs.errors import Invalid, TooLarge

LARGEST = 1 << 20


def leading_fields(
    pieces: Iterator[bytes], kind: str, largest: int = LARGEST
) -> tuple[dict[str, str], Iterable[bytes]]:
    """Read the fields before the first file; return them, and all pieces of the body again.

    Raises Invalid (malformed, incomplete, not UTF-8), TooLarge (fields of more than `largest` bytes), and
    what `pieces` raises.
    """
    reading = _LeadingFields()
    reader = FormReader(boundary_of(kind), reading.callbacks())
    seen: list[bytes] = []
    size = 0
    for piece in pieces:
        seen.append(piece)
        reader.feed(piece)
        if reading.has_files or reader.is_over:
            break
        size += len(piece)
        if size > largest:
            raise TooLarge(f"the texts of the form are larger than {largest >> 20} MiB", limit=largest)
    else:
        reader.finish()
    return reading.fields(), chain(seen, pieces)


def all_fields(pieces: Iterable[bytes], kind: str, most: int) -> list[tuple[str, str]]:
    """Return the names and texts of all parts of a form that are no files, also of repeated names.

    Raises Invalid (malformed, incomplete, not UTF-8), TooLarge (more than `most`), and what `pieces` raises.
    """
    found: list[tuple[str, list[bytes]]] = []
    is_field = False

    def begin(headers: Mapping[str, str]) -> None:
        nonlocal is_field
        disposition = disposition_of(headers)
        is_field = not _is_file(disposition)
        if is_field:
            found.append((disposition.get("name", ""), []))
        if len(found) > most:
            raise TooLarge(f"the form has more than {most} fields: send fewer", limit=most)

    def add(data: bytes) -> None:
        if is_field:
            found[-1][1].append(data)

    reader = FormReader(boundary_of(kind), PartCallbacks(begin, add, lambda: None))
    for piece in pieces:
        reader.feed(piece)
    reader.finish()
    return [(_decode(name.encode("latin-1")), _decode(b"".join(raw))) for name, raw in found]


def _is_file(disposition: Mapping[str, str]) -> bool:
    return "filename" in disposition or "filename*" in disposition


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Invalid("the form is not in UTF-8") from None


class _LeadingFields:
    """Callbacks of the reader that collect the parts up to the first file."""

    def __init__(self) -> None:
        self.has_files = False
        self._name = ""
        self._texts: dict[str, bytes] = {}

    def callbacks(self) -> PartCallbacks:
        return PartCallbacks(self._open, self._text, lambda: None)

    def fields(self) -> dict[str, str]:
        return {name: _decode(raw) for name, raw in self._texts.items()}

    def _open(self, headers: Mapping[str, str]) -> None:
        disposition = disposition_of(headers)
        self.has_files = self.has_files or _is_file(disposition)
        self._name = disposition.get("name", "")
        if not self.has_files:
            self._texts[self._name] = b""

    def _text(self, data: bytes) -> None:
        if not self.has_files:
            self._texts[self._name] += data
