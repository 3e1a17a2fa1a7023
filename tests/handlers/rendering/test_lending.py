"""What is lent goes round by turns of the accounts that wait."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace

import pytest

from handlers.rendering.pool import Lending
from handlers.rendering.port import RenderOrder
from tests.kit.suites.rendering import order


def until_waiting(lending: Lending[int], count: int) -> None:
    while sum(map(len, lending._waiting.values())) < count:
        time.sleep(0.001)


def test_who_waits_has_a_turn_before_the_next_of_who_has_more() -> None:
    lending, served = Lending([1]), list[str]()
    thing = lending.borrow("mallory")

    def work(account: str) -> None:
        mine = lending.borrow(account, 60)
        served.append(account)
        lending.restore(account, mine)

    threads = []
    for number, account in enumerate(["mallory", "mallory", "mallory", "bob", "carol"], 1):
        threads.append(threading.Thread(target=work, args=(account,)))
        threads[-1].start()
        until_waiting(lending, number)
    lending.restore("mallory", thing)
    for thread in threads:
        thread.join()
    assert served == ["bob", "carol", "mallory", "mallory", "mallory"]


def test_who_loses_patience_waits_no_more() -> None:
    lending = Lending(["a"])
    lending.borrow("bob")
    for _ in range(2):
        with pytest.raises(TimeoutError):
            lending.borrow("carol", 0.01)
    lending.restore("bob", "b")
    assert lending.borrow("carol", 0) == "b"


def test_what_nobody_has_may_be_taken_out_and_put_back_for_who_waits() -> None:
    lending = Lending([1, 2])
    assert lending.withdraw() == [1, 2]
    got: list[int] = []
    thread = threading.Thread(target=lambda: got.append(lending.borrow("bob", 60)))
    thread.start()
    until_waiting(lending, 1)
    lending.add(7)
    thread.join()
    lending.add(8)
    assert (got, lending.withdraw()) == ([7], [8])


def test_an_order_tells_a_service_whose_it_is_and_is_the_same_for_all() -> None:
    mine, yours = (replace(order(), account=account) for account in ('b"ob', ""))
    sent = RenderOrder(**json.loads(mine.message))
    assert (sent, sent.account, sent.digest) == (mine, 'b"ob', yours.digest)
    assert mine == yours
    assert "account" not in mine.json
