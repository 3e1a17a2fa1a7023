"""Mails and lines of the security log about second factors."""

from __future__ import annotations

from handlers.security.events import RECOVERY_CODE_USED
from handlers.security.log_lines import SecurityLine
from handlers.security.notes import RequestNotes
from handlers.services.mailboxes import public_origin, try_send
from handlers.services.world import World
from vfs.ports.clock import stamp

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
