"""Every write, fsync, rename and the like fails once, and the disk stays full from each on: old or new, said
clearly, and recovers automatically.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count

import pytest

from tests.durability.actions import ACTIONS, Action
from tests.durability.acts import KINDS, Kind, attach, create, mint
from tests.durability.faulty_server import USER, FaultyServer
from tests.durability.test_kills import check_storage
from tests.durability.warden import Fault
from tests.durability.writer import Writer
from tests.kit.counting.amount import Counted, seed
from tests.kit.gunicorn import Client

ERRORS = ((errno.EIO, False), (errno.ENOSPC, False), (errno.ENOSPC, True), (errno.EINTR, False))

pytestmark = pytest.mark.soak


def faults() -> Iterator[Iterator[Fault]]:
    """For each kind of error, a fault at each call in turn."""
    for error, lasting in ERRORS:
        yield (Fault(nth, error, lasting) for nth in count(1))


def test_a_write_that_fails_anywhere_is_refused_whole(
    faulty_server: FaultyServer, record_property: Counted
) -> None:
    dice = random.Random(seed())
    writer = Writer(faulty_server.service, USER, faulty_server.tokens, dice)
    hit = sum(fail_everywhere(faulty_server, writer, dice, kind) for kind, _ in KINDS)
    assert hit > len(KINDS)
    check_storage(faulty_server.folder, faulty_server.database)
    record_property("failed calls under writes", hit)


def fail_everywhere(faulty_server: FaultyServer, writer: Writer, dice: random.Random, kind: Kind) -> int:
    """The number of calls that were made to fail in acts of a kind."""
    hit = 0
    for series in faults():
        for fault in series:
            populate(faulty_server.client, writer, dice, kind)
            act = kind(dice, USER, writer.picture)
            _, failed = faulty_server.fail(fault, lambda act=act: writer.attempt(faulty_server.client, act))  # type: ignore[misc]
            writer.compare()
            hit += len(failed)
            if not failed:
                break
    return hit


def populate(client: Client, writer: Writer, dice: random.Random, wanted: Kind) -> None:
    """Make acts of a kind possible."""
    fits = dict(KINDS)
    makers = {True: (create, attach, mint), False: tuple(fits)}
    while not fits[wanted](writer.picture):
        kind = dice.choice([one for one in makers[len(writer.picture.docs) < 2] if fits[one](writer.picture)])
        answer = writer.attempt(client, kind(dice, USER, writer.picture))
        assert answer.status < 300, answer


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
def test_an_action_that_fails_anywhere_is_done_or_not(
    faulty_server: FaultyServer, action: Callable[..., Action], record_property: Counted
) -> None:
    numbers = count(1)
    with closing(
        action(
            faulty_server.service, faulty_server.folder, faulty_server.database, faulty_server.tokens[USER]
        )
    ) as doing:
        for series in faults():
            for fault in series:
                number = next(numbers)
                doing.prepare(number)
                answer, failed = faulty_server.fail(fault, lambda number=number: doing.do(number))  # type: ignore[misc]
                done = doing.done(number)
                assert done or answer.status >= 300, (str(fault), failed, answer)
                if not failed:
                    assert done
                    break
    record_property("failed calls under actions", next(numbers) - 1 - len(ERRORS))
