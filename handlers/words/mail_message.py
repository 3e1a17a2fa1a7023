"""Messages: a rendered mail, and the bytes for a relay, RFC 5322 and MIME.

Only the recipient's data differs between messages; the rest is made once. Contents are in base 64, so that
they contain no boundary and no long line.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256

from handlers.words.mail_headers import address_header, base64_part, header, words_header

UNSUBSCRIBE = "https://unsubscribe.invalid/recipient"
"""Placeholder in a mail for the recipient's address to unsubscribe."""
NO_SUBJECT = "No subject"
MODES = {"novem-light": "light", "novem-dark": "dark"}
"""Themes with only one mode; every other theme follows the reader's preference."""


@dataclass(frozen=True, slots=True)
class MailPicture:
    """A picture within a message: its name, bytes, media type and size in pixels of the page."""

    name: str
    body: bytes
    media: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class MailPage:
    """A mail as HTML, its attached pictures, and notes for its writer."""

    html: str
    pictures: tuple[MailPicture, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MailSender:
    """The sender of a mail: a name, the service's address, and the reply address, or ""."""

    name: str
    address: str
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class MessageRecipient:
    """One recipient of a mail: the address, the message id, and the address to unsubscribe, or ""."""

    address: str
    message_id: str
    unsubscribe: str = ""


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A mail to send: its text as HTML and plain, and its pictures.

    An `automatic` one was not sent by a person, so that absence notices do not answer it.
    """

    sender: MailSender
    subject: str
    html: str
    text: str
    pictures: tuple[MailPicture, ...] = ()
    date: datetime | None = None
    automatic: bool = False
    language: str = "en"

    def for_recipient(self, delivery: MessageRecipient) -> bytes:
        """Return the message to one recipient. Raises ValueError for an invalid address."""
        seed = sha256(delivery.message_id.encode()).hexdigest()[:24]
        outer, inner = f"=_a{seed}", f"=_r{seed}"
        html = self.html.replace(UNSUBSCRIBE, delivery.unsubscribe)
        text = self.text.replace(UNSUBSCRIBE, delivery.unsubscribe)
        head = self._head(delivery, outer)
        pieces = [
            head, f"--{outer}\r\n".encode(),
            base64_part("text/plain; charset=utf-8", text.replace("\n", "\r\n").encode()),
            f"--{outer}\r\n".encode(), *self._page_parts(inner, html), f"--{outer}--\r\n".encode(),
        ]  # fmt: skip
        return b"".join(pieces)

    def _page_parts(self, boundary: str, html: str) -> Iterator[bytes]:
        page = base64_part("text/html; charset=utf-8", html.encode())
        if not self.pictures:
            yield page
            return
        kind = f'multipart/related; type="text/html"; boundary="{boundary}"'
        yield f"Content-Type: {kind}\r\n\r\n--{boundary}\r\n".encode() + page
        for picture in self.pictures:
            yield f"--{boundary}\r\n".encode() + _picture(picture)
        yield f"--{boundary}--\r\n".encode()

    def _head(self, delivery: MessageRecipient, boundary: str) -> bytes:
        lines = [
            address_header("From", self.sender.address, self.sender.name),
            address_header("To", delivery.address),
            words_header("Subject", self.subject) or words_header("Subject", NO_SUBJECT),
        ]
        if self.date is not None:
            lines.append(header("Date", format_datetime(self.date)))
        lines.append(header("Message-ID", delivery.message_id))
        if self.sender.reply_to:
            lines.append(address_header("Reply-To", self.sender.reply_to))
        if self.automatic:
            lines.append(header("Auto-Submitted", "auto-generated"))
        lines += header("Content-Language", self.language), header("MIME-Version", "1.0")
        kind = f'multipart/alternative; boundary="{boundary}"'
        return b"".join(
            (*lines, *unsubscribe_headers(delivery.unsubscribe), header("Content-Type", kind), b"\r\n")
        )


def message_id(mail: str, sending: str, address: str, domain: str) -> str:
    """Return the id of a message, which is the same whenever this sending is repeated for a recipient."""
    digest = sha256("\0".join((mail, sending, address.lower())).encode()).hexdigest()[:32]
    return f"<{digest}@{domain}>"


def unsubscribe_headers(address: str) -> Iterator[bytes]:
    """Yield the headers for unsubscribing with one click (RFC 8058)."""
    if address:
        yield header("List-Unsubscribe", f"<{address}>")
        yield header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")


def _picture(picture: MailPicture) -> bytes:
    name, ending = picture.name.partition("@")[0][:12], picture.media.rpartition("/")[2]
    more = f'Content-ID: <{picture.name}>\r\nContent-Disposition: inline; filename="{name}.{ending}"\r\n'
    return base64_part(picture.media, picture.body, more)


def dump_page(page: MailPage, text: str, title: str = "") -> str:
    """Return a mail, its text and the title in its front matter as JSON; bytes are in base 64."""
    pictures = [
        [one.name, base64.b64encode(one.body).decode(), one.media, one.width, one.height]
        for one in page.pictures
    ]
    fields = {"html": page.html, "text": text, "pictures": pictures, "notes": page.notes, "title": title}
    return json.dumps(fields)


def title_of_page(dumped: bytes) -> str:
    """Return the title from JSON, in one line."""
    return " ".join(json.loads(dumped)["title"].split())


def load_page(dumped: str) -> tuple[MailPage, str]:
    """Return the mail and its text from JSON."""
    fields = json.loads(dumped)
    pictures = tuple(
        MailPicture(name, base64.b64decode(body), media, width, height)
        for name, body, media, width, height in fields["pictures"]
    )
    return MailPage(fields["html"], pictures, tuple(fields["notes"])), fields["text"]
