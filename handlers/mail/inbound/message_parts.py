"""Parts of an inbound message: its texts and attachments, whatever they are packed in, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from handlers.mail.inbound.file_names import free_name, one_line
from handlers.mail.inbound.from_address import listed_addresses, one_address
from handlers.mail.inbound.message_bounds import RefusedMessage, check_bounds

DEEPEST, MOST_PARTS = 20, 500
LONGEST_WORDS = 2_000
SINGLE = ("from", "sender", "to", "cc", "subject", "date", "message-id", "content-type", "mime-version",
          "content-transfer-encoding", "reply-to", "in-reply-to", "references")  # fmt: skip
"""Headers that a message has at most once (RFC 5322, 3.6): of two, programs pick either."""


@dataclass(frozen=True, slots=True)
class InboundAttachment:
    """A file of a message, by a name that is one of a folder and like no other of the message."""

    name: str
    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message as jobs are given it: `sender` is the one address of its From header."""

    raw: bytes
    sender: str
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    subject: str = ""
    date: str = ""
    message_id: str = ""
    text: str = ""
    html: str = ""
    attachments: tuple[InboundAttachment, ...] = ()
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def header(self, name: str) -> str:
        """The first header of a name, in small letters, or ""."""
        return next((value for key, value in self.headers if key == name), "")


def read_message(raw: bytes) -> InboundMessage:
    """The message in these bytes. Raises RefusedMessage beyond bounds and where its sender is in doubt."""
    check_bounds(raw)
    message = message_from_bytes(raw, policy=policy.compat32)
    headers = tuple((key.strip().lower(), str(value)) for key, value in message.raw_items())
    _check_headers(headers)
    sender = one_address(next(value for key, value in headers if key == "from"))
    if not sender:
        raise RefusedMessage("its From header is not one address that all programs read alike")
    return _with_parts(raw, sender, headers, message)


def _check_headers(headers: tuple[tuple[str, str], ...]) -> None:
    names = [key for key, _ in headers]
    if names.count("from") != 1:
        raise RefusedMessage(f"it has {names.count('from')} From headers")
    twice = next((name for name in SINGLE if names.count(name) > 1), "")
    if twice:
        raise RefusedMessage(f"it has more than one {twice} header")


def _with_parts(
    raw: bytes, sender: str, headers: tuple[tuple[str, str], ...], message: Message
) -> InboundMessage:
    texts = {"text/plain": "", "text/html": ""}
    files: list[InboundAttachment] = []
    names: set[str] = set()
    for count, part in enumerate(_leaves(message, 0), 1):
        if count > MOST_PARTS:
            raise RefusedMessage(f"it has more than {MOST_PARTS} parts")
        media, body, filename = part.get_content_type(), _body(part), _file_name(part)
        if media in texts and not texts[media] and not filename and not _is_attached(part):
            texts[media] = _decode_text(part, body)
        else:
            files.append(InboundAttachment(free_name(_words(filename), len(files) + 1, names), media, body))
    known = dict(reversed(headers))
    return InboundMessage(
        raw, sender, listed_addresses(known.get("to", "")), listed_addresses(known.get("cc", "")),
        _words(known.get("subject", "")), _words(known.get("date", "")),
        one_line(known.get("message-id", "")[:LONGEST_WORDS]),
        texts["text/plain"], texts["text/html"], tuple(files), headers,
    )  # fmt: skip


def _leaves(message: Message, depth: int) -> Iterator[Message]:
    """The parts that hold bytes; a message within this one is one of them."""
    if depth > DEEPEST:
        raise RefusedMessage(f"its parts lie more than {DEEPEST} deep in one another")
    parts = message.get_payload() if message.is_multipart() else []
    within = [part for part in parts if isinstance(part, Message)]
    if message.get_content_maintype() == "multipart" and within:
        for part in within:
            yield from _leaves(part, depth + 1)
        return
    for part in within:
        for _ in _leaves(part, depth + 1):
            pass
    yield message


def _body(part: Message) -> bytes:
    try:
        if part.is_multipart():
            inner = part.get_payload(0)
            return inner.as_bytes() if isinstance(inner, Message) else b""
        body = part.get_payload(decode=True)
    except (LookupError, ValueError, TypeError, MessageError):
        return b""
    return body if isinstance(body, bytes) else b""


def _file_name(part: Message) -> str:
    try:
        return part.get_filename() or ""
    except (LookupError, ValueError, TypeError, MessageError):
        return ""


def _decode_text(part: Message, body: bytes) -> str:
    try:
        text = body.decode(part.get_content_charset() or "utf-8", "replace")
    except (LookupError, ValueError, TypeError, MessageError):
        text = body.decode("latin-1")
    return text.replace("\r\n", "\n")


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _words(value: str) -> str:
    """The words of a header, decoded, on one line."""
    value = value[:LONGEST_WORDS]
    with suppress(LookupError, ValueError, MessageError):
        value = str(make_header(decode_header(value)))
    return one_line(value)
