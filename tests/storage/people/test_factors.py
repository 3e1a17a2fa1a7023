"""The tables of second factors and recovery codes, in both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.bytes.key_rotation import add_key, drop_old_keys, reseal
from storage.bytes.seal import seal_of
from storage.people.departures import StoredDepartures
from tests.kit.world import StoredWorld
from vfs.errors import Conflict
from vfs.ports.factors import MOST_FACTORS, Factor, FactorKind
from vfs.ports.people import Account

APP, PASSKEY = FactorKind.APP, FactorKind.PASSKEY
USED = "2026-11-30T08:00:00.000Z"


@pytest.fixture
def world(stored: StoredWorld) -> StoredWorld:
    for name in ("ann", "bob"):
        stored.users.add(name, "x", Account.REGULAR, None, public=False)
    return stored


def names(world: StoredWorld, user: str = "ann") -> list[str]:
    return [one.name for one in world.factors.of(user)]


def test_factors_are_of_their_account_alone(world: StoredWorld) -> None:
    world.factors.add(Factor("ann", APP, "phone", sealed="s", counter=7, added_by=3))
    world.factors.add(Factor("ann", PASSKEY, "key", credential="c", public_key="p"))
    world.factors.add(Factor("bob", APP, "phone"))
    assert names(world) == ["key", "phone"]
    app = world.factors.of("ann")[1]
    assert (app.kind, app.sealed, app.counter, app.added_by, app.last_used_on) == (APP, "s", 7, 3, None)
    found = world.factors.with_credential("c")
    assert found is not None and (found.user, found.public_key) == ("ann", "p")
    assert world.factors.with_credential("d") is None


def test_what_is_there_twice_is_refused(world: StoredWorld) -> None:
    world.factors.add(Factor("ann", APP, "phone"))
    world.factors.add(Factor("ann", PASSKEY, "key", credential="c"))
    for user, kind, name, credential in (
        ("ann", PASSKEY, "phone", "d"),
        ("ann", APP, "tablet", None),
        ("bob", PASSKEY, "key", "c"),
    ):
        with pytest.raises(Conflict):
            world.factors.add(Factor(user, kind, name, credential=credential))
    for number in range(MOST_FACTORS - 2):
        world.factors.add(Factor("ann", PASSKEY, f"k{number}", credential=f"k{number}"))
    with pytest.raises(Conflict, match=f"at most {MOST_FACTORS}"):
        world.factors.add(Factor("ann", PASSKEY, "more", credential="more"))


def test_a_counter_only_goes_up(world: StoredWorld) -> None:
    world.factors.add(Factor("ann", APP, "phone", counter=5))
    world.factors.add(Factor("ann", PASSKEY, "key", credential="c"))
    key, app = world.factors.of("ann")
    assert [world.factors.use(app.id, step, USED) for step in (5, 4, 6, 6, 0, 9)] == [
        *(False, False, True, False, False, True)
    ]
    assert [world.factors.use(key.id, count, USED) for count in (0, 0, 3, 0, 3, 4)] == [
        *(True, True, True, False, False, True)
    ]
    assert world.factors.of("ann")[0].last_used_on == USED


def test_of_many_who_use_one_code_at_once_one_does(world: StoredWorld) -> None:
    world.factors.add(Factor("ann", APP, "phone", counter=5))
    world.factors.renew_codes("ann", ["one", "two"])
    (app,) = world.factors.of("ann")
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: world.factors.use(app.id, 6, USED), range(16))) == 1
        assert sum(pool.map(lambda _: world.factors.use_code("ann", "one"), range(16))) == 1
    assert world.factors.codes_left("ann") == 1


def test_recovery_codes_go_with_the_last_factor(world: StoredWorld) -> None:
    for name in ("a", "b"):
        world.factors.add(Factor("ann", PASSKEY, name, credential=name))
    for codes in (["one", "two"], ["three", "four", "five"]):
        world.factors.renew_codes("ann", codes)
    world.factors.renew_codes("bob", ["three"])
    assert not world.factors.use_code("ann", "one") and world.factors.use_code("ann", "three")
    assert world.factors.remove("ann", "a") and not world.factors.remove("ann", "a")
    assert world.factors.codes_left("ann") == 2
    assert world.factors.remove("ann", "b")
    assert (world.factors.codes_left("ann"), world.factors.codes_left("bob")) == (0, 1)


def test_they_go_with_the_account(world: StoredWorld) -> None:
    for user in ("ann", "bob"):
        world.factors.add(Factor(user, APP, "phone"))
        world.factors.renew_codes(user, ["one"])
    assert world.factors.remove("ann", "phone")
    StoredDepartures(world.database).forget("bob", world.clock)
    assert not names(world) and not names(world, "bob")
    assert world.factors.codes_left("ann") == world.factors.codes_left("bob") == 0


def test_a_new_key_seals_the_secrets_of_apps_again(world: StoredWorld, tmp_path: Path) -> None:
    path = tmp_path / "key"
    seal = seal_of(path)
    for user in ("ann", "bob"):
        world.factors.add(
            Factor(user, APP, "phone", sealed=seal.close(f"secret of {user}", f"{user}/factors/phone"))
        )
    world.factors.add(Factor("ann", PASSKEY, "key", credential="c"))
    add_key(path)
    with pytest.raises(Conflict):
        drop_old_keys(path, world.database, seal)
    assert reseal(world.database, seal, lambda what, done: None).renewed == 2
    assert drop_old_keys(path, world.database, seal) == 1
    for user in ("ann", "bob"):
        (app,) = [one for one in world.factors.of(user) if one.kind is APP]
        assert seal.open(app.sealed, f"{user}/factors/phone") == f"secret of {user}"
