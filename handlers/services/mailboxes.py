"""Mails to people: what they say of where this service is, and how many go to one mailbox."""

from __future__ import annotations

import logging
from functools import partial
from urllib.parse import urlsplit

from handlers.rules.hosts import loopback
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.errors import Unavailable
from vfs.ports.people import Limit

HOUR = 3600

log = logging.getLogger("curlew")


def public_origin(settings: Settings, origin: str) -> str:
    """The address of this service that a mail may name; empty when none is certain.

    It is the one of the settings or, without one, that of the request when it is this very host: any other
    `Host` may be made up by a caller who has the mail sent to somebody else.
    """
    if settings.base_url:
        return settings.base_url.rstrip("/")
    return origin if loopback(urlsplit(origin).hostname or "") else ""


def mailbox(address: str) -> str:
    """The mailbox of an e-mail address, for counting: its case and what follows a plus make no other."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def to_mailbox(settings: Settings, address: str, kind: str) -> Limit:
    """The limit of unasked mails of a kind to one mailbox in an hour."""
    return Limit(f"{kind} to {mailbox(address)}", settings.mails_mailbox, HOUR)


def to_account(settings: Settings, user: str) -> Limit:
    """The limit of mailed notices of an account in an hour."""
    return Limit(f"notices to {user}", settings.mails_account, HOUR)


def try_send(world: World, to: str, subject: str, text: str) -> str:
    """`mailed`, or `not mailed` when the mail could not leave; what it is about stands either way."""
    try:
        world.service.post.send(to, subject, text)
    except Unavailable:
        return "not mailed"
    return "mailed"


def send_later(world: World, to: str, subject: str, text: str) -> bool:
    """Send a mail in the background, so that the time of the answer does not show that one is sent.

    If too many mails wait, it is dropped and the answer is False; the person can ask again.
    """
    is_taken = world.service.later.add(partial(try_send, world, to, subject, text))
    if not is_taken:
        log.warning("a mail that was asked for is dropped: too many wait")
    return is_taken
