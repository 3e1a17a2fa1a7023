"""Turns of accounts: the least busy first, then who waited longest for a turn."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from chains.runner.fair_slots import REMEMBERED, AccountTurns


def test_who_has_less_going_is_first_and_of_equals_who_had_its_turn_longest_ago() -> None:
    turns = AccountTurns()
    for account in ("a", "b", "a"):
        turns.begin(account)
    assert sorted("abc", key=turns.rank) == ["c", "b", "a"]
    for account in ("a", "b", "a"):
        turns.end(account)
    assert (turns.total, turns.going("a")) == (0, 0)
    assert sorted("abc", key=turns.rank) == ["c", "b", "a"]


def test_of_very_many_accounts_the_oldest_turns_are_forgotten() -> None:
    turns = AccountTurns()
    for number in range(REMEMBERED + 5):
        turns.begin(f"{number}")
        turns.end(f"{number}")
    assert turns.rank("4") == turns.rank("nobody") == (0, 0)
    assert turns.rank("5") > (0, 0)


@given(queues=st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 30), min_size=2))
def test_one_after_the_other_every_account_is_served_once_in_a_round(queues: dict[str, int]) -> None:
    turns, left, served = AccountTurns(), Counter(queues), list[str]()
    while +left:
        account = min(+left, key=turns.rank)
        turns.begin(account)
        turns.end(account)
        left[account] -= 1
        served.append(account)
    for position, account in enumerate(served):
        # Between two turns of an account each other has one, unless it has no more to do.
        since = served[:position][::-1]
        between = since[: since.index(account)] if account in since else since
        assert max(Counter(between).values(), default=0) <= 1
