"""Examples of things, each made with one click: to be looked at, changed and deleted."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from handlers.pages.forms import Json
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Conflict
from vfs.path import Path

FILE = "examples.toml"
BEGUN = "An example to begin with"


@dataclass(frozen=True, slots=True)
class Example:
    """Something to begin with: the folder of its kind, its name, its texts, and the examples that it shows.

    `pushed` are files that are committed to it.
    """

    word: str
    says: str
    folder: str
    name: str
    texts: Mapping[str, str]
    shows: Sequence[str] = field(default_factory=tuple)
    pushed: Mapping[str, str] = field(default_factory=dict)


EXAMPLES: Mapping[str, Example] = {
    word: Example(word, **told)
    for word, told in tomllib.loads(files(__package__).joinpath(FILE).read_text("utf-8")).items()
}


def make(request: PageRequest, example: Example) -> Path:
    """Make an example of the caller's, and what it shows; its page. One that is there stays as it is."""
    for word in example.shows:
        make(request, EXAMPLES[word])
    kinds = request.world.service.kinds.values()
    kind = next(kind for kind in kinds if kind.folder == example.folder)
    at = ItemPath(kind, request.caller.name or "", example.name)
    try:
        request.call(Verb.CREATE, at.api)
    except Conflict:
        return at.page
    for rel, text in example.texts.items():
        request.call(Verb.WRITE, at.api / rel.split("/"), TextBody(text))
    if example.pushed:
        changes = [{"path": path, "text": text} for path, text in example.pushed.items()]
        request.call(Verb.WRITE, at.api / "commit", Json({"message": BEGUN, "changes": changes}))
    return at.page
