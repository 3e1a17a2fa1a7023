"""Stored messages: everything of a mail that is the same for all its recipients, as the outbox keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson

from handlers.words.mail_message import MailMessage, MailSender, load_page


@dataclass(frozen=True, slots=True)
class MessageHead:
    """The head of a mail: whose it is, the words of its subject, and its time."""

    sender: str
    reply_to: str
    subject: str
    date: datetime
    automatic: bool = False


def dump_message(head: MessageHead, page: bytes) -> bytes:
    """A mail as bytes: its head on a line, then the page as it was rendered."""
    fields = {
        "sender": head.sender,
        "reply_to": head.reply_to,
        "subject": head.subject,
        "date": head.date.isoformat(),
        "automatic": head.automatic,
    }
    return orjson.dumps(fields) + b"\n" + page


def load_message(kept: bytes, address: str) -> MailMessage:
    """The mail of these bytes, sent from an address of the service."""
    line, _, dumped = kept.partition(b"\n")
    fields = orjson.loads(line)
    page, text = load_page(dumped.decode())
    return MailMessage(
        MailSender(fields["sender"], address, fields["reply_to"]),
        fields["subject"],
        page.html,
        text,
        page.pictures,
        datetime.fromisoformat(fields["date"]),
        fields["automatic"],
    )
