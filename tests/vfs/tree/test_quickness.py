"""Calls that wait for nothing but a short look into the database, by the shapes of their paths."""

from __future__ import annotations

import pytest

from vfs.access import Kind, Verb
from vfs.nodes import Derived, Dir, Each, File, Ghost, Items, Link, Subtree
from vfs.param import USER, Param
from vfs.parts import text
from vfs.path import Path
from vfs.quickness import is_groupable, is_quick
from vfs.rules import ANYONE, SIGNED_IN
from vfs.tree import Tree

BOX = Dir(
    {
        "label": text(),
        "view": text(view=lambda place: None),
        "sums": Derived(lambda place, of: "", of=("label",)),
        "made": text(default=lambda place: "made up"),
        "page": Derived(lambda place, of: "", of=("label",), data=lambda place, found: {}),
        "short": Link(to="label"),
        "round": Link(to="round"),
        "note": text(),
        "listed": Ghost(),
        "size": text(check=lambda sent: sent),
        "kept": File(lambda place: "", lambda place, value: None),
        "lent": text(accept=lambda place, value: value),
        "face": File(wants="blob"),
        "far": text(long=True),
    }
)
TREE = Tree(
    Dir(
        {
            "me": Link(to="/users/{me}"),
            "users": Each(
                USER,
                Dir({"boxes": Items(Kind(name="box"), BOX, home=True)}),
                names=lambda place: (),
                has=lambda place, name: name,
                quick=True,
                fixed=True,
            ),
            "rings": Each(
                Param("ring"),
                Dir({"tone": File(lambda place: "", quick=True, fixed=True)}),
                names=lambda place: (),
                has=lambda place, name: name,
                fixed=True,
            ),
            "pool": Dir({"depth": File(lambda place: "", quick=True, fixed=True)}, enter=lambda place: None),
            "hall": Dir(
                {"door": File(lambda place: "", quick=True, fixed=True)}, enter=lambda place: None, quick=True
            ),
            "deep": Subtree(
                param=Param("path"),
                look=lambda place: "",
                folder=lambda fact: False,
                names=lambda place: (),
                read=lambda place: "",
                quick=True,
            ),
            "shown": File(lambda place: "", quick=True, fixed=True, shown=lambda place: None),
            "faces": Items(
                Kind(name="face"), Dir({"label": text()}), owner=None, read=lambda place: "a face"
            ),
            "slow": File(lambda place: "", fixed=True),
        },
        rules={Verb.READ: SIGNED_IN, Verb.WRITE: ANYONE},
    )
)


@pytest.mark.parametrize(
    ("path", "quick"),
    [
        ("/users/ann/boxes/b/label", True),
        ("/me/boxes/b/label", True),
        ("/me/boxes/b/short", True),
        ("/me/boxes/b/sums", True),
        ("/me/boxes/b/page", False),
        ("/me/boxes/b/view", False),
        ("/me/boxes/b/round", False),
        ("/me/boxes/b/nothing", True),
        ("/me/boxes/b/listed", False),
        ("/me/boxes", False),
        ("/me", False),
        ("/rings/one/tone", False),
        ("/pool/depth", False),
        ("/hall/door", True),
        ("/deep/a/b", False),
        ("/slow", False),
        ("/nowhere/at/all", True),
    ],
)
def test_a_read_is_quick_where_each_node_on_the_way_is(path: str, quick: bool) -> None:
    assert is_quick(TREE, Verb.READ, Path.parse(path)) is quick
    assert is_quick(TREE, None, Path.parse(path)) is quick
    assert not is_quick(TREE, Verb.WRITE, Path.parse(path))


@pytest.mark.parametrize(
    ("path", "groupable"),
    [
        ("/users/ann/boxes/b/note", True),
        ("/me/boxes/b/note", True),
        ("/me/boxes/b/view", True),
        ("/me/boxes/b/label", False),
        ("/me/boxes/b/size", False),
        ("/me/boxes/b/kept", False),
        ("/me/boxes/b/lent", False),
        ("/me/boxes/b/face", False),
        ("/me/boxes/b/far", False),
        ("/me/boxes/b/sums", False),
        ("/me/boxes/b", False),
        ("/nowhere/at/all", False),
    ],
)
def test_a_write_is_groupable_where_it_is_a_text_and_nothing_more(path: str, groupable: bool) -> None:
    assert is_groupable(TREE, Verb.WRITE, Path.parse(path)) is groupable
    assert not is_groupable(TREE, Verb.CREATE, Path.parse(path))
    assert not is_groupable(TREE, Verb.READ, Path.parse(path))
