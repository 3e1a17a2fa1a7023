"""The declaration is checked as a whole when the service starts."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Kind, Verb
from vfs.nodes import Derived, Dir, Each, File, Items, Link
from vfs.param import Param
from vfs.parts import text
from vfs.rules import ANYONE
from vfs.tree import Tree, TreeError

OPEN = {Verb.READ: ANYONE, Verb.WRITE: ANYONE}


def refusal(root: Dir) -> str:
    with pytest.raises(TreeError) as error:
        Tree(root)
    return str(error.value)


@pytest.mark.parametrize(
    ("root", "says"),
    [
        (Dir({}), "/: no rule decides who may read"),
        (
            Dir({"f": File(lambda p: "", lambda p, v: None)}, rules={Verb.READ: ANYONE}),
            "/f: no rule decides who may write",
        ),
        (Dir({"f": text()}, rules=OPEN), "/f: a stored file needs an item"),
        (Dir({"f": File(lambda p: "")}, rules=OPEN), "/f: a file that is read by a hook"),
        (Dir({"e": Each(Param("x"), Dir({}))}, rules=OPEN), "/e: entries kept as leaves need an item"),
        (Dir({"l": Link(to="/nowhere")}, rules=OPEN), "/l: the target /nowhere of the link does not exist"),
        (Dir({"l": Link(to="here")}, rules=OPEN), "/l: the target here of the link does not exist"),
        (
            Dir(
                {n: Items(Kind(name="b"), Dir({}), owner=None, canonical=True) for n in ("one", "two")},
                rules=OPEN,
            ),
            "/two: the kind b has a home already at /one/:b",
        ),
        (
            Dir({"i": Items(Kind(name="b"), Dir({"d": Derived(of=("gone",))}), owner=None)}, rules=OPEN),
            "/i/:b/d: made of gone, which is no file of its item",
        ),
        (
            Dir(
                {"i": Items(Kind(name="b"), Dir({"d": Derived(of=("a/b",)), "a": Dir({})}), owner=None)},
                rules=OPEN,
            ),
            "/i/:b/d: made of a/b",
        ),
        (
            Dir(
                {
                    "f": File(lambda p: "", fixed=True),
                    "i": Items(Kind(name="b"), Dir({"d": Derived(of=("../f",))}), owner=None),
                },
                rules=OPEN,
            ),
            "/i/:b/d: made of ../f",
        ),
    ],
)
def test_what_is_not_whole_is_refused_by_name(root: Dir, says: str) -> None:
    assert says in refusal(root)


def test_every_spot_is_walked_with_its_template(kernel: Any) -> None:
    templates = [route.template for route in kernel.tree.routes()]
    assert "/users/:user/boxes/:box/cover/top" in templates
    assert len(templates) == len(set(templates))


def test_fixed_entries_have_no_extra_verbs(kernel: Any) -> None:
    routes = {route.template: route for route in kernel.tree.routes()}
    assert set(routes["/users/:user"].rules) == {Verb.READ}
    assert routes["/users/:user/shelf/:box"].birth == {}


def test_items_of_everybody_are_owned_by_who_makes_them(kernel: Any) -> None:
    tree = Tree(
        Dir({"all": Items(Kind(name="b"), Dir({}), owner=None, rules={Verb.CREATE: ANYONE})}, rules=OPEN)
    )
    kernel.tree = tree
    kernel.ask("bob", Verb.CREATE, "/all/mine")
    assert kernel.names("bob", "/all") == ["mine"]
