"""Parsed content of documents: read by the renderer once for each content, and what it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.render.documents.pages.part_models import PartRequests
from handlers.render.documents.pages.parts_json import load_requests
from handlers.rules.render_options import NO_DEFAULTS, Options
from handlers.services.renderings import (
    Content,
    LeavesRecipe,
    WantedRender,
    digest_of_leaves,
    key_of,
    renderings_of,
)
from handlers.services.world import World
from vfs.place import Place
from vfs.ports.world import Item, digest_of

KIND, CONTENT, TYPE = "doc", "content", "config/type"
PARSED = LeavesRecipe(KIND, (CONTENT,), folder=CONTENT)
"""Recipe of a document as it was parsed, which is made of its content alone."""


@dataclass(frozen=True, slots=True)
class RequestsRecipe:
    """Recipe of what a document refers to, at the sizes of its type."""

    kind: str = KIND

    def version(self, place: Place[World], item: Item, options: Options) -> str:
        """The version of the content and the type."""
        digests = place.world.leaves.digests_of([item.id], (CONTENT, TYPE), CONTENT)
        return digest_of_leaves(digests.get(item.id))

    def content(self, place: Place[World], item: Item, form: str, options: Options) -> Content:
        """The parsed content and the type."""
        texts = place.world.leaves.texts_of([item.id], (CONTENT, TYPE)).get(item.id, {})
        version = digest_of_leaves({rel: digest_of(text) for rel, text in texts.items()})
        parsed = parsed_texts(place, item, texts.get(CONTENT, ""))
        return Content(version, {**parsed, TYPE: texts.get(TYPE, "")}, {})


REQUESTS = RequestsRecipe()


def requests_of(place: Place[World], item: Item, digests: Mapping[str, str]) -> PartRequests:
    """Everything that a document with leaves of such digests refers to."""
    version = digest_of_leaves({rel: digests[rel] for rel in (CONTENT, TYPE) if rel in digests})
    ((_, kept),) = renderings_of(place, REQUESTS, [WantedRender(item, "requests", NO_DEFAULTS, version)])
    with kept.open() as file:
        return load_requests(file.read().decode())


def parsed_texts(place: Place[World], item: Item, content: str) -> Mapping[str, str]:
    """The texts by which a renderer knows a content: as it was parsed before, else itself.

    It is given itself when somebody wrote another meanwhile.
    """
    if not content:
        return {}
    version = digest_of_leaves({CONTENT: digest_of(content)})
    ((key, kept),) = renderings_of(place, PARSED, [WantedRender(item, "parsed", NO_DEFAULTS, version)])
    if key != key_of(KIND, "parsed", NO_DEFAULTS, version):
        return {CONTENT: content}
    with kept.open() as file:
        return {"document": file.read().decode()}
