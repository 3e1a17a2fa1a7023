"""Passwords are digested, tested a few at a time, and guessed at no more than ten times a minute."""

from __future__ import annotations

import os
import threading
import time

import pytest

from handlers.passwords import MOST_FAILURES, Passwords, Throttle
from tests.handlers.standins import Stage
from vfs.errors import TooMany, Unavailable
from vfs.people import Account


class Seconds:
    """A clock in seconds that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def stage() -> Stage:
    return Stage()


def passwords_of(stage: Stage, **settings: object) -> Passwords:
    kept = Passwords(stage.users, memory=64, passes=1, **settings)  # type: ignore[arg-type]
    if stage.users.find("bob") is None:
        stage.users.add("bob", kept.digest("a ø secret"), Account.REGULAR, None, public=False)
    return kept


def test_a_digest_is_argon2id_and_differs_each_time(stage: Stage) -> None:
    kept = Passwords(stage.users)
    assert kept.digest("x").startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert kept.digest("x") != kept.digest("x")


def test_the_right_password_proves_its_user(stage: Stage) -> None:
    kept = passwords_of(stage)
    assert kept.proves("bob", "a ø secret", "")
    assert not kept.proves("bob", "another", "")
    assert not kept.proves("nobody", "a ø secret", "")
    assert not kept.proves("bob", "\udcff", "")


def test_a_digest_that_is_none_proves_nobody(stage: Stage) -> None:
    kept = passwords_of(stage)
    stage.users.change("bob", password="!")
    assert not kept.proves("bob", "!", "")


def test_an_unknown_user_costs_as_much_as_a_wrong_password(stage: Stage) -> None:
    kept = Passwords(stage.users, Throttle(most=1000), memory=8192, passes=2)
    stage.users.add("bob", kept.digest("secret"), Account.REGULAR, None, public=False)

    def took(name: str) -> float:
        began = time.process_time()
        for _ in range(10):
            kept.proves(name, "wrong", "")
        return time.process_time() - began

    ratio = took("nobody") / took("bob")
    assert 0.5 < ratio < 2


def test_ten_failures_a_minute_are_enough() -> None:
    clock = Seconds()
    throttle = Throttle(clock=clock)
    for _ in range(MOST_FAILURES):
        throttle.take("bob", "10.0.0.1")
    clock.now += 20
    with pytest.raises(TooMany) as refused:
        throttle.take("bob", "10.0.0.1")
    assert refused.value.members["retry_after"] == 40
    throttle.take("bob", "10.0.0.2")
    throttle.take("eve", "10.0.0.1")
    clock.now += 40
    throttle.take("bob", "10.0.0.1")


def test_a_success_is_no_failure(stage: Stage) -> None:
    kept = passwords_of(stage, throttle=Throttle(most=2, clock=Seconds()))
    for _ in range(10):
        assert kept.proves("bob", "a ø secret", "")
    assert not kept.proves("bob", "x", "")
    assert not kept.proves("bob", "x", "")
    with pytest.raises(TooMany):
        kept.proves("bob", "a ø secret", "")


def test_guesses_made_at_once_are_all_counted(stage: Stage) -> None:
    kept = passwords_of(stage, throttle=Throttle(most=5), parallel=2)
    refused = []

    def guess() -> None:
        try:
            kept.proves("bob", "wrong", "10.0.0.1")
        except TooMany:
            refused.append(1)

    threads = [threading.Thread(target=guess) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 15


def test_failures_in_one_process_count_in_all() -> None:
    throttle = Throttle(most=3)
    child = os.fork()
    if child == 0:
        for _ in range(3):
            throttle.take("bob", "")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(TooMany):
        throttle.take("bob", "")


def test_giving_back_what_was_never_taken_changes_nothing() -> None:
    throttle = Throttle(most=1)
    throttle.give_back("bob", "")
    throttle.take("bob", "")
    with pytest.raises(TooMany):
        throttle.take("bob", "")


def test_a_full_pool_asks_to_come_back(stage: Stage) -> None:
    kept = passwords_of(stage, parallel=1, patience=0.01)
    with kept._seat(), pytest.raises(Unavailable) as refused:
        kept.digest("x")
    assert refused.value.members["retry_after"]
    assert kept.digest("x")
