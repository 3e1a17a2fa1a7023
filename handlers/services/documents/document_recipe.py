"""Recipe of documents: their texts and parts, read with the rights of the people behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from uuid import uuid4

from handlers.rules.render_options import Options
from handlers.services.account_language import language_option
from handlers.services.documents.found_parts import FoundParts, PartLookup
from handlers.services.documents.part_contents import PartReader
from handlers.services.documents.part_requests import CONTENT, KIND
from handlers.services.drawing.render_time import time_left
from handlers.services.renderings import Content
from handlers.services.viewer import Viewer
from handlers.words.document_parts import dump_parts
from vfs.ports.items import Item

MOST_TURNS = 3
LOOK = ("config/type", "config/theme", "config/custom/custom.css", "name")
"""Files that determine how a document looks."""


@dataclass(frozen=True, slots=True)
class DocumentRecipe:
    """Recipe of documents.

    After `seconds`, a call draws no further chart; the next call continues with the kept renders.
    """

    parts: PartLookup
    kind: str = KIND
    seconds: float = 30.0

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the version of the texts and of everything that they refer to."""
        return self.parts.find(viewer, item).version

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the texts, and the parts as a form shows them."""
        until = monotonic() + min(self.seconds, time_left())
        for _ in range(MOST_TURNS):
            before = self.parts.find(viewer, item)
            chosen = {**self.part_options(viewer, item, options), **language_option(options)}
            reader = PartReader(viewer, self.parts, before, form, chosen, until)
            texts = {
                **self.texts(viewer, before, options),
                "config/lang": before.requests.language,
                "parts": dump_parts(reader.read()),
            }
            if monotonic() > until:
                break
            if self.parts.find(viewer, item).version == before.version:
                return Content(before.version, texts, {})
        # Incomplete, or changed during each attempt: use a version that no other call finds.
        return Content(uuid4().hex, texts, {}, whole=monotonic() <= until)

    def texts(self, viewer: Viewer, found: FoundParts, options: Options) -> Mapping[str, str]:
        """Return the texts of a document, and of its theme."""
        item, world = found.document, viewer.world
        texts = dict(world.leaves.texts_of([item.id], (CONTENT, *LOOK)).get(item.id, {}))
        if found.theme is not None:
            sheets = world.leaves.texts_of([found.theme.org.id], (found.theme.rel,))
            texts["theme.css"] = sheets.get(found.theme.org.id, {}).get(found.theme.rel, "")
        origin = world.service.settings.base_url.rstrip("/")
        return {"name": item.name, **texts, "origin": origin}

    def part_options(self, viewer: Viewer, item: Item, options: Options) -> Options:
        """Return the options for the charts."""
        return options
