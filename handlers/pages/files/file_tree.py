"""FileTree: files that pages browse, of any owner; those of a run are read only."""

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
"""Maximum bytes of all fields: a text as typed and as shown, with CRLF, and the merged text."""
FILE = "file"
"""The path of the text in the form of its editor."""
NO_TEXT = "(not text any more)"


class BrowsedFile(NamedTuple):
    """A file: its size, version, last change and first bytes (one more than a page shows at most)."""

    raw: bytes
    size: int
    version: str = ""
    changed: str = ""

    @property
    def text(self) -> str | None:
        """The whole text; None if the file is not text or too large for a page."""
        return text_in(self.raw) if self.size <= LARGEST_TEXT else None

    def as_shown_text(self) -> ShownText:
        """Return the text as an editor shows it, with its version."""
        return ShownText(lines_of(self.text) if self.text is not None else NO_TEXT, self.version)


Action = Callable[[Sequence[str], PageRequest, SentForm], Redirect]
"""Handles a form of the folder at some names."""


@dataclass(frozen=True, kw_only=True)
class FileTree:
    """Files of an item below `content`, a folder of the API.

    `front` is the page of the root folder, titled `words`; all other pages are below `pages`. `head` is that
    of the item, None if the files belong to a run: then `above` are the links above them. `writes` is whether
    the caller may change them; `carried` are fields that each of their forms has.
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

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the template values that each page of a folder or file has."""
        return {
            "tree": self,
            "head": self.head,
            "title": self.title,
            "names": list(names),
            "api": self.content / names,
        }

    def page_of(self, names: Sequence[str]) -> Path:
        """Return the page of a folder or file."""
        return self.action(names) if names else self.front

    def action(self, names: Sequence[str]) -> Path:
        """Return the address that takes the forms of a folder."""
        return self.pages / names

    def edit_page(self, names: Sequence[str]) -> str:
        """Return the address of the editor of a file, which also takes its form."""
        return f"{self.action(names)}?edit=yes"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The forms of a folder, by their keys."""
        return {}

    def save_text(
        self, names: Sequence[str], request: PageRequest, form: SentForm, text: EditedText
    ) -> Redirect:
        """Save a text under the path of its file. Raises Outdated if another writer changed it meanwhile."""
        raise Unsupported("these files can only be read", allow=(Verb.READ,))

    def conflict(
        self, names: Sequence[str], request: PageRequest, mine: EditedText, refusal: Outdated
    ) -> TextConflict:
        """Return the present file beside the input. Raises Outdated again if it cannot be shown."""
        raise refusal

    def find(self, request: PageRequest, names: Sequence[str]) -> BrowsedFile | None:
        """Return a file, None if there is none. Raises Invalid for a folder."""
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
        """Return the file in the reply of a call."""
        value = reply.value
        if isinstance(value, Data):
            about = value.value
            ref = request.call(Verb.READ, self.content / names, want=Face.TEXT).value
            raw = leading_bytes_of(request, ref) if isinstance(ref, Ref) else b""
            return BrowsedFile(raw, about["size"], about["etag"], about["last_modified"])
        assert isinstance(value, Stream)
        return BrowsedFile(leading_bytes(value), value.size or 0)

    def changes(self, request: PageRequest, names: Sequence[str]) -> Sequence[Mapping[str, Any]] | None:
        """Return the last changes of a file; empty if none are recorded."""
        return None

    def last_commits(self, request: PageRequest, names: Sequence[str]) -> Mapping[str, Any] | None:
        """Return the last commit of each entry of a folder; empty if there are no commits."""
        return None


def rows_of(reply: Reply) -> Sequence[Entry]:
    """Return the entries of a folder in the reply of a call."""
    assert isinstance(reply.value, Data)
    rows: Sequence[Entry] = reply.value.value
    return rows


def text_in(raw: bytes) -> str | None:
    """Return bytes as text; None if they are not text."""
    try:
        return raw.decode() if b"\0" not in raw else None
    except UnicodeDecodeError:
        return None


def with_line_ends(text: str, stored: bytes) -> str:
    """Return a text with the line ends of the stored one."""
    return text.replace("\n", "\r\n") if b"\r\n" in stored else text


def leading_bytes(stream: Stream) -> bytes:
    """Return the first bytes of a file that is read as a stream."""
    read = b""
    for piece in stream.pieces:
        read += piece
        if len(read) > LARGEST_TEXT:
            break
    return read[: LARGEST_TEXT + 1]


def leading_bytes_of(request: PageRequest, ref: Ref) -> bytes:
    """Return the first bytes of a stored file."""
    with request.world.blobs.open(ref) as stream:
        return bytes(stream.read(LARGEST_TEXT + 1))
