"""Parts of a message: limits on its structure, its text, and its files under safe names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from chains.files.names import refusal
from vfs.normal_form import normalize

LONGEST = 1_000
LONGEST_LOCAL, LONGEST_DOMAIN = 64, 253
LONGEST_LIST = 20_000
# No ! or % in a local part: some servers route such addresses to other hosts.
ADDRESS = re.compile(
    r"([A-Za-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*)"
    r"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)
# A name is atoms or one quoted text. Comments, lists and groups are not allowed: parsers differ on them.
NAMED = re.compile(r'(?:"(?:[^"\\<>\r\n]|\\["\\])*+"|[^"\\<>()@,;:\[\]\r\n]*+)[ \t]*+<([^<>]*)>')
FOLD = re.compile(r"\r?\n(?=[ \t])")
EMPTY_LINE = re.compile(r"(?:^|\n)[ \t]*(?:\r?\n|$)")


def one_address(value: str) -> str:
    """Return the address in a From header, its domain in lower case; "" if it is ambiguous.

    An address with an encoded word is ambiguous, and so is one with letters that look like others.
    """
    line = FOLD.sub("", value).strip(" \t")
    if len(line) > LONGEST or not line.isascii() or any(ord(sign) < 32 and sign != "\t" for sign in line):
        return ""
    if EMPTY_LINE.search(value):
        return ""
    named = NAMED.fullmatch(line)
    found = ADDRESS.fullmatch(named[1] if named else line)
    if found is None or len(found[1]) > LONGEST_LOCAL or len(found[2]) > LONGEST_DOMAIN:
        return ""
    domain = found[2].lower()
    if "=?" in found[1] or any(label.startswith("xn--") for label in domain.split(".")):
        return ""
    return f"{found[1]}@{domain}"


def listed_addresses(value: str) -> tuple[str, ...]:
    """Return the unambiguous addresses in a To or Cc header, each once."""
    if len(value) > LONGEST_LIST:
        return ()
    return tuple(dict.fromkeys(found for piece in _pieces(value) if (found := one_address(piece))))


def _pieces(value: str) -> Iterator[str]:
    """Yield the texts between commas outside of quotes."""
    start, quoted, escaped = 0, False, False
    for place, sign in enumerate(value):
        if sign == '"' and not escaped:
            quoted = not quoted
        elif sign == "," and not quoted:
            yield value[start:place].strip()
            start = place + 1
        escaped = sign == "\\" and not escaped
    yield value[start:].strip()


LONGEST_BYTES = 160
UNSAFE = re.compile(r"[!-'*/:-<>?\[-^`{-\x7f\ud800-\udfff]")
# Zero-width joiners are allowed, because some scripts need them.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]+")


def one_line(words: str) -> str:
    """Return text on one line, without characters that change how other text is shown."""
    return " ".join(CONTROL.sub(" ", words.encode("utf-8", "replace").decode()).split())


def free_name(said: str, number: int, others: set[str]) -> str:
    """Return a name for a file, different from `others` ignoring case, and add it to them.

    It is the last part of the given path, without characters that have a meaning in paths or programs, or a
    number if that is not a valid name.
    """
    last = normalize("NFC", re.split(r"[/\\]", said)[-1])
    name = _cut(UNSAFE.sub("_", one_line(last))).lstrip(".- ").rstrip(". ")
    if refusal(name):
        name = f"part-{number}"
    free = name
    while free.casefold() in others:
        free = f"{number}-{name}"
        number += 1
    others.add(free.casefold())
    return free


def _cut(name: str) -> str:
    """Cut a name to a valid length, keeping its end with the type."""
    return name.encode()[-LONGEST_BYTES:].decode(errors="ignore")


MIB = 1024 * 1024
MOST_BYTES = 10 * MIB
MOST_LINES, MOST_CONTAINERS, MOST_EFFORT = 400_000, 64, 3_000_000
MOST_HEADER_BYTES, MOST_HEADERS = 256 * 1024, 1_000
MOST_FIELD, MOST_BLANKS = 4_000, 50_000_000
CONTAINER = re.compile(rb"(?:multipart|message)/", re.IGNORECASE)
FIELD = re.compile(
    rb"^content-(?:type|disposition)[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE
)
HEADER = re.compile(rb"[!-9;-~]+:|[ \t]")
BLANKS = re.compile(rb"[ \t]{64,}")
END = re.compile(rb"\r?\n\r?\n")


class RefusedMessage(Exception):
    """Raised for a message that is refused, with the reason."""


def check_bounds(raw: bytes) -> None:
    """Raise RefusedMessage if a message is slow to parse, or if programs parse it differently."""
    if len(raw) > MOST_BYTES:
        raise RefusedMessage(f"it has more than {MOST_BYTES // MIB} MB")
    if re.search(rb"\r(?!\n)", raw):
        raise RefusedMessage("a line of it ends in a way that programs read differently")
    _check_head(END.split(raw, maxsplit=1)[0])
    lines, containers = raw.count(b"\n"), sum(1 for _ in CONTAINER.finditer(raw))
    if lines > MOST_LINES or containers > MOST_CONTAINERS or lines * containers > MOST_EFFORT:
        raise RefusedMessage("it has too many lines, or messages that are nested too deep")
    if any(len(found[0]) > MOST_FIELD for found in FIELD.finditer(raw)):
        raise RefusedMessage("a header of one of its parts is too long")
    # The check of a signature takes quadratic time for a run of spaces.
    if sum(len(found[0]) ** 2 for found in BLANKS.finditer(raw)) > MOST_BLANKS:
        raise RefusedMessage("it has too many spaces in a row")


def _check_head(head: bytes) -> None:
    if len(head) > MOST_HEADER_BYTES or head.count(b"\n") > MOST_HEADERS:
        raise RefusedMessage("its headers are too long")
    if b"\0" in head:
        raise RefusedMessage("it has a control character in its headers")
    if not all(HEADER.match(line) for line in head.split(b"\n")) or head[:1] in (b" ", b"\t"):
        raise RefusedMessage("one of its header lines is not a header")


DEEPEST, MOST_PARTS = 20, 500
LONGEST_WORDS = 2_000
SINGLE = ("from", "sender", "to", "cc", "subject", "date", "message-id", "content-type", "mime-version",
          "content-transfer-encoding", "reply-to", "in-reply-to", "references")  # fmt: skip
"""Headers that are allowed only once (RFC 5322, 3.6), because programs would use different ones."""


@dataclass(frozen=True, slots=True)
class InboundAttachment:
    """A file of a message, under a safe name that is unique in the message."""

    name: str
    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message as jobs get it; `sender` is the only address in its From header."""

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
        """Return the first header with a name in lower case, or ""."""
        return next((value for key, value in self.headers if key == name), "")


def read_message(raw: bytes) -> InboundMessage:
    """Parse a message. Raises RefusedMessage above limits and if its sender is ambiguous."""
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
        is_text = media in texts and not texts[media] and not filename
        if is_text and part.get_content_disposition() != "attachment":
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
    """Yield the parts that contain bytes; an attached message is one of them."""
    if depth > DEEPEST:
        raise RefusedMessage(f"its parts are nested more than {DEEPEST} deep")
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


def _words(value: str) -> str:
    """Return the decoded text of a header, on one line."""
    value = value[:LONGEST_WORDS]
    with suppress(LookupError, ValueError, MessageError):
        value = str(make_header(decode_header(value)))
    return one_line(value)
