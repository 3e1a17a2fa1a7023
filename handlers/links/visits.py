"""Visits by a link: what a visitor proves with cookies and addresses, for an hour.

A visit is counted once. Its ticket stands in the addresses of the page's pictures and in a cookie, so that a
page with its pictures is one use. Another cookie proves the password. Both cookies are limited to the path of
the link, and signed for its digest; that of the password ends when the password changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from handlers.http.response import Answer
from handlers.identity.identify import cookie_of
from handlers.pages.request import PageRequest
from handlers.rules.addresses import LINK
from vfs.ports.items import Item
from vfs.ports.links import ItemLink

VISIT, PASSWORD = "curlew_visit", "curlew_link"
"""Names of the cookies; that of the visit is also the name of its ticket in a query."""
LASTS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request by a link that opens something: its key, the link, and the item."""

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
        """Return the ticket of this visit: the one that was sent, so that it ends an hour after its use."""
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
