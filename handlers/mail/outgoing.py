"""Outgoing mail: `.eml` files in an outbox folder, or messages queued for a relay."""

from __future__ import annotations

import logging
import smtplib
import ssl
from email.utils import make_msgid
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import keeper_of
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
    """Return the outgoing mail of the settings. Raises SettingsError for a malformed relay address."""
    if not settings.smtp:
        return Outbox(settings.folder / "outbox", settings.mail_from, clock)
    Relay(settings.smtp)
    return QueuedPost(messages, settings.mail_from, clock)


class Outbox:
    """Writes each mail to a file named by its time; readers never see a part of one."""

    def __init__(self, folder: Path, sender: str, clock: Clock) -> None:
        self._folder = folder
        self._keeper = keeper_of(folder)
        self._sender = sender
        self._clock = clock

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        """Write one mail. Raises Unavailable when the folder is not writable."""
        name = f"{stamp(self._clock.now()).replace(':', '')}-{tail()}.eml"
        message = ServiceMessage(to, subject, text, unsubscribe=unsubscribe)
        written = _message(self._sender, message, self._clock)[1]
        try:
            with self._keeper.acting():
                make_folder(self._folder)
                place_file(self._folder / name, written, mode=0o666)
        except OSError as error:
            raise Unavailable(f"the mail could not be written to {self._folder}: {error.strerror}") from error
        done.info("the mail %s is in the outbox", name)


class QueuedPost:
    """Queues each mail in the transaction that requests it, until a relay accepts it."""

    def __init__(self, messages: MessageQueue, sender: str, clock: Clock) -> None:
        self._messages = messages
        self._sender = sender
        self._clock = clock

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        """Queue one mail in the present transaction. Raises Unavailable for an invalid address."""
        message = ServiceMessage(to, subject, text, unsubscribe=unsubscribe)
        self._messages.enqueue(to, *_message(self._sender, message, self._clock))


class Relay:
    """Connects to an SMTP server, `smtp://[user:password@]host[:port]` or `smtps://…`.

    The first is encrypted if the server offers it, the second from the start. Raises SettingsError when the
    address is malformed.
    """

    def __init__(self, url: str) -> None:
        self._url = _relay(url)

    def connect(self, patience: float = SECONDS) -> smtplib.SMTP:
        """Return an encrypted and authenticated connection with a time limit for answers.

        Raises OSError and SMTPException.
        """
        url = self._url
        host, port = url.hostname or "", url.port or PORTS[url.scheme]
        if url.scheme == "smtps":
            relay: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=_trust())
        else:
            relay = smtplib.SMTP(host, port, timeout=SECONDS)
        try:
            relay.ehlo_or_helo_if_needed()
            if url.scheme == "smtp" and relay.has_extn("starttls"):
                relay.starttls(context=_trust())
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


def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


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
