"""Two web servers behind nginx over one database, bucket and folder of repositories are as one server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kit.counting import amount
from tests.kit.hosts.relays import PARTS, at_store
from tests.kit.hosts.shared import shared_parts
from tests.kit.hosts.webs import Webs, two_webs
from tests.kit.postgres import Postgres
from tests.kit.server import Server
from tests.kit.world import migrate
from tests.proof.hosts.stale import Person, Walker

pytestmark = [pytest.mark.soak, pytest.mark.postgres, pytest.mark.timeout(900)]

STEPS, SLOW_STEPS = 40, 10
LATE = 0.02
"""Seconds by which each piece of an answer comes late to the slow host."""

PEOPLE = ("ann", "bob", "cat")


@pytest.fixture
def shared(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    with shared_parts(tmp_path, postgres, migrate) as said:
        yield said


def test_what_was_written_at_one_is_read_at_the_other(
    shared: dict[str, str], tmp_path: Path, record_property: amount.Counted
) -> None:
    with two_webs(tmp_path, shared) as webs:
        made = walked(webs, amount.points(STEPS))
    for what, number in made.items():
        record_property(f"{what} across two webs", number)


def test_nothing_is_stale_where_one_host_hears_late_of_the_database_and_the_bucket(
    shared: dict[str, str], tmp_path: Path, record_property: amount.Counted
) -> None:
    here = "127.0.0.1"
    with (
        at_store(shared, here, dict.fromkeys(PARTS, here), LATE) as late,
        two_webs(tmp_path, shared, of_first=late) as webs,
    ):
        made = walked(webs, amount.points(SLOW_STEPS))
    for what, number in made.items():
        record_property(f"{what} across two webs, one of them slow", number)


def walked(webs: Webs, steps: int) -> Counter[str]:
    """Several people act at once in a number of steps, and all is read as it was written."""
    walkers = walkers_at(webs)
    with ExitStack() as stack, ThreadPoolExecutor(len(walkers)) as pool:
        for each in walkers:
            stack.callback(each.close)
        for done in [pool.submit(each.walk, steps) for each in walkers]:
            done.result()
    made = sum((each.made for each in walkers), Counter[str]())
    stale = [line for each in walkers for line in each.stale]
    assert not stale, f"{len(stale)} of {made['reads']}:\n" + "\n".join(stale[:20])
    assert made["writes"] >= steps * len(PEOPLE) // 2, made
    return made


def walkers_at(webs: Webs) -> Sequence[Walker]:
    """People who write at once, each with another as a friend."""
    server = Server(webs.folder, webs.port)
    people = [Person(name, server.add(name), server.password(name)) for name in PEOPLE]
    ports = {"the front": webs.port, "one": webs.ports[0], "the other": webs.ports[1]}
    friends = zip(people, (*people[1:], people[0]), strict=True)
    return [Walker(*pair, ports, amount.seed() + number) for number, pair in enumerate(friends)]
