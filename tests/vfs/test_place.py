"""What a place holds of the names on its way, and what it asks once."""

from __future__ import annotations

import pytest

from tests.kit.memory import MemoryWorld
from tests.kit.suites.kernel import StillClock
from vfs.access import Caller, Verb
from vfs.call import Call, Reply
from vfs.nodes import Dir
from vfs.param import Param
from vfs.path import Path
from vfs.rules import ANYONE
from vfs.spot import NOWHERE, Visit
from vfs.tree import Tree

RING: Param[int] = Param("ring")


@pytest.fixture
def place() -> Visit[MemoryWorld]:
    call = Call(Verb.READ, Path(("rings", "one")), Caller("ann"), MemoryWorld(StillClock()))
    tree = Tree(Dir({}, rules={Verb.READ: ANYONE}))
    return Visit(tree.advice, call, tree.root, call.path)


def test_a_parameter_gives_its_name_and_what_was_loaded_for_it(place: Visit[MemoryWorld]) -> None:
    assert RING not in place
    assert (place.segment(RING), place.get(RING)) == ("", None)
    place.match(RING, "one", 1)
    assert RING in place
    assert (place.segment(RING), place[RING]) == ("one", 1)


def test_what_was_not_loaded_is_not_given(place: Visit[MemoryWorld]) -> None:
    place.match(RING, "one", None)
    with pytest.raises(LookupError, match="/rings/one leads through no ring"):
        place[RING]


def test_what_holds_for_a_walk_is_asked_once(place: Visit[MemoryWorld]) -> None:
    asked: list[int] = []
    below = place.child("two", place.spot)
    for one in (place, below):
        one.once("key", lambda: asked.append(1))
    assert asked == [1]


def test_nowhere_there_is_nothing_to_read_or_change(place: Visit[MemoryWorld]) -> None:
    assert NOWHERE.read(place) == NOWHERE.act(place, Verb.WRITE, None) == Reply(None)
