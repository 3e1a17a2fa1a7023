"""What is sent is checked before a transaction begins: no text makes others wait while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.kit.world import StoredWorld
from tests.vfs.edge import SentJson
from vfs.access import Caller, Kind, Verb, Via
from vfs.body import Body, TextBody
from vfs.call import Call
from vfs.errors import Invalid
from vfs.nodes import Dir, Each, Items
from vfs.param import Param
from vfs.parts import line
from vfs.path import Path
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.texts import several_texts
from vfs.tree import Tree

TOY: Param[Any] = Param("toy")


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


@pytest.fixture
def world() -> Any:
    world = Watched()
    world.items.create("nest", "", "one")
    return world


def ask(world: Any, verb: Verb, path: str, body: Body) -> tuple[Any, list[tuple[str, int]]]:
    """Answer a call; the texts that were checked meanwhile, each with the transactions that were open."""
    checked: list[tuple[str, int]] = []

    def check(sent: str) -> str:
        checked.append((sent, world.inside))
        if sent == "bad":
            raise Invalid("it is bad")
        return sent.strip()

    nest = Dir({"label": line(check=check), "toys": Each(TOY, line(check=check)), "texts": several_texts()})
    items = Items(Kind(name="nest"), nest, owner=None, canonical=True, rules={Verb.CREATE: SIGNED_IN})
    tree = Tree(Dir({"me": items}, rules={Verb.READ: SIGNED_IN}))
    call = Call(verb, Path.parse(path), Caller("", Via.TOKEN), world, body)
    try:
        return serve(tree, call), checked
    except Invalid as refusal:
        return refusal, checked


@pytest.mark.parametrize(
    "verb,path",
    [
        (Verb.WRITE, "/me/one/label"),
        (Verb.CREATE, "/me/one/label"),
        (Verb.CREATE, "/me/one/toys/car"),
    ],
)
@pytest.mark.parametrize("sent", [" word ", "bad"])
def test_a_text_is_checked_once_and_outside_every_transaction(
    world: Any, verb: Verb, path: str, sent: str
) -> None:
    answer, checked = ask(world, verb, path, TextBody(sent))
    assert checked == [(sent, 0)]
    assert isinstance(answer, Invalid) is (sent == "bad")


@pytest.mark.parametrize("second", ["red ", "bad"])
def test_several_texts_are_checked_outside_too(world: Any, second: str) -> None:
    ask(world, Verb.CREATE, "/me/one/toys/car", TextBody("old"))
    sent = {"label": {"text": "a"}, "toys/car": {"text": second}}
    answer, checked = ask(world, Verb.WRITE, "/me/one/texts", SentJson(sent))
    assert checked == [("a", 0), (second, 0)]
    assert isinstance(answer, Invalid) is (second == "bad")
