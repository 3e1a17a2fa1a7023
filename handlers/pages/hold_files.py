"""The files with which a run waits: shown, and changed by the forms beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from handlers.pages.browsing import bytes_of, text_in, with_line_ends
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.forms import Bytes, SentForm, pieces_of
from handlers.pages.request import PageRequest
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.call import Form as Face
from vfs.errors import Denied, Invalid, NotFound
from vfs.path import Path
from vfs.ports.blobs import Ref

MOST_FILES = 200
MOST_TEXTS = 12
LARGEST_TEXT = 48 * 1024
TEXTUAL = ("application/json", "application/xml", "application/yaml", "application/toml")


def contents(request: PageRequest, folder: str) -> dict[str, Any] | None:
    """The files in the space of a hold; None for callers who may not look into it."""
    content = _content(folder)
    try:
        rows = list(_rows(request, content, MOST_FILES + 1))
    except (Denied, NotFound):
        return None
    texts = 0
    files = []
    for row in rows[:MOST_FILES]:
        text = _text(request, row) if texts < MOST_TEXTS else None
        texts += text is not None
        files.append({"path": _below(content, row), "row": row, "text": text})
    return {"files": files, "more": len(rows) > MOST_FILES, "api": content}


def save(request: PageRequest, folder: str, form: SentForm) -> None:
    """Keep what was typed into a file's box; a browser sends CRLF wherever a line ends."""
    path = _file(folder, form["path"])
    old = request.call(Verb.READ, path, want=Face.TEXT).value
    text = with_line_ends(lines_of(form["text"]), bytes_of(request, old) if isinstance(old, Ref) else b"")
    request.call(Verb.WRITE, path, Bytes([text.encode()]))


def upload(request: PageRequest, folder: str, form: SentForm) -> None:
    """Add the files that were chosen, or put them in the place of those of the same name."""
    with form.unpack(request.world.service.settings.input_parts) as files:
        if not files:
            raise Invalid("choose a file first")
        for name, file in files.items():
            request.call(Verb.WRITE, _file(folder, name), Bytes(pieces_of(file)))


def remove(request: PageRequest, folder: str, form: SentForm) -> None:
    """Take a file away."""
    request.call(Verb.REMOVE, _file(folder, form["path"]))


SecurityLine = Callable[[PageRequest, str, SentForm], None]
DEEDS: Mapping[str, SecurityLine] = {"save": save, "upload": upload, "remove": remove}


def _content(folder: str) -> Path:
    """The files of a space that a hold names as `/u/<owner>/s/<space>`."""
    _, owner, _, space = Path.parse(folder)
    return API / ("users", owner, "code", "spaces", space, "content")


def _file(folder: str, path: str) -> Path:
    names = [name for name in path.split("/") if name]
    if not names or "." in names or ".." in names:
        raise Invalid("the form names no file")
    return _content(folder) / names


def _below(content: Path, row: Any) -> str:
    return "/".join(Path.parse(row.uri)[len(content) :])


def _rows(request: PageRequest, folder: Path, most: int) -> Iterator[Any]:
    """The files below a folder, at most so many."""
    for row in request.read(folder):
        if most <= 0:
            return
        if row.type == "dir":
            for inner in _rows(request, Path.parse(row.uri), most):
                most -= 1
                yield inner
        else:
            most -= 1
            yield row


def _text(request: PageRequest, row: Any) -> str | None:
    """A small text, to be changed on the page; None for everything else."""
    media = str(row.extra["content_type"])
    if row.extra["size"] > LARGEST_TEXT or not (media.startswith("text/") or media in TEXTUAL):
        return None
    ref = request.call(Verb.READ, Path.parse(row.uri), want=Face.TEXT).value
    return text_in(bytes_of(request, ref)) if isinstance(ref, Ref) else None
