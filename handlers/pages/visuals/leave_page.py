"""The page at which a recipient gets no more of somebody's mails: by a link alone, without signing in."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.services.mails.leave_tickets import FOLDER, read_ticket

LEAVE = (FOLDER,)


def show(ticket: str, request: PageRequest) -> Page:
    """The page that asks; a look at it changes nothing, as programs look ahead. Raises NotFound."""
    return _page(ticket, request, ended=False)


def leave(ticket: str, request: PageRequest, form: SentForm) -> Page:
    """Note that an address wants no more mails: by the page, or by one click of a mail program (RFC 8058)."""
    owner, address = read_ticket(request.world, ticket)
    request.world.social.mails.refuse(owner, address)
    return _page(ticket, request, ended=True)


def _page(ticket: str, request: PageRequest, *, ended: bool) -> Page:
    owner, address = read_ticket(request.world, ticket)
    facts = {"owner": owner, "address": address, "ended": ended, "action": f"/{FOLDER}/{ticket}"}
    return Page("leave.html", facts)
