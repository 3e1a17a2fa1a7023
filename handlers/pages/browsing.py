"""Browsing of files: a folder on a page, names in forms, and files that a page shows as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from vfs.call import Entry, Reply, Stream
from vfs.errors import Invalid
from vfs.ports.blobs import Ref

CHOSEN = "f:"
"""The beginning of the name of the box of an entry."""


def typed_path(sent: str) -> list[str]:
    """The names of a path that was typed. Raises Invalid."""
    names = [name.strip() for name in sent.split("/") if name.strip()]
    if not names:
        raise Invalid("write a name first, such as notes.txt")
    if "." in names or ".." in names:
        raise Invalid('"." and ".." are no names: write the path out in full')
    return names


def chosen_names(form: SentForm) -> list[str]:
    """The names of the entries that were chosen. Raises Invalid where none was."""
    names = [name.removeprefix(CHOSEN) for name in form.fields if name.startswith(CHOSEN) and name != CHOSEN]
    if not names:
        raise Invalid("choose a file or folder first")
    return names


def chosen_name(form: SentForm) -> str:
    """The one name that was chosen. Raises Invalid."""
    names = chosen_names(form)
    if len(names) != 1:
        raise Invalid("choose one file or folder to rename: several are moved one by one")
    return names[0]


LARGEST_TEXT = 256 * 1024
LARGEST_FORM = 2 << 20
"""Bytes of all fields: a text twice, as typed and as shown, its line ends doubled, and what was merged."""
FILE = "file"
"""The path of the text in the form of its editor."""
NO_TEXT = "(not text any more)"


def text_in(raw: bytes) -> str | None:
    """The text that bytes are; None where they are none."""
    try:
        return raw.decode() if b"\0" not in raw else None
    except UnicodeDecodeError:
        return None


def bytes_of(request: PageRequest, ref: Ref) -> bytes:
    """The bytes of a stored file."""
    with request.world.blobs.open(ref) as stream:
        return bytes(stream.read())


def leading_bytes(reply: Reply, most: int) -> bytes:
    """The first bytes of a file that is sent as it is read."""
    assert isinstance(reply.value, Stream)
    read = b""
    for piece in reply.value.pieces:
        read += piece
        if len(read) >= most:
            break
    return read[:most]


def with_line_ends(text: str, stored: bytes) -> str:
    """A text with the line ends of what is stored."""
    return text.replace("\n", "\r\n") if b"\r\n" in stored else text


MOST = 100
"""Entries of a page. Their form has a field for each chosen entry."""
LONGEST_SEARCH = 200


def page_of_entries(rows: Sequence[Entry], query: Mapping[str, str]) -> dict[str, Any]:
    """The facts of a page of entries, folders first: those after `?after=` whose names hold `?q=`."""
    wanted = query.get("q", "").strip()[:LONGEST_SEARCH]
    found = [row for row in rows if wanted.lower() in row.name.lower()]
    found.sort(key=lambda row: (row.type != "dir", row.name))
    names = [row.name for row in found]
    after = query.get("after", "")
    begin = names.index(after) + 1 if after in names else 0
    return {
        "rows": found[begin : begin + MOST],
        "begin": begin,
        "older": len(found) > begin + MOST,
        "found": len(found),
        "count": len(rows),
        "size": sum((row.extra or {}).get("size", 0) for row in rows),
        "wanted": wanted,
    }
