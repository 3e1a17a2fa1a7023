"""Advice names what may have been meant, of what the caller sees; absent and invisible get the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfs.access import PUBLIC, Caller, Kind, Verb, Via
from vfs.call import Call
from vfs.errors import Advice, Invalid, NotFound, Unavailable, Unsupported, VfsError
from vfs.nodes import Dir, Each, Items, Link, Named
from vfs.param import Param
from vfs.path import Path
from vfs.permission import absent_at
from vfs.remedies import ALIKE, MOST_NAMES, advise, likeness
from vfs.rules import ANYONE
from vfs.serve import serve
from vfs.tree import Tree

METHODS = {"read": "GET", "write": "POST", "create": "PUT", "rename": "PATCH", "remove": "DELETE"}


def advice_of(kernel: Any, who: str, verb: Verb, path: str) -> str:
    """The advice for a refused caller, behind the refusal itself."""
    tree = kernel.tree
    tree.advice = Advice(methods=METHODS, contents=("data", "shake"))
    call = Call(verb, Path.parse(path), Caller(who, Via.TOKEN), kernel.world)
    with pytest.raises(VfsError) as caught:
        serve(tree, call)
    advice = advise(tree, call, caught.value)
    assert type(advice) is caught.type
    assert advice.members == caught.value.members
    return advice.detail.removeprefix(caught.value.detail).removeprefix("; ")


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("/users/ann/boxes/toolbxo", "did you mean /users/ann/boxes/toolbox? If not, PUT makes it"),
        ("/users/ann/boxes/zzz/cover/top", "PUT /users/ann/boxes/zzz makes it"),
        ("/users/ann/boxes/toolbox/lable", "did you mean /users/ann/boxes/toolbox/label?"),
        ("/me/boxes/toolbox/lable", "did you mean /me/boxes/toolbox/label?"),
        ("/users/ann/boxes/toolbox/cover/xyz", "/users/ann/boxes/toolbox/cover has both, inside, "),
        ("/users/ann/boxes/toolbox/env/key", "PUT makes it"),
        ("/users/ann/boxes/toolbox/toys/ball", "PUT makes it"),
        ("/me/boxes/toolbox/deep/a/c.tx",
         "did you mean /me/boxes/toolbox/deep/a/c.txt? If not, PUT makes it"),
        ("/me/boxes/toolbox/deep/b.tx", "did you mean /me/boxes/toolbox/deep/b.txt? If not, PUT makes it"),
        ("/users/nobody/boxes", ""),
        ("/usres/ann", "did you mean /users?"),
        ("/qqq", ""),
        ("/card/x/y/z/a/b/c", ""),
        ("/users/nobody/boxes/toolbox/label", ""),
        ("/me/boxes/toolbxo/cover/top",
         "did you mean /me/boxes/toolbox? If not, PUT /me/boxes/toolbxo makes it"),
        ("/me/boxes/toolbox/self/x", ""),
        ("/me/boxes/toolbox/cover/topp/x", "did you mean /me/boxes/toolbox/cover/top?"),
    ],
)  # fmt: skip
def test_an_absent_path_gets_similar_names(kernel: Any, path: str, advice: str) -> None:
    said = advice_of(kernel, "ann", Verb.READ, path)
    assert said.startswith(advice) if advice.endswith(", ") else said == advice
    unknown = NotFound(f"there is no {path}, or it is not visible to you")
    call = Call(Verb.READ, Path.parse(path), Caller("ann", Via.TOKEN), kernel.world)
    assert advise(kernel.tree, call, unknown).detail.endswith(said)  # as when each folder is tried


@given(st.text("abcd-", min_size=5, max_size=30), st.integers(0, 4), st.sampled_from("abcdxyz"), st.data())
def test_names_are_alike_after_a_slip(name: str, kind: int, letter: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 2))
    head, here, tail = name[:at], name[at : at + 2], name[at + 2 :]
    slips = (name, head + letter + here + tail, head + here[1] + tail, head + letter + here[1] + tail,
             head + here[::-1] + tail)  # fmt: skip
    assert ALIKE <= likeness(name, slips[kind]) == likeness(slips[kind], name) <= 1
    assert (likeness(name, slips[kind]) == 1) == (name == slips[kind])


def test_names_are_not_alike_for_a_few_letters() -> None:
    assert likeness("report", "budget") < ALIKE and likeness("a", "bc") == 0 and likeness("x", "x") == 1


def test_a_stranger_gets_no_advice_in_a_private_folder(kernel: Any) -> None:
    mine = Items(Kind(name="box"), Dir({}), owner=None, canonical=True)
    tree = Tree(Dir({"mine": mine}, rules={Verb.READ: ANYONE}))
    call = Call(Verb.READ, Path.parse("/mine/toolbxo"), PUBLIC, kernel.world)
    refusal = absent_at(call.path)
    assert advise(tree, call, refusal).detail == refusal.detail


def test_what_is_known_to_be_missing_is_not_looked_up_again(kernel: Any) -> None:
    requested: list[str] = []
    far = Each(
        Param("far"),
        Dir({"y": Dir({})}),
        names=lambda p: (),
        has=lambda p, name: requested.append(name),
        fixed=True,
    )
    kernel.tree = Tree(Dir({"far": far, "me": Link(to="/far/{me}/y")}, rules={Verb.READ: ANYONE}))
    for path in ("/far/x/y/z/top", "/me/z/top"):
        assert advice_of(kernel, "ann", Verb.READ, path) == ""
    assert requested == ["x", "ann"]


def test_a_few_fixed_entries_are_all_listed(kernel: Any) -> None:
    found = advice_of(kernel, "ann", Verb.READ, "/users/ann/boxes/toolbox/cover/inside/q")
    assert found == "/users/ann/boxes/toolbox/cover/inside has all and own"


@pytest.mark.parametrize("who", ["bob", "cleo"])
@pytest.mark.parametrize("letters", ["", "r", "x", "w"])
@pytest.mark.parametrize(
    "below", ["", "/label", "/vault/key", "/vault/kee", "/toys/new", "/nonsense", "/deep/a"]
)
def test_absent_and_invisible_get_the_same_message(kernel: Any, who: str, letters: str, below: str) -> None:
    kernel.ask("ann", Verb.CREATE, "/me/boxes/absent-one")
    kernel.ask("ann", Verb.REMOVE, "/me/boxes/absent-one")
    kernel.ask("ann", Verb.CREATE, "/me/boxes/hidden-one")
    if letters:
        kernel.share(f"@{who}", letters)
    for verb in Verb:
        there = refusal(kernel, who, verb, f"/users/ann/boxes/hidden-one{below}")
        absent = refusal(kernel, who, verb, f"/users/ann/boxes/absent-one{below}")
        assert there.replace("hidden-one", "X") == absent.replace("absent-one", "X")
        assert "hidden" not in there.replace("hidden-one", "X")


def refusal(kernel: Any, who: str, verb: Verb, path: str) -> str:
    call = Call(verb, Path.parse(path), Caller(who, Via.TOKEN), kernel.world)
    with pytest.raises(VfsError) as caught:
        serve(kernel.tree, call)
    return advise(kernel.tree, call, caught.value).detail


def test_a_hidden_item_gets_the_message_of_an_absent_one(kernel: Any) -> None:
    kernel.share("@bob", "r")
    hidden = refusal(kernel, "bob", Verb.READ, "/users/ann/boxes/toolbox/vault")
    absent = refusal(kernel, "bob", Verb.READ, "/users/ann/boxes/toolbox/vaunt")
    assert hidden.replace("vault", "X") == absent.replace("vaunt", "X")


def test_names_are_not_shown_to_users_who_may_not_see_them(kernel: Any) -> None:
    kernel.share("@bob", "x")
    assert advice_of(kernel, "bob", Verb.READ, "/users/ann/boxes/toolbox/cover/inside/owm") == ""


@pytest.mark.parametrize(
    ("verb", "path", "said"),
    [
        (Verb.CREATE, "/users/ann/boxes",
         "/users/ann/boxes never takes PUT: you may GET it; a name is missing: "
         "PUT /users/ann/boxes/<name> makes an entry"),
        (Verb.WRITE, "/me/boxes/toolbox",
         "/me/boxes/toolbox never takes POST: you may GET, PATCH or DELETE it; what is sent goes to "
         "/me/boxes/toolbox/shake: POST it there"),
        (Verb.CREATE, "/me/boxes/toolbox/shake",
         "/me/boxes/toolbox/shake never takes PUT: you may POST it; POST writes it"),
        (Verb.READ, "/me/boxes/toolbox/shake",
         "/me/boxes/toolbox/shake never takes GET: you may POST it; it is written, and never read"),
        (Verb.WRITE, "/door", "/door never takes POST: you may GET it"),
        (Verb.RENAME, "/card", "/card never takes PATCH: you may GET it"),
        (Verb.WRITE, "/users/ann/boxes/toolbox/deep/a",
         "/users/ann/boxes/toolbox/deep/a never takes POST: you may GET, PUT, PATCH or DELETE it; a name is "
         "missing: PUT /users/ann/boxes/toolbox/deep/a/<name> makes an entry"),
    ],
)  # fmt: skip
def test_an_unsupported_verb_is_refused_with_the_supported_ones(
    kernel: Any, verb: Verb, path: str, said: str
) -> None:
    kernel.tree.advice = Advice(methods=METHODS, contents=("data", "shake"))
    assert refusal(kernel, "ann", verb, path) == said


def test_other_refusals_stay_as_they_are(kernel: Any) -> None:
    call = Call(Verb.READ, Path.parse("/door"), Caller("ann", Via.TOKEN), kernel.world)
    for error in (Invalid("no"), NotFound("it is gone by now"), Unsupported("not today")):
        assert advise(kernel.tree, call, error) is error
    gone = replace(call, path=Path.parse("/nowhere/at/all"), verb=None)
    with pytest.raises(NotFound) as caught:
        serve(kernel.tree, gone)
    assert advise(kernel.tree, gone, caught.value).detail == caught.value.detail


def test_a_listing_is_read_no_further_than_it_is_compared_and_may_fail(kernel: Any) -> None:
    requested: list[int] = []

    def names(context: Any) -> Iterator[Named]:
        for number in count():
            requested.append(number)
            yield Named(f"e{number}", "t", "t")

    def broken(context: Any) -> Iterator[Named]:
        raise Unavailable("later")

    def fixed(listed: Any) -> Each[Any]:
        return Each(Param("entry"), Dir({}), names=listed, has=lambda p, name: None, fixed=True)

    kernel.tree = Tree(Dir({"endless": fixed(names), "away": fixed(broken)}, rules={Verb.READ: ANYONE}))
    assert advice_of(kernel, "ann", Verb.READ, "/endless/e47x") == "did you mean /endless/e47?"
    assert len(requested) == MOST_NAMES
    assert advice_of(kernel, "ann", Verb.READ, "/away/e47x") == ""
