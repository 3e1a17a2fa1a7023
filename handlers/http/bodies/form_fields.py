"""Texts of multipart/form-data forms: all parts, all but files, or those before the first file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from handlers.http.bodies.form_reader import FormReader, PartCallbacks
from handlers.http.bodies.part_headers import boundary_of, disposition_of
from vfs.errors import Invalid, TooLarge

LARGEST = 1 << 20
LONGEST_SHOWN = 80

Begin = Callable[[Mapping[str, str]], list[bytes] | None]
"""Returns the list for the bytes of a part with this disposition; None for a part that is not kept."""


def _reader(kind: str, begin: Begin) -> FormReader:
    """Return the reader of a form with this Content-Type."""
    raw: list[bytes] | None = None

    def open_part(headers: Mapping[str, str]) -> None:
        nonlocal raw
        raw = begin(disposition_of(headers))

    def add(data: bytes) -> None:
        if raw is not None:
            raw.append(data)

    return FormReader(boundary_of(kind), PartCallbacks(open_part, add, lambda: None))


def _read_whole(pieces: Iterable[bytes], kind: str, begin: Begin) -> None:
    reader = _reader(kind, begin)
    for piece in pieces:
        reader.feed(piece)
    reader.finish()


def read_texts(pieces: Iterable[bytes], kind: str, most: int) -> Mapping[str, str]:
    """Read the texts of a form with at most `most` parts, by their names; files are texts, too.

    `kind` is its Content-Type. Raises Invalid (not UTF-8, NUL, no name, repeated name, malformed,
    incomplete), TooLarge, and what `pieces` raises.
    """
    parts: dict[str, list[bytes]] = {}

    def begin(disposition: Mapping[str, str]) -> list[bytes]:
        name = disposition.get("name", "")
        if not name:
            raise Invalid("a part of the form has no name: send each text with  -F 'data=@sales.csv'")
        if name in parts:
            raise Invalid(f'two parts of the form are named "{name[:LONGEST_SHOWN]}": send each text once')
        if len(parts) == most:
            raise TooLarge(f"more than {most} texts came at once: send fewer", limit=most)
        return parts.setdefault(name, [])

    _read_whole(pieces, kind, begin)
    return {name: _text(name[:LONGEST_SHOWN], b"".join(raw)) for name, raw in parts.items()}


def leading_fields(
    pieces: Iterator[bytes], kind: str, largest: int = LARGEST
) -> tuple[dict[str, str], Iterable[bytes]]:
    """Read the fields before the first file; return them, and all pieces of the body again.

    Raises Invalid (malformed, incomplete, not UTF-8), TooLarge (fields of more than `largest` bytes), and
    what `pieces` raises.
    """
    fields: dict[str, list[bytes]] = {}
    has_files = False

    def begin(disposition: Mapping[str, str]) -> list[bytes] | None:
        nonlocal has_files
        has_files = has_files or _is_file(disposition)
        if has_files:
            return None
        fields[name := disposition.get("name", "")] = []
        return fields[name]

    reader = _reader(kind, begin)
    seen: list[bytes] = []
    size = 0
    for piece in pieces:
        seen.append(piece)
        reader.feed(piece)
        if has_files or reader.is_over:
            break
        size += len(piece)
        if size > largest:
            raise TooLarge(f"the texts of the form are larger than {largest >> 20} MiB", limit=largest)
    else:
        reader.finish()
    return {name: _decode(b"".join(raw)) for name, raw in fields.items()}, chain(seen, pieces)


def all_fields(pieces: Iterable[bytes], kind: str, most: int) -> list[tuple[str, str]]:
    """Return the names and texts of all parts of a form that are not files, also of repeated names.

    Raises Invalid (malformed, incomplete, not UTF-8), TooLarge (more than `most`), and what `pieces` raises.
    """
    found: list[tuple[str, list[bytes]]] = []

    def begin(disposition: Mapping[str, str]) -> list[bytes] | None:
        if _is_file(disposition):
            return None
        if len(found) == most:
            raise TooLarge(f"the form has more than {most} fields: send fewer", limit=most)
        found.append((disposition.get("name", ""), []))
        return found[-1][1]

    _read_whole(pieces, kind, begin)
    return [(_decode(name.encode("latin-1")), _decode(b"".join(raw))) for name, raw in found]


def _is_file(disposition: Mapping[str, str]) -> bool:
    return "filename" in disposition or "filename*" in disposition


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Invalid("the form is not in UTF-8") from None


def _text(shown: str, raw: bytes) -> str:
    """Return the text of a part. Raises Invalid (not UTF-8, NUL)."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as wrong:
        raise Invalid(
            f'the text "{shown}" is not UTF-8 (byte {wrong.start}): convert it to UTF-8 first'
        ) from None
    if "\0" in text:
        raise Invalid(f'the text "{shown}" contains a NUL character: only text is accepted here')
    return text
