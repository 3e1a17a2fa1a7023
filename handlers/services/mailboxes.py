"""Mails to people: the address of this service, limits for each mailbox, and news of second factors."""

from __future__ import annotations

import logging
from functools import partial
from urllib.parse import urlsplit

from handlers.rules.hosts import loopback
from handlers.security.events import RECOVERY_CODE_USED
from handlers.security.log_lines import RequestNotes, SecurityLine
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.errors import Unavailable
from vfs.ports.clock import stamp
from vfs.ports.people import Limit

HOUR = 3600
UNVERIFIED = "your own address is not verified: verify it at /settings/profile#emails before you"
NO_RELAY = "this server sends no mail yet, as no relay is set: its operator sets smtp (CURLEW_SMTP)"

log = logging.getLogger("curlew")


def public_origin(settings: Settings, origin: str) -> str:
    """Return the address of this service for use in mails; "" if none is certain.

    It is `base_url` of the settings or, without one, the origin of the request if that is this host. Any
    other `Host` may be forged by a caller who has a mail sent to another person.
    """
    if settings.base_url:
        return settings.base_url.rstrip("/")
    return origin if loopback(urlsplit(origin).hostname or "") else ""


def mailbox(address: str) -> str:
    """Return the mailbox of a mail address, for counting: without case and the part after a plus."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def to_mailbox(settings: Settings, address: str, kind: str) -> Limit:
    """Return the hourly limit of unrequested mails of a kind to one mailbox."""
    return Limit(f"{kind} to {mailbox(address)}", settings.mails_mailbox, HOUR)


def to_account(settings: Settings, user: str) -> Limit:
    """Return the hourly limit of mailed notices of an account."""
    return Limit(f"notices to {user}", settings.mails_account, HOUR)


def try_send(world: World, to: str, subject: str, text: str) -> str:
    """Return `mailed`, or `not mailed` if the mail does not leave; what it reports is kept either way.

    Without a relay it is in the outbox, where the operator finds it.
    """
    try:
        world.service.post.send(to, subject, text)
    except Unavailable:
        return "not mailed"
    return "mailed" if world.service.settings.sends_mail else "not mailed"


def send_later(world: World, to: str, subject: str, text: str) -> bool:
    """Send a mail in the background, so that the response time does not show that one is sent.

    If too many mails wait, it is dropped and the result is False; the person can ask again.
    """
    is_taken = world.service.later.add(partial(try_send, world, to, subject, text))
    if not is_taken:
        log.warning("a mail that was asked for is dropped: too many wait")
    return is_taken


SUBJECT = "Your second factor was changed"
LETTER = """{what}: your Curlew account {name}, on {now}, from {place}.

Its sessions and tokens go on.

If that was not you, somebody has access to your account: change the password{link}, end all sessions and
tokens there, and ask the operator of the service for help.
"""


def mail_factor_change(world: World, name: str, what: str, place: str) -> None:
    """Mail a change, made from an address or by an operator, to all verified addresses of an account."""
    origin = public_origin(world.service.settings, "")
    link = f" at {origin}/settings/signin" if origin else ""
    text = LETTER.format(what=what, name=name, now=stamp(world.clock.now()), place=place or "here", link=link)
    for one in world.people.addresses.of(name):
        if one.verified_on is not None:
            try_send(world, one.address, SUBJECT, text)


def mail_code_use(world: World, name: str, notes: RequestNotes) -> None:
    """Record and mail that a recovery code was used."""
    world.service.security.record(SecurityLine(RECOVERY_CODE_USED.name, account=name), notes)
    left = world.people.factors.codes_left(name)
    mail_factor_change(world, name, f"A recovery code was used, and {left} are left", notes.address)
