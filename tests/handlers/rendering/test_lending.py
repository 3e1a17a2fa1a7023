"""Resources are lent to waiting accounts in turns."""

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


def test_waiting_accounts_have_turns_before_one_that_borrowed() -> None:
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


def test_a_caller_that_gives_up_is_no_longer_in_the_queue() -> None:
    lending = Lending(["a"])
    lending.borrow("bob")
    for _ in range(2):
        with pytest.raises(TimeoutError):
            lending.borrow("carol", 0.01)
    lending.restore("bob", "b")
    assert lending.borrow("carol", 0) == "b"


def test_an_idle_resource_may_be_taken_out_and_put_back_for_the_next_caller() -> None:
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


def test_an_order_names_its_account_to_a_service_and_is_equal_for_all_accounts() -> None:
    mine, yours = (replace(order(), account=account) for account in ('b"ob', ""))
    sent = RenderOrder(**json.loads(mine.message))
    assert (sent, sent.account, sent.digest) == (mine, 'b"ob', yours.digest)
    assert mine == yours
    assert "account" not in mine.json
