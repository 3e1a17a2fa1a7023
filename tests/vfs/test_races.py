"""What is gone when it is written, what a folder makes itself, and whose a text is that a run wrote."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Kind, Verb, Via, people_behind
from vfs.body import TextBody, hold_charset
from vfs.call import Call, Reply
from vfs.errors import NotFound, WrongMedia
from vfs.nodes import Dir, Each, Items
from vfs.param import Param
from vfs.parts import line, value
from vfs.path import Path
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

EGG: Param[Any] = Param("egg")
EGGS = Each(
    EGG,
    value(lambda p: ""),
    names=lambda p: (),
    has=lambda p, name: None,
    create=lambda p: f"laid {p.name}\n",
    rules={Verb.CREATE: SIGNED_IN, Verb.WRITE: SIGNED_IN},
)
TREE = Tree(
    Dir(
        {"eggs": EGGS, "me": Items(Kind(name="nest"), Dir({"label": line()}), owner=None, canonical=True)},
        rules={Verb.READ: SIGNED_IN},
    )
)


def ask(world: Any, verb: Verb, path: str, body: TextBody) -> Reply:
    return serve(TREE, Call(verb, Path.parse(path), Caller("", Via.TOKEN), world, body))


def test_a_text_for_an_item_that_was_removed_meanwhile_is_not_kept() -> None:
    world: Any = StoredWorld()
    world.items.create("nest", "", "one")

    class Slow(TextBody):
        def text(self, largest: int) -> str:
            world.items.remove(world.items.find("nest", "", "one", "").item)
            return super().text(largest)

    with pytest.raises(NotFound):
        ask(world, Verb.WRITE, "/me/one/label", Slow("late"))
    assert world.items.find("nest", "", "one", "") is None


def test_a_text_for_an_item_that_is_removed_just_before_it_is_kept_is_refused() -> None:
    world: Any = StoredWorld()
    world.items.create("nest", "", "one")
    put = world.leaves.put

    def removed_first(item: int, *args: Any, **more: Any) -> Any:
        world.items.remove(world.items.find("nest", "", "one", "").item)
        return put(item, *args, **more)

    world.leaves.put = removed_first
    with pytest.raises(NotFound):
        ask(world, Verb.WRITE, "/me/one/label", TextBody("late"))


def test_a_folder_that_makes_its_entries_takes_no_text_for_them() -> None:
    world: Any = StoredWorld()
    assert ask(world, Verb.CREATE, "/eggs/blue", TextBody("")).value == "laid blue\n"


def test_a_text_of_a_run_has_all_who_are_behind_it_as_authors() -> None:
    assert Caller("ann").author == "ann"
    assert Caller(None, behind=lambda: {"bob"}).author is None
    assert Caller("ann", behind=lambda: {"bob", "ann"}).author == "ann bob"
    assert Caller("ann", run=7).author == "* ann"
    assert people_behind("cat", "ann bob") == {"ann", "bob", "cat"}
    assert people_behind("cat", None) == {"cat"}


def test_a_body_in_a_charset_that_is_not_read_is_refused() -> None:
    hold_charset("text/plain; charset=utf-8")
    with pytest.raises(WrongMedia):
        hold_charset("text/plain; charset=latin-1")
