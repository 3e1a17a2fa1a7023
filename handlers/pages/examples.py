"""Examples and templates for new items, stored as files beside the templates of pages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from handlers.pages.forms import Json
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.rules.kinds import ResourceKind
from vfs.access import Verb
from vfs.errors import Conflict
from vfs.path import Path

FOLDER = "example_files"
BEGUN = "An example to begin with"


@dataclass(frozen=True, slots=True)
class Example:
    """An example: the folder of its kind, its name, its texts, and the examples that it shows.

    `pushed` are files that are committed to it.
    """

    word: str
    says: str
    folder: str
    name: str
    texts: Mapping[str, str]
    shows: Sequence[str] = field(default_factory=tuple)
    pushed: Mapping[str, str] = field(default_factory=dict)


PYTHON = "python"
WORDS = (PYTHON, "pandas", "report", "webcheck", "each_file", "approval")
"""Keys of job templates in the order of the page."""
REPO = "{repo}"


@dataclass(frozen=True, slots=True)
class JobTemplate:
    """A template; `{repo}` in its chain is replaced by the repository with its `files`.

    `input` says what may be sent to it ("": nothing), and `mails` whether a failed run is reported by mail.
    """

    word: str
    title: str
    says: str
    files: Mapping[str, str]
    chain: str = REPO
    schedule: str = ""
    input: str = ""
    mails: bool = False

    def chain_of(self, repo: str) -> str:
        """Return the chain of the job."""
        return self.chain.replace(REPO, repo)


@cache
def read_examples(name: str) -> Mapping[str, Any]:
    """Return the content of a file of examples."""
    return tomllib.loads(files("handlers.pages").joinpath(FOLDER, f"{name}.toml").read_text("utf-8"))


def examples() -> Mapping[str, Example]:
    """Return the examples by their keys."""
    return {word: Example(word, **facts) for word, facts in read_examples("things").items()}


def kind_example(kind: ResourceKind) -> Mapping[str, str]:
    """Return the files of a new item of a kind as an example; empty if the kind has none."""
    found: Mapping[str, str] = read_examples("kinds").get(kind.name, {})
    return found


def patterns() -> Mapping[str, Mapping[str, str]]:
    """Return titles and layouts for new grids by their keys."""
    return read_examples("grids")


def job_templates() -> Mapping[str, JobTemplate]:
    """Return templates of jobs by their keys."""
    return {word: JobTemplate(word, **read_examples(f"jobs/{word}")) for word in WORDS}


def make(request: PageRequest, example: Example) -> Path:
    """Create an example and the ones that it shows; return its page. Existing examples are kept."""
    for word in example.shows:
        make(request, examples()[word])
    kinds = request.world.service.kinds.values()
    kind = next(kind for kind in kinds if kind.folder == example.folder)
    at = ItemPath(kind, request.caller.name or "", example.name)
    try:
        request.create(at.api)
    except Conflict:
        return at.page
    for rel, text in example.texts.items():
        request.write(at.api / rel.split("/"), text)
    if example.pushed:
        changes = [{"path": path, "text": text} for path, text in example.pushed.items()]
        request.call(Verb.WRITE, at.api / "commit", Json({"message": BEGUN, "changes": changes}))
    return at.page
