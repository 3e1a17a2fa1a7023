"""Requests of documents and mails: the renderer reads what a content refers to, once for each content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.rendering.render_kinds import DOCUMENT, RENDER_KINDS
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
