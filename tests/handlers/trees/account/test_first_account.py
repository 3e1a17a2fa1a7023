"""The first account, made by the key that `curlew serve` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handlers.services.accounts import is_operator
from handlers.trees.account.first_account import MOST_GUESSES, renew_key
from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.call import Outcome
from vfs.errors import Conflict, Denied, Invalid, NotFound, TooMany
from vfs.ports.people import Account

PLACE = "/v1/setup"


def key_of(tree_world: TreeWorld) -> str:
    """A key as `curlew serve` makes one."""
    key = renew_key(tree_world)
    assert key is not None
    return key


def sent(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "username": "ada", "password": PASSWORD, **more}


@pytest.fixture
def empty(tmp_path: Path) -> TreeWorld:
    return TreeWorld(tmp_path)


def test_the_key_makes_the_first_account_and_its_session_once(empty: TreeWorld) -> None:
    key = key_of(empty)
    reply = empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key, email="ada@birds.example"))
    assert (reply.outcome, reply.location) == (Outcome.CREATED, "/v1/users/ada")
    ada = empty.users.find("ada")
    assert ada is not None
    assert (ada.email, ada.verified, ada.public) == ("ada@birds.example", True, False)
    (session,) = empty.people.tokens.of("ada")
    assert session.via is Via.SESSION
    assert reply.session is not None
    with pytest.raises(Denied):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key, username="eve"))
    assert renew_key(empty) is None


def test_the_founder_alone_is_an_operator_unless_the_setting_names_others(empty: TreeWorld) -> None:
    empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key_of(empty), email="ada@birds.example"))
    empty.citizen("bob")
    ada, bob = empty.token("ada", "s", via=Via.SESSION), empty.token("bob", "s", via=Via.SESSION)
    assert (is_operator(empty, ada), is_operator(empty, bob)) == (True, False)
    assert not is_operator(empty, empty.token("ada")) and not is_operator(empty, PUBLIC)
    empty.settings = empty.service.settings = replace(empty.settings, operators="bob")
    assert (is_operator(empty, ada), is_operator(empty, bob)) == (False, True)


def test_no_other_account_gets_the_verified_address_of_the_founder(empty: TreeWorld) -> None:
    empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key_of(empty), email="ada@birds.example"))
    assert empty.users.with_address("ADA@birds.example").name == "ada"  # type: ignore[union-attr]
    with pytest.raises(Denied):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent("clw_x", username="eve", email="ada@birds.example"))
    empty.users.add("eve", "x", Account.REGULAR, "ada@birds.example", public=False)
    with pytest.raises(Conflict):
        empty.users.change("eve", verified=True)
    assert empty.users.with_address("ada@birds.example").name == "ada"  # type: ignore[union-attr]


def test_an_address_may_be_left_out(empty: TreeWorld) -> None:
    empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key_of(empty), email=""))
    assert empty.users.find("ada").email is None  # type: ignore[union-attr]


def test_only_the_newest_key_holds_and_for_half_an_hour(empty: TreeWorld) -> None:
    older, newer = key_of(empty), key_of(empty)
    with pytest.raises(NotFound, match="start the service again"):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent(older))
    empty.clock.forward(30 * 60)
    with pytest.raises(Denied, match="curlew user add"):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent(newer))
    assert empty.users.all() == []


def test_fields_are_refused_one_by_one_and_the_key_stays_good(empty: TreeWorld) -> None:
    key = key_of(empty)
    with pytest.raises(Invalid) as refused:
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key, username="A B", password="short", email="x"))
    assert [one["field"] for one in refused.value.members["rejected"]] == ["username", "password", "email"]
    empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key))


def test_guesses_are_bounded_and_keep_nobody_out(empty: TreeWorld) -> None:
    key = key_of(empty)
    for guess in range(MOST_GUESSES):
        with pytest.raises(NotFound):
            empty.call(Verb.WRITE, PLACE, PUBLIC, sent(f"{key[:-2]}{'x' * (guess % 2)}{'y' * 3}"))
    with pytest.raises(TooMany):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent("clw_" + "x" * 43))
    empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key))


@pytest.mark.parametrize(
    ("chosen", "local", "open_"),
    [("local", True, True), ("local", False, False), ("anywhere", False, True), ("nowhere", True, False)],
)
def test_a_setting_says_from_where(tmp_path: Path, chosen: str, local: bool, open_: bool) -> None:
    tree_world = TreeWorld(tmp_path, setup_from=chosen)
    renew_key(tree_world)
    if open_:
        assert tree_world.call(None, PLACE, PUBLIC, local=local).allow == (Verb.WRITE,)
    else:
        with pytest.raises(Denied):
            tree_world.call(None, PLACE, PUBLIC, local=local)


def test_an_account_from_the_command_line_ends_it(empty: TreeWorld) -> None:
    key = key_of(empty)
    empty.citizen("bob")
    with pytest.raises(Denied):
        empty.call(Verb.WRITE, PLACE, PUBLIC, sent(key))
    with pytest.raises(Denied):
        empty.call(Verb.WRITE, PLACE, Caller("bob", Via.TOKEN), sent(key))
