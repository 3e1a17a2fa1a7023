"""Requests of documents and mails: what a content refers to, and the items and files that this means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from handlers.rendering.render_kinds import DOCUMENT, RENDER_KINDS
from handlers.rules.kinds import Kinds, kinds_by_letter
from handlers.rules.render_options import NO_DEFAULTS, Options
from handlers.services.renderings import (
    Content,
    WantedRender,
    digest_of_leaves,
    key_of,
    renderings_of,
)
from handlers.services.viewer import Viewer
from handlers.words.document_parts import PartRequests, load_requests
from vfs.ports.items import Item
from vfs.ports.leaves import digest_of

KIND, CONTENT = DOCUMENT.name, "content"
LARGEST_CONTENT = 1 << 20
"""Bytes of the content of a document or a mail."""
SIZES = {kind.name: kind.size_leaf for kind in RENDER_KINDS.values() if kind.size_leaf}
"""Files that determine the size of charts, by kind."""
NOTHING = PartRequests((), (), (), ())
"""The requests of a text without parts."""


@dataclass(frozen=True, slots=True)
class RequestsRecipe:
    """Recipe of what a document or a mail refers to, at the requested sizes."""

    kind: str

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the version of the content and the sizes."""
        digests = viewer.world.leaves.digests_of([item.id], (CONTENT, SIZES[self.kind]), CONTENT)
        return digest_of_leaves(digests.get(item.id))

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the content and the sizes."""
        texts = viewer.world.leaves.texts_of([item.id], (CONTENT, SIZES[self.kind])).get(item.id, {})
        version = digest_of_leaves({rel: digest_of(text) for rel, text in texts.items()})
        return Content(version, texts, {})


def requests_of(viewer: Viewer, item: Item, digests: Mapping[str, str]) -> PartRequests:
    """Return everything that a document or a mail with files of these digests refers to.

    Returns NOTHING if the text changed meanwhile: its author, and so the rights to apply, are unknown here.
    """
    recipe = RequestsRecipe(item.kind)
    version = digest_of_leaves({rel: digests[rel] for rel in (CONTENT, SIZES[item.kind]) if rel in digests})
    ((key, kept),) = renderings_of(viewer, recipe, [WantedRender(item, "requests", NO_DEFAULTS, version)])
    if key != key_of(recipe.kind, "requests", NO_DEFAULTS, version):
        return NOTHING
    with kept.open() as file:
        return load_requests(file.read().decode())


VISUALS = tuple(kind.name for kind in RENDER_KINDS.values() if kind.shown)
"""Kinds that a section `vis` can show."""
USER = "user"
PATH = re.compile(
    r"(?:/u/(?P<owner>[^/]+))?/(?P<letter>[a-z])/(?P<name>[^/]+)(?:/(?P<folder>[av])/(?P<leaf>[^/]+))?"
)
FOLDERS = {"a": "assets", "v": "vars"}
FIELDS = ("value", "type", "format", "threshold")
"""Fields of a variable that determine how it is shown."""
PROFILE = ("name", "bio", "picture/image", "options/allow_as_author")
"""Files of a profile that an author's box shows."""


class PartPath(NamedTuple):
    """The item that holds a part, by kind, owner and name (or by shortname alone), and a file below it."""

    kind: str
    owner: str
    name: str
    leaf: str = ""

    @property
    def item(self) -> PartPath:
        """The path of the item alone."""
        return self._replace(leaf="")


@dataclass(frozen=True, slots=True)
class PartPaths:
    """The paths of all parts, by the references of the document."""

    visuals: Mapping[str, PartPath]
    assets: Mapping[str, PartPath]
    authors: Mapping[str, PartPath]
    variables: Mapping[str, PartPath]

    @property
    def all(self) -> Collection[PartPath]:
        """All paths, each once."""
        folders = (self.visuals, self.assets, self.authors, self.variables)
        return dict.fromkeys(path for folder in folders for path in folder.values())


def part_paths(requests: PartRequests, home: PartPath, kinds: Kinds) -> PartPaths:
    """Return the paths of what a document refers to; `home` is its own."""
    letters = {kind.letter: kind.name for kind in kinds_by_letter(kinds)}
    refs = dict.fromkeys(request.ref for request in requests.visuals)
    return PartPaths(
        dict(_paths(refs, letters, home.owner, VISUALS)),
        {name: home._replace(leaf=f"assets/{name}") for name in requests.assets if "/" not in name}
        | dict(_paths((ref for ref in requests.assets if "/" in ref), letters, home.owner)),
        {name: PartPath(USER, name, name) for name in requests.authors},
        dict(_paths(requests.variables, letters, home.owner)),
    )


def _paths(
    refs: Iterable[str], letters: Mapping[str, str], owner: str, kinds: tuple[str, ...] = ()
) -> Iterator[tuple[str, PartPath]]:
    for ref in refs:
        found = PATH.fullmatch(ref)
        if found is None and kinds and "/" not in ref:
            yield ref, PartPath("", "", ref)
        elif found is not None and (kind := letters.get(found["letter"])) and (not kinds or kind in kinds):
            leaf = f"{FOLDERS[found['folder']]}/{found['leaf']}" if found["folder"] else ""
            yield ref, PartPath(kind, found["owner"] or owner, found["name"], leaf)
