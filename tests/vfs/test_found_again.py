"""What came, went or was taken back while a body arrived is what a change goes by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Grant, Kind, Verb, Via
from vfs.body import TextBody, Waiting
from vfs.call import Call, Outcome, Reply
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, File, Items
from vfs.param import Param
from vfs.path import Path
from vfs.rules import INFO, SIGNED_IN, W
from vfs.serve import serve
from vfs.tree import Tree

EGGS = Each(
    Param("egg"),
    File(rules={Verb.READ: INFO, Verb.WRITE: W}),
    upsert=True,
    rules={Verb.READ: INFO, Verb.CREATE: W, Verb.REMOVE: W},
)
NESTS = Items(
    Kind(name="nest"), Dir({"eggs": EGGS}), owner=None, canonical=True, rules={Verb.CREATE: SIGNED_IN}
)
TREE = Tree(Dir({"nests": NESTS}, rules={Verb.READ: SIGNED_IN}))
EGG = "eggs/one"


class Late(TextBody):
    """A body that something happens before."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__("blue")
        self._happens = happens

    def arrive(self, largest: int, waiting: Waiting) -> None:
        self._happens()


class Nest:
    """A nest that is shared with bob, and what happens to it."""

    def __init__(self, *, egg: bool) -> None:
        self.world: Any = StoredWorld()
        self.item = self.world.items.create("nest", "", "oak")
        self.world.grants.give(self.item.id, Grant("@bob", "rw", "@bob~rw"))
        if egg:
            self.lay()

    def lay(self) -> None:
        self.world.leaves.put(self.item.id, EGG, "white", "ann")

    def take(self) -> None:
        self.world.leaves.clear(self.item.id, EGG)

    def revoke(self) -> None:
        self.world.grants.take(self.item.id, "@bob")

    def build_again(self) -> None:
        self.world.items.rename(self.item, "elm")
        self.new = self.world.items.create("nest", "", "oak")
        self.world.grants.give(self.new.id, Grant("@bob", "rw", "@bob~rw"))
        self.world.leaves.put(self.new.id, EGG, "white", "ann")
        self.world.clock.forward(1)

    def change(self, verb: Verb, happens: Callable[[], object]) -> Reply:
        path = Path.parse(f"/nests/oak/{EGG}")
        return serve(TREE, Call(verb, path, Caller("bob", Via.TOKEN), self.world, Late(happens)))


def test_what_came_meanwhile_is_not_made_again() -> None:
    nest = Nest(egg=False)
    assert nest.change(Verb.WRITE, nest.lay).outcome is Outcome.DONE


def test_what_went_meanwhile_is_made() -> None:
    nest = Nest(egg=True)
    assert nest.change(Verb.WRITE, nest.take).outcome is Outcome.CREATED


def test_what_went_meanwhile_is_not_removed() -> None:
    nest = Nest(egg=True)
    with pytest.raises(NotFound):
        nest.change(Verb.REMOVE, nest.take)


@pytest.mark.parametrize("egg", [False, True])
def test_what_may_not_be_seen_any_more_is_absent(egg: bool) -> None:
    nest = Nest(egg=egg)
    with pytest.raises(NotFound):
        nest.change(Verb.WRITE, nest.revoke)


def test_another_of_that_name_is_the_one_that_is_changed() -> None:
    nest = Nest(egg=True)
    nest.change(Verb.WRITE, nest.build_again)
    found = nest.world.items.find("nest", "", "oak", "bob")
    assert found.item.id == nest.new.id
    assert found.item.last_modified > nest.new.last_modified
    assert nest.world.leaves.get(nest.new.id, EGG).text == "blue"
    assert nest.world.leaves.get(nest.item.id, EGG).text == "white"
