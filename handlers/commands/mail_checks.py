"""Checks of mails for `curlew doctor`: the relay, and whether outgoing mails are signed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import dns.exception
import dns.resolver

from chains.host.doctor import DoctorCheck
from handlers.mail.dkim_signing import DkimKey, dkim_key_of
from handlers.settings.settings import Settings, SettingsError

SECONDS = 4.0
TextRecords = Callable[[str], list[str]]
"""Returns the TXT records of a name. Raises LookupError with the reason if there are none."""


def check_mails(settings: Settings, records: TextRecords | None = None) -> Iterator[DoctorCheck]:
    """Check the relay's setting and the signing key, with its record in the DNS."""
    if not settings.smtp:
        yield DoctorCheck("mail", True, f"no relay is set: mails are laid into {settings.folder / 'outbox'}")
    if settings.mail_domain:
        yield _listener_check(settings)
    try:
        key = dkim_key_of(settings)
    except SettingsError as error:
        yield DoctorCheck("dkim", False, str(error), "correct it, or take dkim_key and dkim_selector away")
        return
    if key is not None:
        yield _record_check(key, records or text_records)
    elif settings.smtp:
        advice = "let dkim_key and dkim_selector name a key, unless the relay signs"
        yield DoctorCheck("dkim", True, "mails leave without a signature of this service", advice, True)


def _listener_check(settings: Settings) -> DoctorCheck:
    """Check the listener of mails to groups."""
    host, _, port = settings.mail_in.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS):
            return DoctorCheck("mail-in", True, f"mails to groups are taken at {settings.mail_in}")
    except (OSError, ValueError, OverflowError):
        detail = f"nothing takes mails to groups at {settings.mail_in}"
        return DoctorCheck("mail-in", True, detail, "start curlew mail-in, unless they come by a pipe", True)


def _record_check(key: DkimKey, records: TextRecords) -> DoctorCheck:
    """Compare the key with its record in the DNS."""
    advice = f'publish the TXT record of {key.record_name}: "{key.record}"'
    try:
        found = records(key.record_name)
    except LookupError as error:
        return DoctorCheck("dkim", True, f"{key.record_name} was not found: {error}", advice, True)
    wanted = key.record.partition("p=")[2]
    if any(_tag(one, "p") == wanted for one in found):
        return DoctorCheck("dkim", True, f"mails are signed for {key.domain}, as {key.record_name} says")
    detail = f"{key.record_name} has another key, so that signatures are not believed"
    return DoctorCheck("dkim", False, detail, advice)


def _tag(record: str, name: str) -> str:
    """Return the value of a tag of a record, without blanks (RFC 6376, 3.2)."""
    tags = dict(part.partition("=")[::2] for part in "".join(record.split()).split(";"))
    return tags.get(name, "")


def text_records(name: str) -> list[str]:
    """Return the TXT records of a name. Raises LookupError with the reason if there are none."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=SECONDS)
    except (dns.exception.DNSException, OSError) as error:
        raise LookupError(str(error)[:150]) from error
    return [b"".join(one.strings).decode("utf-8", "replace") for one in answer]
