"""Recipes of documents and mails: their texts and parts, read with the rights of the people behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from uuid import uuid4

from handlers.rendering.render_kinds import MAIL
from handlers.rules.render_options import Options
from handlers.services.documents.found_parts import FoundParts, PartLookup
from handlers.services.documents.part_contents import PartReader
from handlers.services.documents.part_requests import CONTENT, KIND
from handlers.services.renderings import Content, language_option, time_left
from handlers.services.viewer import Viewer
from handlers.words.document_parts import dump_parts
from handlers.words.mail_message import MODES, UNSUBSCRIBE
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


MAIL_KIND, THEME, DEFAULT_THEME = MAIL.name, "config/theme", "novem-light"
MAIL_LOOK = (THEME, "config/size", "config/subject", "name")
"""Files that determine how a mail looks."""
MESSAGE = "message"
"""The form that is sent; options: the `origin` of links, and `from`, whether it can be unsubscribed."""


@dataclass(frozen=True, slots=True)
class MailRecipe(DocumentRecipe):
    """Recipe of mails, whose parts are found as those of documents are; documents are sent by it, too."""

    kind: str = MAIL_KIND

    def texts(self, viewer: Viewer, found: FoundParts, options: Options) -> Mapping[str, str]:
        """Return the texts of a mail, its sender and the addresses in its footer."""
        item, world = found.document, viewer.world
        texts = world.leaves.texts_of([item.id], (CONTENT, *MAIL_LOOK)).get(item.id, {})
        origin = str(options.get("origin", world.service.settings.base_url.rstrip("/")))
        page = world.service.kinds[item.kind].page(origin, item) if origin else ""
        leave = UNSUBSCRIBE if options.get("from") else ""
        words = {"sender": f"@{item.owner}", "origin": origin, "page": page, "unsubscribe": leave}
        return {"name": item.name, **texts, **words}

    def part_options(self, viewer: Viewer, item: Item, options: Options) -> Options:
        """Return the mode of the charts: that of the theme, or both if the reader may choose."""
        kept = viewer.world.leaves.texts_of([item.id], (THEME,)).get(item.id, {})
        return {"mode": MODES.get(kept.get(THEME, DEFAULT_THEME).strip().lower(), "both")}
