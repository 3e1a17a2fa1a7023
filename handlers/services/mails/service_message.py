"""Messages of the service itself, and the part of a mail that is the same for all recipients."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime, make_msgid
from hashlib import sha256

import orjson

from handlers.services.world import World
from handlers.words.mail_headers import address_header, file_part, header, words_header
from handlers.words.mail_message import NO_SUBJECT, MailMessage, MailSender, load_page, unsubscribe_headers
from vfs.errors import Invalid

MOST_IDS = 20
PRINTABLE = re.compile(rb"[\t\n -~]*")
IDENTITY = re.compile(r"<[!-;=?-~]{3,250}>")
LONGEST_LINE = 900


@dataclass(frozen=True, slots=True)
class MessageAttachment:
    """A file attached to a message; its media type is `type/subtype`."""

    name: str
    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ServiceMessage:
    """A message of the service to one address, in plain text.

    `sender` is the sender's address, or "" for the service's own, and `sender_name` the name before it.
    `in_reply_to` and `references` are message ids, `<…>` each. `automatic` is the value of Auto-Submitted
    (RFC 3834): `auto-replied` for an answer. `message_id` is "" for a new one. `unsubscribe` is the web
    address at which one click ends such messages, or "".
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
    unsubscribe: str = ""


def enqueue_message(world: World, message: ServiceMessage) -> str:
    """Queue a message to be sent if the present transaction commits; return its message id.

    Raises Invalid for an invalid address.
    """
    sender = message.sender or world.service.settings.mail_from
    id = message.message_id or make_msgid(domain=sender.rpartition("@")[2] or "localhost")
    world.social.messages.enqueue(message.to, id, message_bytes(message, sender, id, world.clock.now()))
    return id


def message_bytes(message: ServiceMessage, sender: str, id: str, date: datetime) -> bytes:
    """Return the bytes of a message (RFC 5322). Raises Invalid for an invalid address."""
    try:
        lines = [
            *_thread("In-Reply-To", [message.in_reply_to]),
            *_thread("References", message.references),
            address_header("From", sender, message.sender_name),
            address_header("To", message.to),
            words_header("Subject", message.subject) or words_header("Subject", NO_SUBJECT),
            header("Date", format_datetime(date)),
            header("Message-ID", id),
            header("Auto-Submitted", message.automatic),
            *unsubscribe_headers(message.unsubscribe),
            header("MIME-Version", "1.0"),
        ]
    except ValueError as error:
        raise Invalid(str(error)) from error
    text = _text_part(message.text)
    if not message.attachments:
        return b"".join((*lines, text))
    # The parts are in base64 or quoted-printable, which cannot contain a boundary with this prefix.
    edge = f"=_{sha256(id.encode()).hexdigest()[:24]}"
    parts = (text, *(file_part(one.media, one.body, one.name) for one in message.attachments))
    kind = header("Content-Type", f'multipart/mixed; boundary="{edge}"')
    between = f"\r\n--{edge}\r\n".encode()
    return b"".join((*lines, kind, *(between + part for part in parts), f"\r\n--{edge}--\r\n".encode()))


def _text_part(text: str) -> bytes:
    """Return a text part that no relay changes, so that signatures stay valid: quoted if necessary."""
    body = re.sub(r"\r\n|\r", "\n", text).encode("utf-8", "replace")
    is_plain = PRINTABLE.fullmatch(body) and max(map(len, body.split(b"\n"))) <= LONGEST_LINE
    coding = "7bit" if is_plain else "quoted-printable"
    sent = (body if is_plain else quopri.encodestring(body)).replace(b"\n", b"\r\n")
    charset = "us-ascii" if is_plain else "utf-8"
    head = header("Content-Type", f'text/plain; charset="{charset}"')
    end = b"" if sent.endswith(b"\r\n") else b"\r\n"
    return head + header("Content-Transfer-Encoding", coding) + b"\r\n" + sent + end


def _thread(name: str, ids: Sequence[str]) -> Iterator[bytes]:
    """Yield a header of message ids, one per line, as they cannot be folded.

    They are untrusted: invalid ones are left out.
    """
    whole = [id for id in ids[-MOST_IDS:] if IDENTITY.fullmatch(id)]
    if whole:
        lines = "\r\n ".join(whole)
        yield f"{name}: {lines}\r\n".encode("ascii")


@dataclass(frozen=True, slots=True)
class MessageHead:
    """The head of a mail: its sender, subject and time."""

    sender: str
    reply_to: str
    subject: str
    date: datetime
    automatic: bool = False


def dump_message(head: MessageHead, page: bytes) -> bytes:
    """Encode a mail: one line with its head, then the rendered page."""
    fields = {
        "sender": head.sender,
        "reply_to": head.reply_to,
        "subject": head.subject,
        "date": head.date.isoformat(),
        "automatic": head.automatic,
    }
    return orjson.dumps(fields) + b"\n" + page


def load_message(kept: bytes, address: str) -> MailMessage:
    """Decode the mail of `dump_message`, sent from an address of the service."""
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
