"""Room is shared by accounts and addresses: nobody takes all of it, and a newcomer finds some."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.long_calls import holder_of
from handlers.rules.shared_limit import GIT, WATCHING, WHOLE, LimitHolder, LimitSlot, SharedLimit, room_of
from vfs.errors import TooMany, Unavailable

MALLORY, BOB = LimitHolder("mallory"), LimitHolder("bob")
HOLDERS = [
    MALLORY,
    BOB,
    LimitHolder("carol"),
    LimitHolder("192.0.2.1", True),
    LimitHolder("192.0.2.2", True),
    LimitHolder("", True),
]


def fill(room: SharedLimit, holder: LimitHolder, part: str = WHOLE) -> tuple[int, int]:
    """Take all places that a holder gets; return their number and the status of the refusal."""
    count = 0
    while True:
        try:
            room.enter(holder, part)
        except (TooMany, Unavailable) as refusal:
            return count, 429 if isinstance(refusal, TooMany) else 503
        count += 1


def test_alone_one_has_half_beside_another_less_and_a_newcomer_finds_some() -> None:
    room = room_of(248)
    assert fill(room, MALLORY, WATCHING) == (62, 429)
    assert fill(room, MALLORY) == (62, 429)
    assert fill(room, BOB) == (62, 429)
    assert fill(room, LimitHolder("carol")) == (31, 429)


def test_strangers_have_one_half_and_an_address_half_of_that() -> None:
    room = room_of(248, gits=64)
    assert fill(room, LimitHolder("192.0.2.1", True), GIT) == (16, 429)
    assert fill(room, LimitHolder("192.0.2.2", True), GIT) == (8, 429)
    assert fill(room, LimitHolder("", True), GIT) == (8, 503)
    assert fill(room, BOB, GIT) == (16, 429)


def test_addresses_of_a_customer_share_a_holder_as_do_uncertain_ones() -> None:
    assert holder_of("bob", "192.0.2.1") == BOB
    assert holder_of(None, "2001:db8::1") == holder_of(None, "2001:db8::ffff")
    assert holder_of(None, "") == LimitHolder("", True)
    assert holder_of(None, "192.0.2.1") == LimitHolder("192.0.2.1", True)


def test_a_place_that_is_left_is_free_again() -> None:
    room = SharedLimit(1)
    for _ in range(3):
        context = room.enter(MALLORY)
        with pytest.raises(Unavailable):
            room.enter(BOB)
        room.leave(context)


@given(
    most=st.integers(1, 12),
    gits=st.integers(1, 12),
    moves=st.lists(
        st.one_of(
            st.tuples(st.sampled_from(HOLDERS), st.sampled_from([WHOLE, WATCHING, GIT])), st.integers(0, 30)
        ),
        max_size=60,
    ),
)
def test_a_holder_without_a_place_is_refused_only_if_none_is_left(
    most: int, gits: int, moves: list[Any]
) -> None:
    """Moves are a request that comes (its holder and part), or the end of one (its number)."""
    room, going = room_of(most, gits), list[LimitSlot]()
    sizes = {WHOLE: most, WATCHING: max(1, most // 2), GIT: min(gits, most)}
    for move in moves:
        if isinstance(move, int):
            if going:
                room.leave(going.pop(move % len(going)))
            continue
        holder, part = move
        parts = {WHOLE, part}
        in_part = {
            one: [context for context in going if one in {area.part for area in context.areas}]
            for one in parts
        }
        strangers = {
            one: [context for context in in_part[one] if context.holder.is_stranger] for one in parts
        }
        left = [sizes[one] - len(in_part[one]) for one in parts]
        if holder.is_stranger:
            left += [max(1, sizes[one] // 2) - len(strangers[one]) for one in parts]
        try:
            going.append(room.enter(holder, part))
            assert min(left) > 0
        except Unavailable:
            assert min(left) == 0
        except TooMany:
            own = [context for context in going if context.holder == holder]
            assert min(left) > 0
            assert len(own) >= min(left)
