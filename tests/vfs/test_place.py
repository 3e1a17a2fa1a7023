"""What a place holds of the names on its way, and what it asks once."""

from __future__ import annotations

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Verb
from vfs.call import Call, Reply
from vfs.nodes import Dir
from vfs.param import Param
from vfs.path import Path
from vfs.route import NOWHERE, RoutedContext
from vfs.rules import ANYONE
from vfs.tree import Tree

RING: Param[int] = Param("ring")


@pytest.fixture
def context() -> RoutedContext[StoredWorld]:
    call = Call(Verb.READ, Path(("rings", "one")), Caller("ann"), StoredWorld())
    tree = Tree(Dir({}, rules={Verb.READ: ANYONE}))
    return RoutedContext(tree.advice, call, tree.root, call.path)


def test_a_parameter_gives_its_name_and_what_was_loaded_for_it(context: RoutedContext[StoredWorld]) -> None:
    assert RING not in context
    assert (context.segment(RING), context.get(RING)) == ("", None)
    context.match(RING, "one", 1)
    assert RING in context
    assert (context.segment(RING), context[RING]) == ("one", 1)


def test_what_was_not_loaded_is_not_given(context: RoutedContext[StoredWorld]) -> None:
    context.match(RING, "one", None)
    with pytest.raises(LookupError, match="/rings/one leads through no ring"):
        context[RING]


def test_a_fact_about_a_walk_is_queried_once(context: RoutedContext[StoredWorld]) -> None:
    requested: list[int] = []
    below = context.child("two", context.route)
    for one in (context, below):
        one.once("key", lambda: requested.append(1))
    assert requested == [1]


def test_nowhere_there_is_nothing_to_read_or_change(context: RoutedContext[StoredWorld]) -> None:
    assert NOWHERE.read(context) == NOWHERE.act(context, Verb.WRITE, None) == Reply(None)
