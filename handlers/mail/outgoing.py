"""Outgoing mail: `.eml` files in an outbox folder, or messages queued for a relay."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from email.utils import make_msgid
from hashlib import sha256
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import Keeper, keeper_of
from handlers.identity.credentials import tail
from handlers.services.mails.service_message import ServiceMessage, message_bytes
from handlers.services.world import Post
from handlers.settings.settings import Settings, SettingsError
from vfs.cause import DONE
from vfs.errors import Invalid, Unavailable
from vfs.ports.clock import Clock, stamp
from vfs.ports.mails import MessageQueue

SECONDS = 10.0
PORTS = {"smtp": 25, "smtps": 465}

done = logging.getLogger(DONE)


def post_of(settings: Settings, clock: Clock, messages: MessageQueue) -> Post:
    """Return the outgoing mail for the settings. Raises SettingsError for a malformed relay address."""
    if not settings.smtp:
        return Outbox(settings.folder / "outbox", settings.mail_from, clock)
    Relay(settings.smtp)
    return QueuedPost(messages, settings.mail_from, clock)


class Outbox:
    """Writes each mail to a file named by its time, in one step for readers."""

    def __init__(self, folder: Path, sender: str, clock: Clock) -> None:
        self._folder = folder
        self._keeper = keeper_of(folder)
        self._sender = sender
        self._clock = clock

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        """Write one mail. Raises Unavailable if the folder is not writable."""
        name = f"{stamp(self._clock.now()).replace(':', '')}-{tail()}.eml"
        message = ServiceMessage(to, subject, text, unsubscribe=unsubscribe)
        written = _message(self._sender, message, self._clock)[1]
        _write_file(self._keeper, self._folder / name, written)
        done.info("the mail %s is in the outbox", name)


class QueuedPost:
    """Queues each mail in the transaction that requests it, until a relay accepts it."""

    def __init__(self, messages: MessageQueue, sender: str, clock: Clock) -> None:
        self._messages = messages
        self._sender = sender
        self._clock = clock

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        """Queue one mail in the current transaction. Raises Unavailable for an invalid address."""
        message = ServiceMessage(to, subject, text, unsubscribe=unsubscribe)
        self._messages.enqueue(to, *_message(self._sender, message, self._clock))


class Relay:
    """Connects to an SMTP server, `smtp://[user:password@]host[:port]` or `smtps://…`.

    The first is encrypted if the server offers it, the second from the start. Raises SettingsError if the
    address is malformed.
    """

    def __init__(self, url: str) -> None:
        self._url = _relay(url)

    def connect(self, patience: float = SECONDS) -> smtplib.SMTP:
        """Return an encrypted and authenticated connection with a time limit for responses.

        Raises OSError and SMTPException.
        """
        url = self._url
        host, port = url.hostname or "", url.port or PORTS[url.scheme]
        trust = ssl.create_default_context()
        if url.scheme == "smtps":
            relay: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=trust)
        else:
            relay = smtplib.SMTP(host, port, timeout=SECONDS)
        try:
            relay.ehlo_or_helo_if_needed()
            if url.scheme == "smtp" and relay.has_extn("starttls"):
                relay.starttls(context=trust)
            if url.username:
                relay.login(unquote(url.username), unquote(url.password or ""))
            if relay.sock is not None:
                relay.sock.settimeout(patience)
        except BaseException:
            relay.close()
            raise
        return relay


def _message(sender: str, message: ServiceMessage, clock: Clock) -> tuple[str, bytes]:
    """Return the Message-ID and the bytes of a plain text mail. Raises Unavailable for an invalid address."""
    id = make_msgid(domain=sender.rpartition("@")[2] or "localhost")
    try:
        return id, message_bytes(message, sender, id, clock.now())
    except Invalid as error:
        raise Unavailable(error.detail) from error


def _write_file(keeper: Keeper, path: Path, message: bytes) -> None:
    """Write a mail to its file in the outbox. Raises Unavailable if the folder is not writable."""
    try:
        with keeper.acting():
            make_folder(path.parent)
            place_file(path, message, mode=0o666)
    except OSError as error:
        said = f"the mail could not be written to {path.parent.name}: {error.strerror}"
        raise Unavailable(said) from error


def _relay(url: str) -> SplitResult:
    try:
        found = urlsplit(url)
        usable = found.scheme in PORTS and bool(found.hostname) and found.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(
            "the setting smtp is smtp://HOST:PORT or smtps://HOST:PORT, "
            "with user:password@ before HOST when the relay asks for it"
        )
    return found


def is_final(code: int) -> bool:
    """Return whether a relay's response about a recipient is final."""
    return 500 <= code < 600


LONGEST_WORDS = 200
PATIENCE = 600.0
"""Seconds to wait for a response; with less, a message may be sent twice (RFC 5321, 4.5.3.2)."""

Deliver = Callable[[str, str, bytes], None]
"""Sends a message: its address, its Message-ID and its bytes.

Raises RelayRefusal, and Unavailable if the relay is not available.
"""
RelaySession = Callable[[], AbstractContextManager[Deliver]]
"""Begins a session in which messages are sent. Raises Unavailable."""


class RelayRefusal(Exception):
    """Raised for a message that a relay refused, with its code (RFC 5321, 4.2) and text."""

    def __init__(self, code: int, words: bytes | str) -> None:
        said = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
        super().__init__(f"{code} {' '.join(said.split())}"[:LONGEST_WORDS])
        self.code = code


def relay_session(settings: Settings) -> RelaySession:
    """Return the sessions for the relay of the settings. Raises SettingsError for a malformed address."""
    if not settings.smtp:
        return lambda: _folder_session(settings.folder / "outbox")
    relay = Relay(settings.smtp)
    return lambda: _smtp_session(relay, settings.mail_bounces or settings.mail_from)


@contextmanager
def _folder_session(folder: Path) -> Iterator[Deliver]:
    """Open a session that writes files named by Message-ID, so that a repeated message is one file."""
    keeper = keeper_of(folder)

    def deliver(address: str, message_id: str, message: bytes) -> None:
        name = f"mail-{sha256(message_id.encode()).hexdigest()[:32]}.eml"
        _write_file(keeper, folder / name, message)

    yield deliver


@contextmanager
def _smtp_session(relay: Relay, bounces: str) -> Iterator[Deliver]:
    """Open a session with an SMTP server; `bounces` is the address for reports of failures."""
    try:
        connection = relay.connect(patience=PATIENCE)
    except smtplib.SMTPException as error:
        raise Unavailable(f"the relay accepts nothing: {error}"[:LONGEST_WORDS]) from error
    except OSError as error:
        raise Unavailable(f"the relay is not available: {error}"[:LONGEST_WORDS]) from error

    def deliver(address: str, message_id: str, message: bytes) -> None:
        try:
            connection.sendmail(bounces, [address], message)
        except smtplib.SMTPRecipientsRefused as refused:
            raise RelayRefusal(*next(iter(refused.recipients.values()))) from refused
        except smtplib.SMTPResponseException as refused:
            raise RelayRefusal(refused.smtp_code, refused.smtp_error) from refused
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise Unavailable(f"the connection to the relay failed: {error}"[:LONGEST_WORDS]) from error

    try:
        yield deliver
    finally:
        with suppress(OSError, smtplib.SMTPException):
            connection.quit()
        connection.close()
