"""Verification of a sender: a DKIM signature (RFC 6376) or SPF (RFC 7208) of the author's domain.

Headers with the results of others, such as Authentication-Results, are ignored.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dkim
import spf

from handlers.mail.inbound.message_parts import InboundMessage
from handlers.mail.inbound.name_records import NameRecords
from vfs.ports.inbound import InboundMail

MOST_SIGNATURES = 5
LEAST_KEY, LONGEST_KEY = 1_024, 1_500
"""Least bits of a key, and most bytes of its record, because large keys are slow."""
LONGEST_SIGNATURE = 4_000
SECONDS = 20.0
STRONG = b"rsa-sha256"
SIGNED = frozenset({b"from", b"to", b"cc", b"subject", b"date", b"message-id"})
"""Headers that a signature must cover if the message has them."""
BLANKS = re.compile(r"\s{33,}")
TESTING = re.compile(rb";\s*t\s*=\s*+(?:[^;]*:)?\s*y\b")
HASHES = re.compile(rb";\s*h\s*=([^;]*)")
NOBODY = {4: "240.0.0.1", 6: "100::1"}
"""Addresses that no server has: SPF records that name one of them match everything."""

silent = logging.getLogger("curlew.dkim")
silent.setLevel(logging.CRITICAL + 1)


@dataclass(frozen=True, slots=True)
class MailEnvelope:
    """The envelope of a message: the peer's address and name, and the sender and recipients."""

    peer: str
    hello: str
    sender: str
    recipients: tuple[str, ...] = ()

    @property
    def json(self) -> str:
        """The envelope to store with its message."""
        return json.dumps({"peer": self.peer, "hello": self.hello[:255], "sender": self.sender[:320]})


def envelope_of(mail: InboundMail) -> MailEnvelope:
    """Return the envelope of a stored mail."""
    written = json.loads(mail.envelope)
    return MailEnvelope(written["peer"], written["hello"], written["sender"], (mail.address,))


@dataclass(frozen=True, slots=True)
class SenderProof:
    """The proof of a sender: `dkim`, `spf` or "" for none, with the domain or the reasons.

    It is `unsure` if a name server did not respond, so that a later attempt may succeed.
    """

    by: str
    words: str
    unsure: bool = False


def prove_sender(
    message: InboundMessage,
    envelope: MailEnvelope,
    names: NameRecords,
    *,
    by_signature: bool = True,
    by_envelope: bool = True,
) -> SenderProof:
    """Verify the From address, by DKIM or by SPF."""
    watch = _AnswerWatch(names, time.monotonic() + SECONDS)
    reasons: list[str] = []
    if by_signature and (domain := _signed_by(message, watch, reasons)):
        return SenderProof("dkim", domain)
    if by_envelope and (domain := _sent_by(message, envelope, watch, reasons)):
        return SenderProof("spf", domain)
    return SenderProof("", "; ".join(reasons) or "no proof of a sender is requested", watch.unsure)


@dataclass(slots=True)
class _AnswerWatch:
    """Looks up records until a deadline, and records whether a server did not respond."""

    names: NameRecords
    until: float
    unsure: bool = False

    def records(self, name: str, kind: str) -> Sequence[Any]:
        """Return records as NameRecords does. Raises OSError."""
        try:
            if time.monotonic() > self.until:
                raise OSError("the look-ups of names take too long")
            return self.names.records(name, kind)
        except OSError:
            self.unsure = True
            raise

    def key(self, name: bytes, timeout: int = 5) -> bytes | None:
        """Return the record of a key that is not in test mode and not too large."""
        found = self.records(name.decode("ascii", "replace").rstrip("."), "TXT")
        if len(found) != 1 or len(found[0]) > LONGEST_KEY or TESTING.search(b";" + found[0]):
            return None
        hashes = HASHES.search(b";" + found[0])
        if hashes is not None and b"sha256" not in hashes[1].replace(b" ", b"").split(b":"):
            return None
        return bytes(found[0])


def _signed_by(message: InboundMessage, names: _AnswerWatch, reasons: list[str]) -> str:
    """Return the domain of the first valid and aligned signature, or ""."""
    author = message.sender.rpartition("@")[2]
    signatures = [value for key, value in message.headers if key == "dkim-signature"]
    if any(len(value) > LONGEST_SIGNATURE or BLANKS.search(value) for value in signatures):
        reasons.append("a signature is too long")
        return ""
    for index in range(min(len(signatures), MOST_SIGNATURES)):
        reader = dkim.DKIM(message.raw, logger=silent, minkey=LEAST_KEY)
        try:
            reader.verify_headerprep(index)
            fault = _fault_of(reader, message, author)
            if not fault and not reader.verify(idx=index, dnsfunc=names.key):
                fault = "a signature is not valid"
        # The library may raise anything for malformed input.
        except Exception as error:
            fault = f"a signature is malformed or not valid: {type(error).__name__}"
        if not fault:
            return author
        reasons.append(fault)
    if not signatures:
        reasons.append("it is not signed")
    return ""


def _fault_of(reader: Any, message: InboundMessage, author: str) -> str:
    """Return why even a valid signature proves nothing here, or ""."""
    fields = reader.signature_fields
    domain = reader.domain.decode("ascii", "replace").lower()
    if domain != author:
        return f"it is signed by {domain[:80]}, not by {author}"
    if b"l" in fields:
        return "its signature does not cover all of the text (l=)"
    if fields[b"a"] != STRONG:
        return "its signature uses an algorithm that is too weak or not supported"
    if b"x" in fields and int(fields[b"x"]) < time.time():
        return "its signature has expired"
    present = {key.encode("ascii", "replace") for key, _ in message.headers}
    left = sorted(name.decode() for name in SIGNED & present - set(reader.include_headers))
    return f"its signature does not cover {', '.join(left)}" if left else ""


def _sent_by(message: InboundMessage, envelope: MailEnvelope, names: _AnswerWatch, reasons: list[str]) -> str:
    """Return the envelope's domain if SPF passes for the peer and it is the author's, or ""."""
    domain = envelope.sender.strip("<> ").rpartition("@")[2].lower()
    author = message.sender.rpartition("@")[2]
    if domain != author:
        reasons.append(f"its envelope is of {domain[:80] or 'nobody'}, not of {author}")
        return ""
    if not _is_elsewhere(envelope.peer):
        reasons.append("it is not known from which server it came")
        return ""
    result = _result_of(envelope, envelope.peer, names)
    if result == "pass":
        other = _result_of(envelope, NOBODY[4 if "." in envelope.peer else 6], names)
        if other in ("fail", "softfail", "neutral", "permerror"):
            return domain
        result = "pass of everybody, and so nothing" if other == "pass" else other
    reasons.append(f"the records of {domain[:80]} say {result} of {re.sub('[^0-9a-f.:]', '', envelope.peer)}")
    return ""


def _result_of(envelope: MailEnvelope, peer: str, names: _AnswerWatch) -> str:
    """Return the SPF result of an envelope's domain for a server."""
    try:
        return str(_query(envelope, peer, names).check()[0])
    except Exception as error:
        return f"nothing certain ({type(error).__name__})"


def _is_elsewhere(peer: str) -> bool:
    """Return whether an address may be a sender's, and not this machine's, which only forwards mails."""
    try:
        found = ipaddress.ip_address(peer)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return not (found.is_loopback or found.is_unspecified or found.is_link_local)


def _query(envelope: MailEnvelope, peer: str, names: _AnswerWatch) -> Any:
    """Return the SPF library's query, which looks up records through the given port."""

    class PortQuery(spf.query):  # type: ignore[misc]
        def dns(self, name: str, qtype: str, cnames: object = None, ignore_void: bool = False) -> list[Any]:
            try:
                found = list(names.records(str(name).rstrip(".").lower(), qtype)) if name else []
            except OSError as error:
                raise spf.TempError(str(error)) from error
            if not found and not ignore_void:
                self.void_lookups += 1
                if self.void_lookups > spf.MAX_VOID_LOOKUPS:
                    raise spf.PermError(f"more than {spf.MAX_VOID_LOOKUPS} lookups found nothing")
            return [(record,) for record in found] if qtype == "TXT" else found

    return PortQuery(
        i=peer,
        s=envelope.sender.strip("<> "),
        h=envelope.hello or "unknown",
        timeout=5,
        querytime=SECONDS,
    )
