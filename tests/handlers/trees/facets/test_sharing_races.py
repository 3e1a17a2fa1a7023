"""A share that lets somebody write, and a credential of the job: never both, however close they come."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.handlers.household import Household
from vfs.access import Verb
from vfs.errors import Denied

ROUNDS = 25


def at_once(household: Household, *acts: Callable[[], object]) -> list[bool]:
    """Whether each act was let through, all of them begun at one moment."""
    gate = Barrier(len(acts))

    def one(act: Callable[[], object]) -> bool:
        with household.world.session():
            gate.wait()
            try:
                act()
            except Denied:
                return False
            return True

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def test_a_write_share_and_a_claim_exclude_each_other(household: Household) -> None:
    household.job()
    job = "/v1/code/jobs/nightly"
    wins = []
    for _ in range(ROUNDS):
        wins.append(
            at_once(
                household,
                lambda: household.call("alice", Verb.CREATE, f"{job}/shared/@bob~rw"),
                lambda: household.write("alice", f"{job}/config/access", "global"),
            )
        )
        if wins[-1][0]:
            household.call("alice", Verb.REMOVE, f"{job}/shared/@bob")
        household.call("alice", Verb.REMOVE, f"{job}/config/access")
    assert [sum(round) for round in wins] == [1] * ROUNDS
