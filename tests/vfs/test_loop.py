"""Shapes that hold themselves: walked as deep as there are names, listed once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Verb
from vfs.call import Call, Data
from vfs.context import Context
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Loop, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import Path
from vfs.rules import ANYONE
from vfs.serve import serve
from vfs.tree import Tree, TreeError

DIGIT: Param[str] = Param("digit")


def lower(context: Context) -> Iterator[Named]:
    """Every digit below the one above."""
    for digit in range(int(context.segment(DIGIT)) if DIGIT in context else 3):
        yield Named(str(digit), "", "")


COUNTED = Each(
    DIGIT,
    Dir({"value": value(lambda context: context.segment(DIGIT)), "below": Loop(up=1)}),
    names=lower,
    has=lambda context, name: name if name in [one.name for one in lower(context)] else None,
    fixed=True,
)
TREE = Tree(Dir({"digits": COUNTED}, rules={Verb.READ: ANYONE}))


def ask(path: str) -> object:
    call = Call(Verb.READ, Path.parse(path), Caller("alice"), StoredWorld())
    answer = serve(TREE, call).value
    return [entry.name for entry in answer.value] if isinstance(answer, Data) else answer


def test_a_loop_is_walked_as_deep_as_there_are_names() -> None:
    assert ask("/digits") == ["0", "1", "2"]
    assert ask("/digits/2") == ["value", "below"]
    assert ask("/digits/2/below") == ["0", "1"]
    assert ask("/digits/2/below/1/below/0/value") == "0"
    with pytest.raises(NotFound):
        ask("/digits/2/below/2/value")


def test_a_loop_is_listed_once() -> None:
    assert [route.template for route in TREE.routes()] == [
        "/digits",
        "/digits/:digit",
        "/digits/:digit/value",
    ]


@pytest.mark.parametrize("up", [2, 9])
def test_a_loop_leads_to_a_folder(up: int) -> None:
    with pytest.raises(TreeError, match="where no folder is"):
        Tree(Dir({"one": Dir({"again": Loop(up=up)})}, rules={Verb.READ: ANYONE}))
