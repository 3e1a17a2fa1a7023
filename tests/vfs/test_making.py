"""What an entry is made of is made before the transaction, and used only if it may still be made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Verb, Via
from vfs.body import NoBody
from vfs.call import Call, Outcome, Reply
from vfs.errors import Conflict, Invalid
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.path import Path
from vfs.rules import ANYONE, SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

EGG: Param[str] = Param("egg")


class Nest:
    """A folder of eggs, each made of what was gathered before; `meanwhile` happens while it is gathered."""

    def __init__(self) -> None:
        self.world: Any = StoredWorld()
        self.eggs: dict[str, str] = {}
        self.gathered: list[str] = []
        self.meanwhile: dict[str, str] = {}
        each = Each(
            EGG,
            Dir({}),
            names=lambda p: [Named(name, "", "", fact) for name, fact in self.eggs.items()],
            has=lambda p, name: self.eggs.get(name),
            prepare=self.gather,
            create=self.lay,
            rules={Verb.CREATE: SIGNED_IN, Verb.WRITE: SIGNED_IN},
        )
        self.tree = Tree(Dir({"eggs": each}, rules={Verb.READ: ANYONE}))

    def gather(self, context: Any) -> str:
        assert not self.world.database._live().in_transaction()
        self.gathered.append(context.name)
        self.eggs |= self.meanwhile
        return "straw"

    def lay(self, context: Any, made: str) -> str:
        assert self.world.database._live().in_transaction()
        self.eggs[context.name] = made
        return f"laid {context.name} on {made}\n"

    def put(self, name: str) -> Reply:
        path = Path(("eggs", name))
        return serve(self.tree, Call(Verb.CREATE, path, Caller("ann", Via.TOKEN), self.world, NoBody()))


def test_what_is_made_before_reaches_the_entry() -> None:
    nest = Nest()
    reply = nest.put("blue")
    assert (reply.value, reply.outcome) == ("laid blue on straw\n", Outcome.CREATED)
    assert nest.eggs == {"blue": "straw"}


def test_nothing_is_made_for_a_name_that_is_taken_or_bad() -> None:
    nest = Nest()
    nest.put("blue")
    with pytest.raises(Conflict):
        nest.put("blue")
    with pytest.raises(Invalid):
        nest.put("Blue")
    assert nest.gathered == ["blue"]


def test_an_entry_that_came_meanwhile_stays() -> None:
    nest = Nest()
    nest.meanwhile = {"blue": "moss"}
    with pytest.raises(Conflict):
        nest.put("blue")
    assert nest.eggs == {"blue": "moss"}
