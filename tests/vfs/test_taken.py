"""Creating what is there already: reported to users who may know it, hidden from others."""

from __future__ import annotations

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Grant, Kind, Verb
from vfs.call import Call
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated, VfsError
from vfs.nodes import Dir, Each, Items
from vfs.param import USER, Param
from vfs.parts import text
from vfs.path import Path
from vfs.rules import ANYONE
from vfs.serve import serve
from vfs.tree import Tree

NOTES = Each(Param("note"), Dir({"text": text()}), candid=True)
TREE = Tree(
    Dir(
        {"docs": Each(USER, Items(Kind(name="doc"), Dir({"notes": NOTES}), canonical=True),
                      names=lambda p: (), has=lambda p, name: name, fixed=True)},
        rules={Verb.READ: ANYONE},
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("caller", "there", "absent"),
    [
        ("alice", Conflict, None),
        ("reader", Conflict, Denied),
        ("writer", Conflict, None),
        ("remover", Denied, Denied),
        ("stranger", NotFound, NotFound),
        (None, Unauthenticated, Unauthenticated),
    ],
)
def test_a_taken_name_is_reported_to_users_who_may_know_it(
    caller: str | None, there: type[VfsError], absent: type[VfsError] | None
) -> None:
    world = StoredWorld()
    item = world.items.create("doc", "alice", "report")
    world.leaves.put(item.id, "notes/one", "", "alice")
    for name, letter in (("reader", "r"), ("writer", "w"), ("remover", "d")):
        world.grants.give(item.id, Grant(f"@{name}", letter, f"@{name}~{letter}"))

    def create(note: str) -> None:
        path = Path.parse(f"/docs/alice/report/notes/{note}")
        serve(TREE, Call(Verb.CREATE, path, Caller(caller), world))

    with pytest.raises(there):
        create("one")
    if absent is None:
        create("two")
    else:
        with pytest.raises(absent):
            create("two")
