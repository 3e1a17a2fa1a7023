"""The relay that accepts messages."""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import keeper_of
from handlers.mail.outgoing import Relay
from handlers.settings.settings import Settings
from vfs.errors import Unavailable


def is_final(code: int) -> bool:
    """Return whether a relay's answer about a recipient is final."""
    return 500 <= code < 600


LONGEST_WORDS = 200
PATIENCE = 600.0
"""Seconds to wait for an answer: a client that leaves earlier sends the message twice (RFC 5321, 4.5.3.2)."""

Deliver = Callable[[str, str, bytes], None]
"""Sends a message: its address, its Message-ID and its bytes.

Raises RelayRefusal, and Unavailable when the relay is away.
"""
RelaySession = Callable[[], AbstractContextManager[Deliver]]
"""Begins a session in which messages are sent. Raises Unavailable when it cannot."""


class RelayRefusal(Exception):
    """Raised for a message that a relay refused, with its code (RFC 5321, 4.2) and text."""

    def __init__(self, code: int, words: bytes | str) -> None:
        said = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
        super().__init__(f"{code} {' '.join(said.split())}"[:LONGEST_WORDS])
        self.code = code


def relay_session(settings: Settings) -> RelaySession:
    """Return the relay of the settings. Raises SettingsError for a malformed address."""
    if not settings.smtp:
        return lambda: _folder_session(settings.folder / "outbox")
    relay = Relay(settings.smtp)
    return lambda: _smtp_session(relay, settings.mail_bounces or settings.mail_from)


@contextmanager
def _folder_session(folder: Path) -> Iterator[Deliver]:
    """Open a session that writes files named by Message-ID: a repeated message is the same file."""
    keeper = keeper_of(folder)

    def deliver(address: str, message_id: str, message: bytes) -> None:
        name = f"mail-{sha256(message_id.encode()).hexdigest()[:32]}.eml"
        try:
            with keeper.acting():
                make_folder(folder)
                place_file(folder / name, message, mode=0o666)
        except OSError as error:
            raise Unavailable(f"it could not be written to {folder.name}: {error.strerror}") from error

    yield deliver


@contextmanager
def _smtp_session(relay: Relay, bounces: str) -> Iterator[Deliver]:
    """Open a session with an SMTP server; `bounces` is the address for reports of failures."""
    try:
        connection = relay.connect(patience=PATIENCE)
    except smtplib.SMTPException as error:
        raise Unavailable(f"the relay takes nothing: {error}"[:LONGEST_WORDS]) from error
    except OSError as error:
        raise Unavailable(f"the relay is away: {error}"[:LONGEST_WORDS]) from error

    def deliver(address: str, message_id: str, message: bytes) -> None:
        try:
            connection.sendmail(bounces, [address], message)
        except smtplib.SMTPRecipientsRefused as refused:
            raise RelayRefusal(*next(iter(refused.recipients.values()))) from refused
        except smtplib.SMTPResponseException as refused:
            raise RelayRefusal(refused.smtp_code, refused.smtp_error) from refused
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise Unavailable(f"the relay went away: {error}"[:LONGEST_WORDS]) from error

    try:
        yield deliver
    finally:
        with suppress(OSError, smtplib.SMTPException):
            connection.quit()
        connection.close()
