"""The composition of incoming mail: a listener until it is stopped, or one mail from a pipe."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import Message
from email.utils import getaddresses

from handlers.mail.inbound.mail_listener import (
    MOST_RECIPIENTS,
    NO_PLACE,
    MailIntake,
    accept_all,
    is_open,
    session_factory,
)
from handlers.mail.inbound.message_parts import MIB, MOST_BYTES
from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.processes.world import build, open_world
from handlers.settings.settings import Settings
from vfs.errors import NotFound, TooLarge, Unavailable

LMTP = "lmtp"


def listen(settings: Settings, stop: threading.Event, ready: Callable[[], object]) -> None:
    """Accept mails until `stop` is set. Raises Unavailable if the address cannot be listened at."""
    # LMTP answers for each recipient: one recipient has one answer.
    lmtp = settings.mail_in_protocol == LMTP
    most = 1 if lmtp else MOST_RECIPIENTS
    with (
        closing(build(settings)) as live_world,
        closing(MailIntake(live_world.world, settings.proxies.split(), most)) as intake,
    ):
        asyncio.run(_serve(settings, intake, stop, ready, lmtp=lmtp))


async def _serve(
    settings: Settings, intake: MailIntake, stop: threading.Event, ready: Callable[[], object], *, lmtp: bool
) -> None:
    host, _, port = settings.mail_in.rpartition(":")
    make = session_factory(intake, settings.mail_domain or "localhost", lmtp=lmtp)
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(make, host.strip("[]") or None, int(port))
    except (OSError, ValueError, OverflowError) as error:
        raise Unavailable(f"nothing can listen on {settings.mail_in} (mail_in): {error}") from error
    async with server:
        ready()
        await loop.run_in_executor(None, stop.wait)


def take_message(settings: Settings, envelope: MailEnvelope, raw: bytes) -> None:
    """Accept one mail for the recipients of its envelope, or else of its headers, that are open here.

    Raises NotFound if none of them is open here, TooLarge, QuotaReached, NoSpace and Unavailable.
    """
    if len(raw) > MOST_BYTES:
        raise TooLarge(f"it has more than {MOST_BYTES // MIB} MB")
    head = message_from_bytes(raw[:MIB], policy=policy.compat32)
    recipients = envelope.recipients or _addresses(head, "to", "cc")[:MOST_RECIPIENTS]
    sender = envelope.sender or str(head.get("return-path") or "") or "".join(_addresses(head, "from")[:1])
    with open_world(settings) as world:
        open_here = [address for address in recipients if is_open(world, address)]
        if not open_here:
            raise NotFound(NO_PLACE)
        accept_all(world, replace(envelope, sender=sender.strip()), open_here, raw)


def _addresses(head: Message, *names: str) -> list[str]:
    """Return the addresses in some headers of a message."""
    return [address for name in names for _, address in getaddresses(map(str, head.get_all(name, [])))]
