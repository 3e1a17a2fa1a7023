"""FileTree: files that pages browse, whatever they belong to; those of a run are only read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict, lines_of
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import ItemHead
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb
from vfs.call import Data, Entry, Reply, Stream
from vfs.call import Form as Face
from vfs.errors import Invalid, NotFound, Outdated, Unsupported
from vfs.path import Path
from vfs.ports.blobs import Ref

LARGEST_TEXT = 256 * 1024
LARGEST_FORM = 2 << 20
"""Bytes of all fields: a text twice, as typed and as shown, its line ends doubled, and what was merged."""
FILE = "file"
"""The path of the text in the form of its editor."""
NO_TEXT = "(not text any more)"


class BrowsedFile(NamedTuple):
    """A file: its first bytes, one more than a page shows at most, its size, version and last change."""

    raw: bytes
    size: int
    version: str = ""
    changed: str = ""

    @property
    def text(self) -> str | None:
        """The whole text; None of a file that is none, or too large for a page."""
        return text_in(self.raw) if self.size <= LARGEST_TEXT else None

    def as_shown_text(self) -> ShownText:
        """The text beside another one, with its version."""
        return ShownText(lines_of(self.text) if self.text is not None else NO_TEXT, self.version)


Action = Callable[[Sequence[str], PageRequest, SentForm], Redirect]
"""Takes a form of the folder at some names."""


@dataclass(frozen=True, kw_only=True)
class FileTree:
    """Files of an item below `content`, a folder of the API.

    `front` is the page of the folder of all, called `words`; the pages of all else are below `pages`.
    `head` is that of the item, None where the files are of a run: `above` are the links above these.
    `writes` tells whether the caller may change them; `carried` are fields that each form of theirs has.
    """

    at: ItemPath
    title: str
    words: str
    content: Path
    front: Path
    pages: Path
    head: ItemHead | None = None
    above: Sequence[tuple[str, str]] = ()
    writes: bool = False
    carried: Mapping[str, str] = field(default_factory=dict)
    commits: bool = False
    warning: str = ""
    used_by: Sequence[Mapping[str, Any]] = ()

    def page_of(self, names: Sequence[str]) -> Path:
        """The page of a folder or file."""
        return self.pages / names if names else self.front

    def action(self, names: Sequence[str]) -> Path:
        """The address that takes the forms of a folder."""
        return self.pages / names

    def edit_page(self, names: Sequence[str]) -> str:
        """The address of the editor of a file, which takes its form, too."""
        return f"{self.pages / names}?edit=yes"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The forms of a folder, by their words."""
        return {}

    def save_text(
        self, names: Sequence[str], request: PageRequest, form: SentForm, text: EditedText
    ) -> Redirect:
        """Save a text under the path of its file. Raises Outdated if somebody changed it meanwhile."""
        raise Unsupported("these files can only be read", allow=(Verb.READ,))

    def conflict(
        self, names: Sequence[str], request: PageRequest, mine: EditedText, refusal: Outdated
    ) -> TextConflict:
        """The file as it is now, beside what was typed. Raises Outdated where nothing is told of it."""
        raise refusal

    def find(self, request: PageRequest, names: Sequence[str]) -> BrowsedFile | None:
        """A file, None where there is none. Raises Invalid where a folder is."""
        if not names:
            return None
        try:
            reply = request.call(Verb.READ, self.content / names)
        except NotFound:
            return None
        if reply.folder:
            raise Invalid(f'"{"/".join(names)}" is a folder: open it, and make a file in it')
        return self.read_file(request, names, reply)

    def read_file(self, request: PageRequest, names: Sequence[str], reply: Reply) -> BrowsedFile:
        """The file that a call answered with."""
        value = reply.value
        if isinstance(value, Data):
            about = value.value
            ref = request.call(Verb.READ, self.content / names, want=Face.TEXT).value
            raw = leading_bytes_of(request, ref) if isinstance(ref, Ref) else b""
            return BrowsedFile(raw, about["size"], about["etag"], about["last_modified"])
        assert isinstance(value, Stream)
        return BrowsedFile(leading_bytes(value), value.size or 0)

    def changes(self, request: PageRequest, names: Sequence[str]) -> Sequence[Mapping[str, Any]] | None:
        """The last changes of a file; None where none are noted."""
        return None

    def last_commits(self, request: PageRequest, names: Sequence[str]) -> Mapping[str, Any] | None:
        """The last commit of each entry of a folder; None where there are no commits."""
        return None


def rows_of(reply: Reply) -> Sequence[Entry]:
    """The entries of a folder that a call answered with."""
    assert isinstance(reply.value, Data)
    rows: Sequence[Entry] = reply.value.value
    return rows


def text_in(raw: bytes) -> str | None:
    """The text that bytes are; None where they are none."""
    try:
        return raw.decode() if b"\0" not in raw else None
    except UnicodeDecodeError:
        return None


def with_line_ends(text: str, stored: bytes) -> str:
    """A text with the line ends of what is stored."""
    return text.replace("\n", "\r\n") if b"\r\n" in stored else text


def leading_bytes(stream: Stream) -> bytes:
    """The first bytes of a file that is sent as it is read."""
    read = b""
    for piece in stream.pieces:
        read += piece
        if len(read) > LARGEST_TEXT:
            break
    return read[: LARGEST_TEXT + 1]


def leading_bytes_of(request: PageRequest, ref: Ref) -> bytes:
    """The first bytes of a stored file."""
    with request.world.blobs.open(ref) as stream:
        return bytes(stream.read(LARGEST_TEXT + 1))
