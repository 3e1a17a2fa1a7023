"""Entries of two shapes in one folder are distinguished by their names, and listed together."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Verb, Via
from vfs.call import Call, Data
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import Path
from vfs.rules import ANYONE
from vfs.serve import serve
from vfs.tree import Tree


def shelf(kind: str, *found: str, **more: Any) -> Each[str]:
    return Each(
        Param(kind),
        value(lambda context: f"{kind} {context.name}"),
        names=lambda context: [Named(name, "", "", name) for name in found],
        has=lambda context, name: name if name in found else None,
        **more,
    )


CUPS = shelf("cup", "cup~one", name=re.compile("cup~[a-z]+"))
TREE = Tree(Dir({"shelf": shelf("plate", "blue", also=CUPS)}, rules={Verb.READ: ANYONE}))


def read(*names: str) -> Any:
    world: Any = StoredWorld()
    return serve(TREE, Call(Verb.READ, Path(("shelf", *names)), Caller("ann", Via.TOKEN), world)).value


def test_a_name_says_which_of_the_two_an_entry_is() -> None:
    assert (read("blue"), read("cup~one")) == ("plate blue", "cup cup~one")
    with pytest.raises(NotFound):
        read("cup~blue")


def test_a_listing_has_those_of_both() -> None:
    listing = read()
    assert isinstance(listing, Data)
    assert [row.name for row in listing.value] == ["blue", "cup~one"]
