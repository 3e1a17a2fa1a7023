"""Passwords are digested, tested a few at a time, and guessed at no more than ten times a minute."""

from __future__ import annotations

import threading
import time

import pytest

from handlers.identity.passwords import Passwords, Throttle
from tests.handlers.small_kernel import Stage
from vfs.errors import TooMany, Unavailable
from vfs.ports.people import Account

LIMITS = {"pair", "address", "account"}
HERE, THERE = "10.0.0.1", "10.0.0.2"


@pytest.fixture
def stage() -> Stage:
    return Stage()


def passwords_of(stage: Stage, **settings: object) -> Passwords:
    throttle = Throttle(stage.rates, **{name: settings.pop(name) for name in LIMITS & settings.keys()})  # type: ignore[arg-type]
    kept = Passwords(stage.users, throttle, memory=64, passes=1, **settings)  # type: ignore[arg-type]
    if stage.users.find("bob") is None:
        stage.users.add("bob", kept.digest("a ø secret"), Account.REGULAR, None, public=False)
    return kept


def test_a_digest_is_argon2id_and_differs_each_time(stage: Stage) -> None:
    kept = Passwords(stage.users, Throttle(stage.rates))
    assert kept.digest("x").startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert kept.digest("x") != kept.digest("x")


def test_the_right_password_proves_its_user(stage: Stage) -> None:
    kept = passwords_of(stage)
    assert kept.proves("bob", "a ø secret", HERE)
    assert not kept.proves("bob", "another", HERE)
    assert not kept.proves("nobody", "a ø secret", HERE)
    assert not kept.proves("bob", "\udcff", HERE)


def test_an_invalid_digest_proves_nobody(stage: Stage) -> None:
    kept = passwords_of(stage)
    stage.users.change("bob", password="!")
    assert not kept.proves("bob", "!", HERE)


def test_an_unknown_user_costs_as_much_as_a_wrong_password(stage: Stage) -> None:
    kept = Passwords(stage.users, Throttle(stage.rates, pair=1000, address=1000), memory=8192, passes=2)
    stage.users.add("bob", kept.digest("secret"), Account.REGULAR, None, public=False)

    def took(name: str) -> float:
        began = time.process_time()
        for _ in range(10):
            kept.proves(name, "wrong", HERE)
        return time.process_time() - began

    ratio = took("nobody") / took("bob")
    assert 0.5 < ratio < 2


def fail(kept: Passwords, name: str, address: str, times: int) -> None:
    for _ in range(times):
        assert not kept.proves(name, "wrong", address)


def test_ten_failures_a_minute_are_enough(stage: Stage) -> None:
    kept = passwords_of(stage)
    fail(kept, "bob", HERE, 10)
    stage.clock.forward(20)
    with pytest.raises(TooMany) as refused:
        kept.proves("bob", "a ø secret", HERE)
    assert refused.value.members["retry_after"] == 40
    assert kept.proves("bob", "a ø secret", THERE)
    fail(kept, "eve", HERE, 1)
    stage.clock.forward(40)
    assert kept.proves("bob", "a ø secret", HERE)


def test_an_unknown_user_is_refused_as_a_known_one(stage: Stage) -> None:
    kept = passwords_of(stage)
    fail(kept, "nobody", HERE, 10)
    with pytest.raises(TooMany):
        kept.proves("nobody", "wrong", HERE)


def test_one_address_does_not_go_through_all_accounts(stage: Stage) -> None:
    kept = passwords_of(stage, address=12)
    for number in range(12):
        fail(kept, f"bird-{number}", HERE, 1)
    with pytest.raises(TooMany):
        kept.proves("bob", "a ø secret", HERE)
    assert kept.proves("bob", "a ø secret", THERE)


def test_many_addresses_slow_each_other_and_lock_nobody_out(stage: Stage) -> None:
    kept = passwords_of(stage, account=30)
    for number in range(3):
        fail(kept, "bob", f"10.1.0.{number}", 10)
    fail(kept, "bob", "10.2.0.1", 1)
    with pytest.raises(TooMany):
        kept.proves("bob", "wrong", "10.2.0.1")
    for address in (HERE, HERE, THERE):
        assert kept.proves("bob", "a ø secret", address)
    fail(kept, "eve", HERE, 5)


def test_an_unknown_address_locks_nobody_out(stage: Stage) -> None:
    kept = passwords_of(stage)
    fail(kept, "bob", "", 10)
    for _ in range(3):
        with pytest.raises(TooMany) as refused:
            kept.proves("bob", "wrong", "")
        assert refused.value.members["retry_after"] == 60
        assert kept.proves("bob", "a ø secret", "")
    assert kept.proves("bob", "a ø secret", HERE)


def test_failures_from_nowhere_slow_an_account_elsewhere_and_lock_nobody_out(stage: Stage) -> None:
    kept = passwords_of(stage, account=10)
    fail(kept, "bob", "", 10)
    for _ in range(5):
        with pytest.raises(TooMany):
            kept.proves("bob", "wrong", "")
    assert kept.proves("bob", "a ø secret", HERE)
    assert kept.proves("bob", "a ø secret", "")


def test_a_success_is_no_failure(stage: Stage) -> None:
    kept = passwords_of(stage, pair=2)
    for _ in range(10):
        assert kept.proves("bob", "a ø secret", HERE)
    fail(kept, "bob", HERE, 2)
    with pytest.raises(TooMany):
        kept.proves("bob", "a ø secret", HERE)


def test_guesses_made_at_once_are_all_counted(stage: Stage) -> None:
    kept = passwords_of(stage, pair=5, parallel=2)
    refused = []

    def guess() -> None:
        try:
            kept.proves("bob", "wrong", HERE)
        except TooMany:
            refused.append(1)

    threads = [threading.Thread(target=guess) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 15


def test_a_full_pool_asks_to_come_back(stage: Stage) -> None:
    kept = passwords_of(stage, parallel=1, patience=0.01)
    with kept._seat(), pytest.raises(Unavailable) as refused:
        kept.digest("x")
    assert refused.value.members["retry_after"]
    assert kept.digest("x")


def test_a_try_that_finds_no_room_is_no_failure(stage: Stage) -> None:
    kept = passwords_of(stage, pair=2, parallel=1, patience=0.01)
    for _ in range(3):
        with kept._seat(), pytest.raises(Unavailable):
            kept.proves("bob", "a ø secret", HERE)
    assert kept.proves("bob", "a ø secret", HERE)
