"""Text fields at the head of a multipart/form-data form, read before its files are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from handlers.http.bodies.part_headers import PartHeaders, boundary_of, parameters
from vfs.errors import Invalid, TooLarge

LARGEST = 1 << 20


def leading_fields(pieces: Iterator[bytes], kind: str) -> tuple[dict[str, str], Iterable[bytes]]:
    """Read the fields before the first file; the fields, and all the pieces of the body again.

    Raises Invalid (malformed, not UTF-8), TooLarge (more than 1 MiB of fields), and what `pieces` raises.
    """
    reading = _LeadingFields()
    parser = MultipartParser(boundary_of(kind), reading.callbacks())  # type: ignore[arg-type]
    seen: list[bytes] = []
    try:
        for piece in pieces:
            seen.append(piece)
            parser.write(piece)
            if reading.done:
                break
            if sum(map(len, seen)) > LARGEST:
                raise TooLarge(f"the texts of the form are larger than {LARGEST >> 20} MiB", limit=LARGEST)
    except FormParserError as wrong:
        raise Invalid(f"the form is malformed: {wrong}") from None
    return reading.fields(), chain(seen, pieces)


class _LeadingFields:
    """Callbacks of the parser that collect the parts up to the first file."""

    def __init__(self) -> None:
        self.done = False
        self._headers = PartHeaders()
        self._name = ""
        self._texts: dict[str, bytes] = {}

    def callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            **self._headers.callbacks(),
            "on_part_begin": self._headers.clear,
            "on_headers_finished": self._open,
            "on_part_data": self._text,
            "on_end": self._end,
        }

    def fields(self) -> dict[str, str]:
        try:
            return {name: raw.decode() for name, raw in self._texts.items()}
        except UnicodeDecodeError:
            raise Invalid("the form is not in UTF-8") from None

    def _open(self) -> None:
        told = dict(parameters(self._headers.get("content-disposition")))
        self.done = self.done or "filename" in told or "filename*" in told
        self._name = told.get("name", "")
        if not self.done:
            self._texts[self._name] = b""

    def _text(self, data: bytes, start: int, end: int) -> None:
        if not self.done:
            self._texts[self._name] += data[start:end]

    def _end(self) -> None:
        self.done = True
