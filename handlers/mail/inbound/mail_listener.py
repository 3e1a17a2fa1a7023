"""Listener for mails by LMTP or SMTP: replies 250 after a mail is stored, and refuses closed addresses."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import secrets
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, syntax

from handlers.mail.inbound.message_parts import MOST_BYTES
from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.services.mails.mail_addresses import group_at
from handlers.services.world import World
from vfs.cause import DONE, REQUEST, caused_by
from vfs.errors import NotFound, VfsError
from vfs.ports.disk import require_disk_space
from vfs.ports.inbound import NewInbound

done = logging.getLogger(DONE)

MEDIA = "message/rfc822"
NO_PLACE = "there is no mailbox of that name here"


def is_open(world: World, address: str) -> bool:
    """Return whether mail to an address is accepted."""
    return group_at(world, address) is not None


def accept_mail(world: World, envelope: MailEnvelope, address: str, raw: bytes) -> int:
    """Store a mail for the group of an address until it is handled; return its number.

    It is durable on return. Raises NotFound if the address is not open, QuotaReached, NoSpace and
    Unavailable, without storing anything.
    """
    group = group_at(world, address)
    if group is None:
        raise NotFound(NO_PLACE)
    require_disk_space(world.service.disk)
    message = world.blobs.add((raw,), MEDIA, group.item.id)
    return world.social.inbound.accept(
        NewInbound(group.item.id, group.ref, address.lower(), envelope.json, message)
    )


def accept_all(world: World, envelope: MailEnvelope, recipients: Collection[str], raw: bytes) -> None:
    """Store a mail for all of its recipients, or for none. Raises as `accept_mail` does.

    The session gets an id, under which the log has everything that the mail causes.
    """
    with caused_by(f"{REQUEST} {secrets.token_hex(16)}"), world.atomic():
        for address in dict.fromkeys(recipient.lower() for recipient in recipients):
            number = accept_mail(world, envelope, address, raw)
            done.info("the mail %d to %s is stored", number, address)


MOST_CONNECTIONS, THREADS = 20, 4
MOST_RECIPIENTS = 50
LONGEST_LINE = 64 * 1024
IDLE_SECONDS, LONGEST_SECONDS = 60.0, 600.0
CALLS = {"*": 20, "MAIL": 100, "RCPT": 500, "DATA": 100, "XFORWARD": 300, "RSET": 100, "NOOP": 100}
NOBODY = f"550 5.1.1 {NO_PLACE}"
LATER = "451 4.3.0 this cannot be accepted now: try again later"
BUSY = b"421 4.3.2 too many connections: try again later\r\n"
ATTRIBUTE = re.compile(r"(?<![A-Z])([A-Z]+)=([!-~]+)")
XTEXT = re.compile(r"\+([0-9A-F]{2})")
UNKNOWN = "[UNAVAILABLE]"

T = TypeVar("T")
log = logging.getLogger("curlew")
logging.getLogger("mail.log").setLevel(logging.CRITICAL)


class MailIntake:
    """Handles the commands of the listener for both protocols."""

    def __init__(
        self, world: World, trusted: Collection[str], most_recipients: int = MOST_RECIPIENTS
    ) -> None:
        self._world = world
        self._trusted = frozenset(trusted)
        self._most = most_recipients
        self._threads = ThreadPoolExecutor(THREADS, "mail-in")
        self.connections = 0

    def close(self) -> None:
        """Wait for mails that are being stored."""
        self._threads.shutdown()

    def may_forward(self, peer: str) -> bool:
        """Return whether a peer may name another client, as this machine and trusted proxies may."""
        try:
            return peer in self._trusted or ipaddress.ip_address(peer).is_loopback
        except ValueError:
            return False

    async def handle_EHLO(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """Offer XFORWARD to trusted peers."""
        session.host_name = hostname
        if self.may_forward(_peer(session)):
            responses.insert(len(responses) - 1, "250-XFORWARD ADDR HELO")
        return responses

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept a recipient whose address is open."""
        if len(envelope.rcpt_tos) >= self._most:
            return "452 4.5.3 too many recipients: send another message to the others"
        try:
            if not await self._in_thread(partial(is_open, self._world, address)):
                return NOBODY
        except VfsError as error:
            log.warning("a recipient waits: %s", error.detail)
            return LATER
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 the recipient is accepted"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Store a mail, then confirm it."""
        peer, hello = getattr(session, "forwarded", None) or (_peer(session), session.host_name or "")
        session.forwarded = None  # type: ignore[attr-defined]
        raw = envelope.original_content or b""
        sent = MailEnvelope(peer, hello, envelope.mail_from or "", tuple(envelope.rcpt_tos))
        try:
            await self._in_thread(partial(accept_all, self._world, sent, sent.recipients, raw))
        except NotFound:
            return NOBODY
        except VfsError as error:
            log.warning("a mail waits: %s", error.detail)
            return LATER
        return "250 2.0.0 stored"

    async def handle_exception(self, error: Exception) -> str:
        """Reply to an exception: errors of the server are temporary, errors of the mail are permanent."""
        log.error("a mail could not be taken", exc_info=error)
        return LATER

    async def _in_thread(self, act: Callable[[], T]) -> T:
        def work() -> T:
            with self._world.session():
                return act()

        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class _Bounded(SMTP):
    """A session with a limit for its total time."""

    line_length_limit = LONGEST_LINE
    event_handler: MailIntake

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.event_handler.connections += 1
        self._end = self.loop.call_later(LONGEST_SECONDS, transport.close)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.event_handler.connections -= 1
        self._end.cancel()
        super().connection_lost(error)

    @syntax("XFORWARD name=value")
    async def smtp_XFORWARD(self, arg: str | None) -> None:  # noqa: N802
        """Store the address and the name of the client whose mail the peer forwards next."""
        assert self.session is not None
        if not self.event_handler.may_forward(_peer(self.session)):
            await self.push("550 5.7.1 XFORWARD is only for trusted peers")
            return
        attributes = {name: _text(value) for name, value in ATTRIBUTE.findall(arg or "")}
        old = getattr(self.session, "forwarded", None) or ("", "")
        address = attributes.get("ADDR", old[0]).removeprefix("IPV6:")
        known = (address, attributes.get("HELO", old[1]))
        self.session.forwarded = tuple("" if one == UNKNOWN else one for one in known)  # type: ignore[attr-defined]
        await self.push("250 2.0.0 noted")


class SmtpSession(_Bounded):
    """An SMTP session."""


class LmtpSession(_Bounded, LMTP):
    """An LMTP session."""


class _BusyProtocol(asyncio.Protocol):
    """Refuses a connection when there are too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(BUSY)
        transport.close()


def session_factory(intake: MailIntake, hostname: str, *, lmtp: bool) -> Callable[[], asyncio.Protocol]:
    """Return a factory of sessions, one for each connection."""
    kind: Any = LmtpSession if lmtp else SmtpSession

    def make() -> asyncio.Protocol:
        if intake.connections >= MOST_CONNECTIONS:
            return _BusyProtocol()
        session: asyncio.Protocol = kind(
            intake, data_size_limit=MOST_BYTES, hostname=hostname, ident="Curlew",
            timeout=IDLE_SECONDS, command_call_limit=CALLS, loop=asyncio.get_running_loop(),
        )  # fmt: skip
        return session

    return make


def _peer(session: Session) -> str:
    """Return the address of the peer; a local socket without one counts as this machine."""
    peer: Any = session.peer
    return str(peer[0]) if isinstance(peer, tuple) and peer else "127.0.0.1"


def _text(value: str) -> str:
    """Decode a value in xtext (RFC 3461, 4)."""
    return XTEXT.sub(lambda found: chr(int(found[1], 16)), value)
