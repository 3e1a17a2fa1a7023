"""A job never has both a share with write access and a credential, even if both are set at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.errors import Denied

ROUNDS = 25


def at_once(service_world: ServiceWorld, *acts: Callable[[], object]) -> list[bool]:
    """Run the acts at the same moment; return for each whether it succeeded."""
    gate = Barrier(len(acts))

    def one(act: Callable[[], object]) -> bool:
        with service_world.world.session():
            gate.wait()
            try:
                act()
            except Denied:
                return False
            return True

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def test_a_write_share_and_a_claim_exclude_each_other(service_world: ServiceWorld) -> None:
    service_world.job()
    job = "/v1/code/jobs/nightly"
    wins = []
    for _ in range(ROUNDS):
        wins.append(
            at_once(
                service_world,
                lambda: service_world.call("alice", Verb.CREATE, f"{job}/shared/@bob~rw"),
                lambda: service_world.write("alice", f"{job}/config/access", "global"),
            )
        )
        if wins[-1][0]:
            service_world.call("alice", Verb.REMOVE, f"{job}/shared/@bob")
        service_world.call("alice", Verb.REMOVE, f"{job}/config/access")
    assert [sum(round) for round in wins] == [1] * ROUNDS
