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


class _LeadingFields:
    """Callbacks of the reader that collect the parts up to the first file."""

    def __init__(self) -> None:
        self.has_files = False
        self._name = ""
        self._texts: dict[str, bytes] = {}

    def callbacks(self) -> PartCallbacks:
        return PartCallbacks(self._open, self._text, lambda: None)

    def fields(self) -> dict[str, str]:
        try:
            return {name: raw.decode() for name, raw in self._texts.items()}
        except UnicodeDecodeError:
            raise Invalid("the form is not in UTF-8") from None

    def _open(self, headers: Mapping[str, str]) -> None:
        told = disposition_of(headers)
        self.has_files = self.has_files or "filename" in told or "filename*" in told
        self._name = told.get("name", "")
        if not self.has_files:
            self._texts[self._name] = b""

    def _text(self, data: bytes) -> None:
        if not self.has_files:
            self._texts[self._name] += data
