"""Messages of the service itself: written whole, and kept until a relay took them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid

from handlers.services.world import World
from vfs.errors import Invalid

LONGEST_SUBJECT, MOST_IDS = 320, 20
IDENTITY = re.compile(r"<[!-;=?-~]{3,250}>")
PLAIN = SMTP.clone(cte_type="7bit")
"""Every relay takes such bytes as they are, so that no signature breaks."""


@dataclass(frozen=True, slots=True)
class MessageAttachment:
    """A file that travels with a message; its media type is `type/subtype`."""

    name: str
    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ServiceMessage:
    """A message of the service to one address, in plain text.

    `sender` is the address that it comes from, or "" for the service's own, and `sender_name` the name before
    it. `in_reply_to` and `references` are identities of messages, `<…>` each. `automatic` is the value of
    Auto-Submitted (RFC 3834): `auto-replied` for an answer. `message_id` is "" where it may be any.
    """

    to: str
    subject: str
    text: str
    sender: str = ""
    sender_name: str = ""
    in_reply_to: str = ""
    references: Sequence[str] = ()
    automatic: str = "auto-generated"
    attachments: Sequence[MessageAttachment] = ()
    message_id: str = ""


def enqueue_message(world: World, message: ServiceMessage) -> str:
    """Have a message sent once the present transaction is durable, and never without it; its identity.

    Raises Invalid for an address that is none.
    """
    sender = message.sender or world.service.settings.mail_from
    id = message.message_id or make_msgid(domain=sender.rpartition("@")[2] or "localhost")
    world.social.messages.enqueue(message.to, id, message_bytes(message, sender, id, world.clock.now()))
    return id


def message_bytes(message: ServiceMessage, sender: str, id: str, date: datetime) -> bytes:
    """A message as it leaves (RFC 5322). Raises Invalid for an address that is none."""
    whole = EmailMessage(policy=PLAIN)
    try:
        whole["From"] = Address(_line(message.sender_name), addr_spec=sender)
        whole["To"] = Address(addr_spec=message.to)
    except (ValueError, IndexError) as error:
        raise Invalid(f"{message.to[:100]} is no address to which a mail could go") from error
    whole["Subject"] = _line(message.subject)[:LONGEST_SUBJECT] or "No subject"
    whole["Date"] = format_datetime(date)
    whole["Message-ID"] = id
    whole["Auto-Submitted"] = message.automatic
    whole.set_content(message.text)
    for one in message.attachments:
        main, _, sub = one.media.partition("/")
        whole.add_attachment(one.body, main, sub or "octet-stream", filename=_line(one.name))
    thread = _id_lines("In-Reply-To", [message.in_reply_to]) + _id_lines("References", message.references)
    return thread + whole.as_bytes(policy=PLAIN)


def _id_lines(name: str, ids: Sequence[str]) -> bytes:
    """A header of identities, one a line, as none may be folded.

    Strangers wrote them: what is none is left out.
    """
    whole = [id for id in ids[-MOST_IDS:] if IDENTITY.fullmatch(id)]
    lines = "\r\n ".join(whole)
    return f"{name}: {lines}\r\n".encode() if whole else b""


def _line(words: str) -> str:
    """Words as a header holds them: on one line, without signs of control."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
