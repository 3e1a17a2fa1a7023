"""DNS records: the servers that may send mails of a domain, and its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import dns.exception
import dns.resolver

from handlers.settings.settings import SettingsError

SECONDS = 5.0
MOST_KEPT = 2_000
MOST_RECORDS = 100

SILENCE = (SettingsError, dns.resolver.NoNameservers, dns.resolver.YXDOMAIN, dns.exception.Timeout)

Record = Any
"""A record: bytes for TXT, a text for A, AAAA and PTR, a number and a name for MX."""


class NameRecords(Protocol):
    """Looks up DNS records."""

    def records(self, name: str, kind: str) -> Sequence[Record]:
        """Return the records of a type, which may be empty. Raises OSError without a response in time."""


class AskedRecords:
    """Answers of a name server, `HOST[:PORT]`, or of this machine's; cached as long as they are valid."""

    def __init__(self, server: str = "") -> None:
        self._resolver = _resolver(server) if server else None

    def records(self, name: str, kind: str) -> Sequence[Record]:
        try:
            self._resolver = self._resolver or _resolver("")
            answer = self._resolver.resolve(name.lower(), kind, search=False, raise_on_no_answer=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return ()
        except SILENCE as error:
            raise OSError(f"there is no response about {name[:100]}: {type(error).__name__}") from error
        except (dns.exception.DNSException, UnicodeError):
            return ()
        return tuple(_value(record, kind) for record in list(answer.rrset or ())[:MOST_RECORDS])


def _resolver(server: str) -> dns.resolver.Resolver:
    """Return a resolver of one server, or of the machine's. Raises SettingsError for a malformed one."""
    try:
        resolver = dns.resolver.Resolver(configure=not server)
        if server:
            host, _, port = server.rpartition(":") if server.count(":") == 1 else (server, "", "53")
            resolver.nameservers, resolver.port = [host], int(port)
    except (dns.exception.DNSException, ValueError) as error:
        raise SettingsError(
            f"the setting name_server is the ADDRESS[:PORT] of a name server: {error}"
        ) from error
    resolver.lifetime, resolver.cache = SECONDS, dns.resolver.LRUCache(MOST_KEPT)
    return resolver


def _value(record: Any, kind: str) -> Record:
    if kind == "TXT":
        return b"".join(record.strings)
    if kind == "MX":
        return record.preference, record.exchange.to_text(omit_final_dot=True)
    return record.target.to_text(omit_final_dot=True) if kind == "PTR" else record.address
