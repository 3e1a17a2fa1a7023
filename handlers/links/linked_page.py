"""Pages of links without an account: what they show, and the visits of their readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from handlers.http.response import Answer
from handlers.identity.identify import cookie_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.document_reading import LARGEST, reading_of
from handlers.pages.visuals.visual_page import Download, VisualPage
from handlers.rules.addresses import API, LINK
from handlers.services.snapshots import FOLDER, FORMS, TEXT
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.links import ItemLink

VISIT, PASSWORD = "curlew_visit", "curlew_link"
"""Names of the cookies; that of the visit is also the name of its ticket in a query."""
LASTS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request with a valid link: its key, the link, and the item."""

    request: PageRequest
    key: str
    item: Item
    link: ItemLink

    @property
    def path(self) -> str:
        """The address of the link's page, without the host."""
        return f"/{LINK}/{self.key}"

    @property
    def is_counted(self) -> bool:
        """Whether the request belongs to a visit that was counted."""
        return self._counted() is not None

    @property
    def is_admitted(self) -> bool:
        """Whether a cookie proves the password, or there is none."""
        return self.link.password is None or self._is_valid(self._cookie(PASSWORD), self._proof)

    def ticket(self) -> str:
        """Return the ticket of this visit: the sent one, which keeps its end, or a new one."""
        return self._counted() or self._ticket(VISIT)

    def set_visit(self, answer: Answer, ticket: str) -> None:
        """Set the cookie of the visit."""
        self._set(answer, VISIT, ticket)

    def set_password(self, answer: Answer) -> None:
        """Set the cookie that proves the password."""
        self._set(answer, PASSWORD, self._ticket(self._proof))

    def _counted(self) -> str | None:
        sent = (self._cookie(VISIT), self.request.query.get(VISIT, ""))
        return next((ticket for ticket in sent if self._is_valid(ticket, VISIT)), None)

    @property
    def _proof(self) -> str:
        return f"{PASSWORD} {self.link.password}"

    @property
    def _now(self) -> datetime:
        return self.request.world.service.deadlines.now()

    def _ticket(self, purpose: str) -> str:
        until = str(int((self._now + LASTS).timestamp()))
        return f"{until}.{self.request.world.service.seal.mark(f'{purpose} {self.link.digest} {until}')}"

    def _is_valid(self, ticket: str, purpose: str) -> bool:
        until, _, mark = ticket.partition(".")
        signed = self.request.world.service.seal.is_mark_of(mark, f"{purpose} {self.link.digest} {until}")
        return signed and int(until) > self._now.timestamp()

    def _set(self, answer: Answer, name: str, value: str) -> None:
        secure = "; Secure" if self.request.ask.secure else ""
        age = int(LASTS.total_seconds())
        answer.cookies.append(
            f"{name}={value}; Path={self.path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}"
        )

    def _cookie(self, name: str) -> str:
        return cookie_of(self.request.ask.environ.get("HTTP_COOKIE", ""), name) or ""


SHOWN = ("name", "created", "updated", "vis_type", "description", "summary")
"""Members of the JSON form of an item, without those that identify an account."""

ABSENT = {
    **dict.fromkeys(("reading", "picture", "content"), None),
    **dict.fromkeys(("unset", "file"), ""),
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
    """Return the page of the item, or of the pinned snapshot. Raises as the page of the item itself does."""
    item = visit.item
    at = LinkedPath(page.kind, item.owner, item.name, visit.path, ticket)
    if visit.link.pinned is not None:
        return _show_pinned(at, visit, visit.link.pinned)
    shown = page.show(page, at, visit.request)
    return replace(shown, template="linked.html", facts={**ABSENT, **shown.facts, "letter": shown.frames})


def path_of(visit: Visit) -> ItemPath:
    """Return the addresses of the item, for its owner."""
    item = visit.item
    return ItemPath(visit.request.world.service.kinds[item.kind], item.owner, item.name)


def pinned_file(at: ItemPath, snapshot: str, form: str) -> Path:
    """Return the path of a form of a snapshot."""
    return at.api / (FOLDER, snapshot, form)


def _show_pinned(at: LinkedPath, visit: Visit, snapshot: str) -> Page:
    """Return the page of a snapshot. Raises NotFound if it was removed: the present item is never shown."""
    kept = visit.request.call(Verb.READ, pinned_file(at, snapshot, "html")).value
    assert isinstance(kept, KeptBytes)
    reading = None
    if kept.size <= LARGEST:
        with kept.open() as file:
            reading = reading_of(file.read().decode(errors="replace"))
    facts = {
        "at": at,
        "title": at.name,
        "head": {"lead": ""},
        "empty": False,
        "version": "",
        "reading": reading,
        "file": at.file("html"),
        "letter": True,
        "about": "",
        "downloads": [
            Download(form, form, at.file(form), f"{at.name}-{snapshot}.{form}", None) for form in FORMS
        ],
    }
    return Page("linked.html", ABSENT | facts, frames=True, document=True)


def about(visit: Visit, forms: Iterable[str]) -> Mapping[str, object]:
    """Return the item as JSON, as readers of its envelope get it, and the addresses of its forms."""
    item, pinned = visit.item, visit.link.pinned
    if pinned is None:
        envelope = visit.request.read(API / ("i", item.shortname))
    else:
        text = visit.request.read(pinned_file(path_of(visit), pinned, TEXT))
        envelope = {"data": text, "about": {"name": pinned, "vis_type": item.kind}}
    address = f"{visit.request.origin}{visit.path}"
    return {
        "data": envelope["data"],
        "metadata": envelope.get("metadata"),
        "about": {name: envelope["about"][name] for name in SHOWN if name in envelope["about"]},
        "forms": {form: f"{address}/{visit.item.kind}.{form}" for form in sorted(forms)},
    }
