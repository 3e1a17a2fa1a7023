"""Entries of a folder that are items, and entries that a rule lets be made again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import PUBLIC, Access, Caller, EffectiveGrant, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call, Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated
from vfs.find import find
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import line, value
from vfs.path import Path
from vfs.ports.items import Found
from vfs.rules import NOBODY, SIGNED_IN, R, Rule, W
from vfs.serve import serve
from vfs.tree import Tree

CONFERS = {"k": Access.INFO | Access.READ, "w": Access.WRITE}
NEST: Param[Found] = Param("nest")
LETTERS = {"keeper": "kw", "guest": "k", "lost": ""}


def nest(context: Context, name: str) -> Any:
    """The item of a nest, which strangers do not see."""
    return context.world.items.find("nest", "~", name, None) if context.caller.name else None


def enter(context: Context) -> Found | None:
    """Into the nest, with what the caller's name confers; an addled one is not entered."""
    found = context[NEST]
    if found.item.name == "addled":
        return None
    return Found(found.item, (EffectiveGrant("~", LETTERS[context.me]),))


def own(context: Context) -> Found | None:
    """Into the caller's own nest, where it has one."""
    found = context.world.items.find("nest", "~", context.me, None)
    return Found(found.item, (EffectiveGrant("~", "kw"),)) if found is not None else None


def nests(context: Context) -> Any:
    """All nests."""
    for found in sorted(context.world.items.visible("nest", "~", "~"), key=lambda one: one.item.name):
        yield Named(found.item.name, found.item.created_on, found.item.last_modified, found)


def make(context: Context) -> str:
    """A nest, or one egg more in it."""
    if context.absent:
        context.world.items.create("nest", "~", context.name)
    return "an egg\n"


AGAIN = Rule("roomy", lambda p: p.name.startswith("big"), "a roomy nest")
TREE = Tree(
    Dir(
        {
            "nests": Each(
                NEST,
                Dir({"label": line()}, enter=enter, confers=CONFERS, rules={Verb.READ: R, Verb.WRITE: W}),
                names=nests,
                has=nest,
                create=make,
                again=AGAIN,
                rules={Verb.CREATE: SIGNED_IN},
            ),
            "eggs": Each(
                Param("egg"),
                value(lambda p: ""),
                names=lambda p: (),
                has=lambda p, name: None,
                create=make,
                candid=Rule("laid", lambda p: p.name.startswith("laid"), "a laid one"),
                rules={Verb.CREATE: NOBODY, Verb.WRITE: NOBODY},
            ),
            "own": Dir({"label": line()}, enter=own, confers=CONFERS, rules={Verb.READ: R, Verb.WRITE: W}),
        },
        rules={Verb.READ: SIGNED_IN},
    )
)


class Wood:
    """Calls into the tree."""

    def __init__(self) -> None:
        self.world = StoredWorld()

    def call(
        self, verb: Verb | None, path: str, who: str | None = "keeper", body: str | None = None
    ) -> Reply:
        caller = Caller(who, Via.TOKEN) if who else PUBLIC
        sent = TextBody(body) if body is not None else NoBody()
        return serve(TREE, Call(verb, Path.parse(path), caller, self.world, sent))


@pytest.fixture
def wood() -> Wood:
    wood = Wood()
    for name in ("small", "big"):
        wood.world.items.create("nest", "~", name)
    return wood


def test_an_entry_is_entered_with_what_its_reach_confers(wood: Wood) -> None:
    assert wood.call(Verb.READ, "/nests/small").permissions == ("r", "w")
    wood.call(Verb.WRITE, "/nests/small/label", body="mine")
    assert wood.call(Verb.READ, "/nests/small/label", "guest").value == "mine"
    with pytest.raises(Denied):
        wood.call(Verb.WRITE, "/nests/small/label", "guest", "theirs")
    with pytest.raises(Denied):
        wood.call(Verb.READ, "/nests/small/label", "lost")


def test_listings_enter_too(wood: Wood) -> None:
    rows = {row.name: row for row in wood.call(Verb.READ, "/nests").value.value}  # type: ignore[union-attr]
    assert {name: row.permissions for name, row in rows.items()} == {"big": ("r", "w"), "small": ("r", "w")}
    for name, row in rows.items():
        assert wood.call(None, f"/nests/{name}").allow == row.verbs


def test_a_listing_enters_fixed_folders_too(wood: Wood) -> None:
    wood.world.items.create("nest", "~", "keeper")
    rows = {row.name: row for row in wood.call(Verb.READ, "/").value.value}  # type: ignore[union-attr]
    answer = wood.call(None, "/own")
    assert (rows["own"].verbs, rows["own"].permissions) == ((Verb.READ,), ("r", "w"))
    assert (answer.allow, answer.permissions) == (rows["own"].verbs, rows["own"].permissions)
    nobody = {row.name: row for row in wood.call(Verb.READ, "/", "guest").value.value}  # type: ignore[union-attr]
    assert nobody["own"].verbs == ()


def test_an_entry_that_is_not_entered_is_absent(wood: Wood) -> None:
    wood.world.items.create("nest", "~", "addled")
    for verb in Verb:
        with pytest.raises(NotFound):
            wood.call(verb, "/nests/addled/label", body="x")


@pytest.mark.parametrize(
    "path, rel", [("/nests/small/hollow", "hollow"), ("/nests/small/far/hollow", "far/hollow")]
)
def test_a_caller_who_enters_from_within_an_item_learns_where(wood: Wood, path: str, rel: str) -> None:
    def further(context: Context) -> Found:
        return Found(context.here, (EffectiveGrant(context.rel, "k"),))

    hollow = Dir({"label": line()}, enter=further, confers=CONFERS, rules={Verb.READ: R, Verb.WRITE: W})
    nest_of = Dir({"hollow": hollow, "far": Dir({"hollow": hollow})}, enter=enter, confers=CONFERS)
    folder = Each(NEST, nest_of, names=nests, has=nest, fixed=True)
    tree = Tree(Dir({"nests": folder}, rules={Verb.READ: SIGNED_IN, Verb.WRITE: NOBODY}))
    context = find(
        tree, Call(Verb.READ, Path.parse(f"{path}/label"), Caller("keeper", Via.TOKEN), wood.world)
    )
    assert (context.effective_grants, context.rel) == ((EffectiveGrant(rel, "k"),), "label")


def test_a_rule_tells_which_entries_are_made_again(wood: Wood) -> None:
    assert wood.call(Verb.CREATE, "/nests/big").value == "an egg\n"
    assert Verb.CREATE in (wood.call(None, "/nests/big").allow or ())
    assert Verb.CREATE not in (wood.call(None, "/nests/small").allow or ())
    with pytest.raises(Conflict):
        wood.call(Verb.CREATE, "/nests/small")
    with pytest.raises(Unauthenticated):
        wood.call(Verb.CREATE, "/nests/small", None)
    assert wood.call(Verb.CREATE, "/nests/new").location == "/nests/new"


def test_a_rule_tells_of_which_names_a_folder_is_candid(wood: Wood) -> None:
    with pytest.raises(Denied):
        wood.call(Verb.CREATE, "/eggs/laid-one")
    with pytest.raises(NotFound):
        wood.call(Verb.CREATE, "/eggs/golden-one")
