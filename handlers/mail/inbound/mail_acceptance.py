"""Acceptance of mails: for open addresses only, and confirmed after they are stored."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Collection

from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.services.mails.mail_addresses import group_at
from handlers.services.world import World
from vfs.cause import DONE, REQUEST, caused_by
from vfs.errors import NotFound
from vfs.ports.disk import require_disk_space
from vfs.ports.inbound import InboundMail, NewInbound

done = logging.getLogger(DONE)

MEDIA = "message/rfc822"
NO_PLACE = "there is no mailbox of that name here"


def is_open(world: World, address: str) -> bool:
    """Return whether mail to an address is accepted."""
    return group_at(world, address) is not None


def accept_mail(world: World, envelope: MailEnvelope, address: str, raw: bytes) -> int:
    """Store a mail for the group of an address until it is handled; return its number.

    It is durable on return. Raises NotFound if the address is not open, QuotaReached, NoSpace and
    Unavailable, without storing anything.
    """
    group = group_at(world, address)
    if group is None:
        raise NotFound(NO_PLACE)
    require_disk_space(world.service.disk)
    message = world.blobs.add((raw,), MEDIA, group.item.id)
    written = json.dumps(
        {"peer": envelope.peer, "hello": envelope.hello[:255], "sender": envelope.sender[:320]}
    )
    return world.social.inbound.accept(
        NewInbound(group.item.id, group.ref, address.lower(), written, message)
    )


def accept_all(world: World, envelope: MailEnvelope, recipients: Collection[str], raw: bytes) -> None:
    """Store a mail for each of its recipients, all or none. Raises as `accept_mail` does.

    The session gets an id, which the log has for all that the mail causes.
    """
    with caused_by(f"{REQUEST} {secrets.token_hex(16)}"), world.atomic():
        for address in dict.fromkeys(recipient.lower() for recipient in recipients):
            number = accept_mail(world, envelope, address, raw)
            done.info("the mail %d to %s is stored", number, address)


def envelope_of(mail: InboundMail) -> MailEnvelope:
    """Return the envelope of a stored mail."""
    written = json.loads(mail.envelope)
    return MailEnvelope(written["peer"], written["hello"], written["sender"], (mail.address,))
