"""Folders that show some of the items of another folder: the others are absent there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Grant, Kind, Verb, Via
from vfs.body import NoBody
from vfs.call import Call
from vfs.errors import NotFound
from vfs.nodes import Dir, Items
from vfs.parts import text
from vfs.path import Path
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

JAR = Kind(name="jar")


class Pantry:
    """Three jars that are shared with ann; a second folder shows the full ones."""

    def __init__(self) -> None:
        self.world = StoredWorld()
        self.full: set[int] = set()
        jars = Items(JAR, Dir({"label": text()}), owner=None, canonical=True)
        full = Items(JAR, Dir({"label": text()}), owner=None, fixed=True, among=self.among)
        self.tree = Tree(Dir({"jars": jars, "full": full}, rules={Verb.READ: SIGNED_IN}))
        for name in ("fig", "plum", "rye"):
            item = self.world.items.create("jar", "", name)
            self.world.grants.give(item.id, Grant("@ann", "r", "@ann~r"))
            if name != "plum":
                self.full.add(item.id)

    def among(self, world: object, items: Any) -> Any:
        assert world is self.world
        return self.full & set(items)

    def names(self, path: str) -> list[str]:
        reply = serve(
            self.tree, Call(Verb.READ, Path.parse(path), Caller("ann", Via.TOKEN), self.world, NoBody())
        )
        return [row.name for row in reply.value.value]


def test_a_folder_shows_the_chosen_items_alone() -> None:
    pantry = Pantry()
    assert pantry.names("/jars") == ["fig", "plum", "rye"]
    assert pantry.names("/full") == ["fig", "rye"]
    assert pantry.names("/full/fig") == ["label"]
    for path in ("/full/plum", "/full/none"):
        with pytest.raises(NotFound):
            pantry.names(path)
