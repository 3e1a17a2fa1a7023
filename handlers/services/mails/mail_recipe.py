"""Recipe of mails: their texts and parts, with the fixed texts around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.rendering.render_kinds import MAIL
from handlers.rules.render_options import Options
from handlers.services.documents.document_recipe import DocumentRecipe
from handlers.services.documents.found_parts import FoundParts
from handlers.services.documents.part_requests import CONTENT
from handlers.services.viewer import Viewer
from handlers.words.mail_message import MODES, UNSUBSCRIBE
from vfs.ports.items import Item

KIND, THEME, DEFAULT_THEME = MAIL.name, "config/theme", "novem-light"
LOOK = (THEME, "config/size", "config/subject", "name")
"""Files that determine how a mail looks."""
MESSAGE = "message"
"""The form that is sent; options: the `origin` of links, and `from`, whether it can be unsubscribed."""


@dataclass(frozen=True, slots=True)
class MailRecipe(DocumentRecipe):
    """Recipe of mails, whose parts are found as those of documents are; documents are sent by it, too."""

    kind: str = KIND

    def texts(self, viewer: Viewer, found: FoundParts, options: Options) -> Mapping[str, str]:
        """Return the texts of a mail, its sender and the addresses in its footer."""
        item, world = found.document, viewer.world
        texts = world.leaves.texts_of([item.id], (CONTENT, *LOOK)).get(item.id, {})
        origin = str(options.get("origin", world.service.settings.base_url.rstrip("/")))
        page = world.service.kinds[item.kind].page(origin, item) if origin else ""
        leave = UNSUBSCRIBE if options.get("from") else ""
        words = {"sender": f"@{item.owner}", "origin": origin, "page": page, "unsubscribe": leave}
        return {"name": item.name, **texts, **words}

    def part_options(self, viewer: Viewer, item: Item, options: Options) -> Options:
        """Return the mode of the charts: that of the theme, or both if the reader may choose."""
        kept = viewer.world.leaves.texts_of([item.id], (THEME,)).get(item.id, {})
        return {"mode": MODES.get(kept.get(THEME, DEFAULT_THEME).strip().lower(), "both")}
