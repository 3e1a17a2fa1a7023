"""The pages that unsubscribe from a kind of mail: by a link alone, without signing in."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.services.mails.mail_addresses import FOLDER, NOTICES, read_mute_ticket, read_ticket
from handlers.services.notices import mute, mute_words

LEAVE = (FOLDER,)


def show(ticket: str, request: PageRequest) -> Page:
    """Return the confirmation page; a GET changes nothing, as programs prefetch links. Raises NotFound."""
    return _of_owner(ticket, request, ended=False)


def leave(ticket: str, request: PageRequest, form: SentForm) -> Page:
    """Unsubscribe an address: by the page, or by one click in a mail program (RFC 8058)."""
    owner, address = read_ticket(request.world, ticket)
    request.world.social.mails.refuse(owner, address)
    return _of_owner(ticket, request, ended=True)


def show_mute(ticket: str, request: PageRequest) -> Page:
    """Return the page that asks whether to stop mails about an item to a user. Raises NotFound."""
    return _of_thing(ticket, request, ended=False)


def act_mute(ticket: str, request: PageRequest, form: SentForm) -> Page:
    """Stop mails about an item to a user, in the same two ways; the inbox still shows the notices."""
    mute(request.world, *read_mute_ticket(request.world, ticket))
    return _of_thing(ticket, request, ended=True)


def _of_owner(ticket: str, request: PageRequest, *, ended: bool) -> Page:
    owner, address = read_ticket(request.world, ticket)
    return _page(f"{FOLDER}/{ticket}", f"mails of @{owner}", address, ended=ended)


def _of_thing(ticket: str, request: PageRequest, *, ended: bool) -> Page:
    what, user = read_mute_ticket(request.world, ticket)
    words = mute_words(request.world, what, user)
    return _page(f"{FOLDER}/{NOTICES}/{ticket}", words, f"@{user}", ended=ended)


def _page(action: str, what: str, reader: str, *, ended: bool) -> Page:
    return Page("leave.html", {"what": what, "reader": reader, "ended": ended, "action": f"/{action}"})
