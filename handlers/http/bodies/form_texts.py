"""Texts of a multipart/form-data form, whose parts are the contents of files, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from handlers.http.bodies.form_reader import FormReader, PartCallbacks
from handlers.http.bodies.part_headers import boundary_of, disposition_of
from vfs.errors import Invalid, TooLarge

LONGEST_SHOWN = 80


def read_texts(pieces: Iterable[bytes], kind: str, most: int) -> Mapping[str, str]:
    """Read the texts of at most so many parts of a body of Content-Type `kind`, by their names.

    Raises Invalid (not UTF-8, NUL, without a name, twice; malformed; cut short), TooLarge, and what `pieces`
    raises.
    """
    reading = _FormTexts(most)
    reader = FormReader(boundary_of(kind), reading.callbacks())
    for piece in pieces:
        reader.feed(piece)
    reader.finish()
    return {name: _decode(name, b"".join(raw)) for name, raw in reading.parts.items()}


class _FormTexts:
    """Callbacks of the reader that collect all parts."""

    def __init__(self, most: int) -> None:
        self.parts: dict[str, list[bytes]] = {}
        self._most = most
        self._raw: list[bytes] = []

    def callbacks(self) -> PartCallbacks:
        return PartCallbacks(self._begin, self._take, lambda: None)

    def _take(self, piece: bytes) -> None:
        self._raw.append(piece)

    def _begin(self, headers: Mapping[str, str]) -> None:
        name = disposition_of(headers).get("name", "")
        if not name:
            raise Invalid("a part of the form has no name: send each text with  -F 'data=@sales.csv'")
        if name in self.parts:
            raise Invalid(f'two parts of the form are named "{name[:LONGEST_SHOWN]}": send each text once')
        if len(self.parts) == self._most:
            raise TooLarge(f"more than {self._most} texts came at once: send fewer", limit=self._most)
        self._raw = self.parts[name] = []


def _decode(name: str, raw: bytes) -> str:
    """The text of a part. Raises Invalid (not UTF-8, NUL)."""
    shown = name[:LONGEST_SHOWN]
    try:
        text = raw.decode()
    except UnicodeDecodeError as wrong:
        raise Invalid(
            f'the text "{shown}" is not UTF-8 (byte {wrong.start}): convert it to UTF-8 first'
        ) from None
    if "\0" in text:
        raise Invalid(f'the text "{shown}" holds a NUL character: only text can be taken here')
    return text
