"""Rows u1 to u3: 10,000 recipients of one mail, against writing its messages alone, and their memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from handlers.mail.mail_dispatch import MailDispatch
from handlers.mail.outgoing import Deliver
from handlers.processes.world import LiveWorld, build
from handlers.services.mails.service_message import MessageHead, dump_message, load_message
from handlers.settings.sources import load
from handlers.words.mail_message import MailPage, MailPicture, MessageRecipient, dump_page
from tests.bench.figures import Figure, in_turn
from tests.kit.suites.kernel import StillClock
from vfs.ports.mails import NewDelivery
from vfs.ports.people import Account

ROWS = ("u1", "u2", "u3")
MANY = 10_000
FEW, MORE = 500, 4_000
PICTURE = 60_000
DATE = datetime(2026, 11, 23, 12, tzinfo=UTC)
MIB = 1 << 20


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    live_world = build(load({}, data=str(scratch / "mails"), synchronous="normal"), StillClock(DATE))
    live_world.world.people.users.add("alice", "digest", Account.REGULAR, None, public=False)
    item = live_world.world.items.create("mail", "alice", "letter").id
    try:
        accepted: list[float] = []
        ours, floor = in_turn(rounds, lambda: dispatch(live_world, item, accepted), write)
        yield Figure("u1", f"a sending to {MANY:,} recipients is written down", median(accepted) * 1000)
        what = (
            f"a mail of {PICTURE // 1000} kB handed over to {MANY:,} recipients : its messages written alone"
        )
        yield Figure("u2", what, ours * 1000, floor * 1000)
        few, more = (peak(live_world, item, number) / MIB for number in (FEW, MORE))
        what = f"memory that handing over to {MORE:,} recipients takes : to {FEW:,}"
        yield Figure("u3", what, more, few, "MiB", 1.2)
    finally:
        live_world.close()


def message() -> bytes:
    """A mail as the outbox keeps it: rendered once, for all its recipients."""
    picture = MailPicture("chart@mail", bytes(range(256)) * (PICTURE // 256), "image/png", 1200, 800)
    page = MailPage("<p>Eleven curlews.</p>" * 100, (picture,), ())
    head = MessageHead("alice via Curlew", "", "Counts", DATE)
    return dump_message(head, dump_page(page, "Eleven curlews.\n" * 100).encode())


def recipients(number: int) -> list[NewDelivery]:
    """So many, each with the identity of its message."""
    return [
        NewDelivery(
            f"bird{at}@side.example", f"<{at}@mail.example>", f"https://mail.example/unsubscribe/{at}"
        )
        for at in range(number)
    ]


def start(live_world: LiveWorld, item: int, number: int) -> None:
    """Write a sending down."""
    mail, them = message(), recipients(number)
    live_world.world.social.mails.start(item, test=False, digest="", message=mail, recipients=them)


def dispatch(live_world: LiveWorld, item: int, accepted: list[float]) -> float:
    """Processor seconds in which a sending goes to a relay; those of writing it down are put beside."""
    began = time.thread_time()
    start(live_world, item, MANY)
    accepted.append(time.thread_time() - began)
    began = time.thread_time()
    MailDispatch(live_world.world, discard).round()
    took = time.thread_time() - began
    newest = live_world.world.social.mails.of(item)[0]
    assert (newest.state, newest.accepted) == ("sent", MANY)
    return took


def write() -> float:
    """Processor seconds in which the messages are made, and nothing else."""
    mail = load_message(message(), "post@mail.example")
    began = time.thread_time()
    for one in recipients(MANY):
        mail.for_recipient(MessageRecipient(one.address, one.message_id, one.leave))
    return time.thread_time() - began


def peak(live_world: LiveWorld, item: int, number: int) -> int:
    """Bytes that handing over takes at the most, above those before it."""
    start(live_world, item, number)
    tracemalloc.start()
    try:
        MailDispatch(live_world.world, discard).round()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@contextmanager
def discard() -> Iterator[Deliver]:
    """A relay that throws all away."""
    yield lambda address, message_id, message: None
