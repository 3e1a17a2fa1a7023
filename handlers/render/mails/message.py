"""Messages: a mail as the bytes that a relay takes, RFC 5322 and MIME, one for each recipient.

Everything but the addresses of a recipient is made once; what a message is made of goes into it as base 64,
so no boundary can stand in it and no line is too long.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

from handlers.render.mails.mail_pictures import MailPicture

UNSUBSCRIBE = "https://unsubscribe.invalid/recipient"
"""Stands in a mail for the address at which its recipient gets no more of them."""
LONGEST_SUBJECT = 400


class HeaderKinds(HeaderRegistry):
    """The kinds of headers, each one class.

    Python's own makes a class for each header, which only its collector of garbage takes away: memory would
    grow with the recipients until that comes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        kind = self._kinds.get(name)
        if kind is None:
            kind = self._kinds[name] = super().__getitem__(name)
        return kind


HEAD = SMTP.clone(header_factory=HeaderKinds())


@dataclass(frozen=True, slots=True)
class MailSender:
    """The sender of a mail: a name, the service's address, and the one that answers go to, or ""."""

    name: str
    address: str
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class MessageRecipient:
    """One recipient of a mail: the address, the message's identity, and where to unsubscribe, or ""."""

    address: str
    message_id: str
    unsubscribe: str = ""


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A mail that is to be sent: words as HTML and as text, and the pictures that travel with it.

    `automatic`: no person asked for it at this time, so nobody's absence answers it.
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
        """The message to one recipient. Raises ValueError for an address that is none."""
        seed = sha256(delivery.message_id.encode()).hexdigest()[:24]
        outer, inner = f"=_a{seed}", f"=_r{seed}"
        html = self.html.replace(UNSUBSCRIBE, delivery.unsubscribe)
        text = self.text.replace(UNSUBSCRIBE, delivery.unsubscribe)
        head = self._head(delivery, outer)
        pieces = [
            head, f"--{outer}\r\n".encode(),
            _part("text/plain; charset=utf-8", text.replace("\n", "\r\n").encode()),
            f"--{outer}\r\n".encode(), *self._page_parts(inner, html), f"--{outer}--\r\n".encode(),
        ]  # fmt: skip
        return b"".join(pieces)

    def _page_parts(self, boundary: str, html: str) -> Iterator[bytes]:
        page = _part("text/html; charset=utf-8", html.encode())
        if not self.pictures:
            yield page
            return
        kind = f'multipart/related; type="text/html"; boundary="{boundary}"'
        yield f"Content-Type: {kind}\r\n\r\n--{boundary}\r\n".encode() + page
        for picture in self.pictures:
            yield f"--{boundary}\r\n".encode() + _picture(picture)
        yield f"--{boundary}--\r\n".encode()

    def _head(self, delivery: MessageRecipient, boundary: str) -> bytes:
        message = EmailMessage(policy=HEAD)
        message["From"] = Address(_line(self.sender.name), addr_spec=self.sender.address)
        message["To"] = Address(addr_spec=delivery.address)
        message["Subject"] = _line(self.subject)[:LONGEST_SUBJECT] or "No subject"
        if self.date is not None:
            message["Date"] = format_datetime(self.date)
        message["Message-ID"] = delivery.message_id
        if self.sender.reply_to:
            message["Reply-To"] = Address(addr_spec=self.sender.reply_to)
        if self.automatic:
            message["Auto-Submitted"] = "auto-generated"
        message["Content-Language"] = self.language
        message["MIME-Version"] = "1.0"
        head = message.as_bytes(policy=HEAD).rstrip(b"\r\n")
        kind = f'Content-Type: multipart/alternative; boundary="{boundary}"\r\n\r\n'
        return head + f"\r\n{_unsubscribe(delivery.unsubscribe)}{kind}".encode("ascii")


def message_id(mail: str, sending: str, address: str, domain: str) -> str:
    """The identity of a message, the same whenever it is made again for one recipient of one sending."""
    digest = sha256("\0".join((mail, sending, address.lower())).encode()).hexdigest()[:32]
    return f"<{digest}@{domain}>"


def _unsubscribe(address: str) -> str:
    """The headers by which one click ends such mails (RFC 8058); an address stays whole."""
    if not address:
        return ""
    return f"List-Unsubscribe:\r\n <{address}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"


def _picture(picture: MailPicture) -> bytes:
    name, ending = picture.name.partition("@")[0][:12], picture.media.rpartition("/")[2]
    more = f'Content-ID: <{picture.name}>\r\nContent-Disposition: inline; filename="{name}.{ending}"\r\n'
    return _part(picture.media, picture.body, more)


def _part(media: str, body: bytes, more: str = "") -> bytes:
    head = f"Content-Type: {media}\r\nContent-Transfer-Encoding: base64\r\n{more}\r\n".encode()
    return head + base64.encodebytes(body).replace(b"\n", b"\r\n")


def _line(words: str) -> str:
    """Words as a header holds them: on one line, without signs of control."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
