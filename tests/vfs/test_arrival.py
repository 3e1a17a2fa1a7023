"""A body is there before a transaction begins: nobody waits for somebody else's slow line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Kind, Verb, Via
from vfs.body import TextBody, Waiting
from vfs.call import Call
from vfs.nodes import MIB, Dir, Items
from vfs.parts import line
from vfs.path import Path
from vfs.route import NOWHERE
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(
    Dir(
        {
            "me": Items(
                Kind(name="nest"),
                Dir({"label": line()}),
                owner=None,
                canonical=True,
                rules={Verb.CREATE: SIGNED_IN},
            )
        },
        rules={Verb.READ: SIGNED_IN},
    )
)


class Watched(StoredWorld):
    """A world that knows whether a transaction is open."""

    inside = 0

    @contextmanager
    def atomic(self) -> Iterator[None]:
        self.inside += 1
        try:
            with super().atomic():
                yield
        finally:
            self.inside -= 1


class Late(TextBody):
    """A body that tells when it was waited for, and for how much of it."""

    def __init__(self, content: str, world: Watched) -> None:
        super().__init__(content)
        self._world = world
        self.waits: list[tuple[int, int]] = []

    def arrive(self, largest: int, waiting: Waiting) -> None:
        with waiting():
            self.waits.append((self._world.inside, largest))


@pytest.mark.parametrize(
    ("verb", "path", "largest"),
    [
        (Verb.WRITE, "/me/one/label", 1024),
        (Verb.RENAME, "/me/one", NOWHERE.largest),
        (Verb.CREATE, "/me/two", NOWHERE.largest),
    ],
)
def test_a_body_is_awaited_outside_every_transaction(verb: Verb, path: str, largest: int) -> None:
    world: Any = Watched()
    world.items.create("nest", "", "one")
    body = Late("word", world)
    found = world.items.find("nest", "", "one", "")
    assert found is not None
    try:
        serve(TREE, Call(verb, Path.parse(path), Caller("", Via.TOKEN), world, body))
    finally:
        assert body.waits == [(0, largest)]
    assert NOWHERE.largest == MIB
