"""The page of an item that a link opens, and what it is as JSON: its content, without anything around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from handlers.links.visits import VISIT, Visit
from handlers.pages.items.item_path import ItemPath
from handlers.pages.result import Page
from handlers.pages.visuals.visual_page import VisualPage
from handlers.rules.addresses import API

TOLD = ("name", "created", "updated", "vis_type", "description", "summary")
"""What the JSON form says about an item: nothing that leads to an account."""

ABSENT = {
    **dict.fromkeys(("reading", "picture", "sample"), None),
    **dict.fromkeys(("unset", "framed", "unfolds", "file"), ""),
}
"""Values of the template that some kinds do not have."""


@dataclass(frozen=True, slots=True)
class LinkedPath(ItemPath):
    """An item whose rendered forms have addresses below that of a link, for one visit."""

    below: str
    ticket: str

    def file(self, form: str, **options: str) -> str:
        """Return the address of a rendered form, with these options."""
        query = urlencode({**options, VISIT: self.ticket})
        return f"{self.below}/{self.kind.name}.{form}?{query}"


def show(page: VisualPage, visit: Visit, ticket: str) -> Page:
    """Return the page of the item. Raises as the page of the item itself does."""
    item = visit.item
    at = LinkedPath(page.kind, item.owner, item.name, visit.path, ticket)
    shown = page.show(page, at, visit.request)
    return replace(shown, template="linked.html", facts=ABSENT | shown.facts | {"letter": shown.frames})


def about(visit: Visit, forms: Iterable[str]) -> Mapping[str, object]:
    """Return the item as JSON, as readers of its envelope get it, and the addresses of its forms."""
    envelope = visit.request.read(API / ("i", visit.item.shortname))
    address = f"{visit.request.origin}{visit.path}"
    return {
        "data": envelope["data"],
        "metadata": envelope["metadata"],
        "about": {name: envelope["about"][name] for name in TOLD},
        "forms": {form: f"{address}/{visit.item.kind}.{form}" for form in sorted(forms)},
    }
