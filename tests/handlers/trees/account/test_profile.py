"""The caller's own profile, and that only a person changes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.handlers.pictures import drawn
from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.call import Entry
from vfs.errors import Denied, Invalid, TooLarge, Unauthenticated, Unsupported
from vfs.ports.blobs import Ref

PNG = drawn("PNG")
HOME = "/v1/admin/profile"
BLANK = {"name": "", "bio": "", "description": "", "timezone": "UTC", "public": "no"}


@pytest.mark.parametrize(("leaf", "blank"), BLANK.items())
def test_a_blank_profile(tree_world: TreeWorld, leaf: str, blank: str) -> None:
    assert tree_world.text(f"{HOME}/{leaf}", tree_world.token("alice")) == blank


@pytest.mark.parametrize(
    ("leaf", "sent", "kept"),
    [
        ("name", "Alice Curlew", "Alice Curlew"),
        ("bio", "counts birds", "counts birds"),
        ("description", "# Me", "# Me"),
        ("timezone", "Europe/Oslo\n", "Europe/Oslo"),
        ("public", "TRUE", "yes"),
        ("public", "0", "no"),
        ("options/show_name", "on", "yes"),
        ("options/show_email", "y", "yes"),
        ("options/show_description", "nope", "no"),
        ("picture/mask", "( 10, 20.5 ,30 )", "10,20.5,30"),
    ],
)
def test_a_profile_is_written_and_cleared(tree_world: TreeWorld, leaf: str, sent: str, kept: str) -> None:
    caller, path = tree_world.token("alice"), f"{HOME}/{leaf}"
    before = tree_world.text(path, caller)
    tree_world.write(path, caller, sent)
    assert tree_world.text(path, caller) == kept
    tree_world.call(Verb.REMOVE, path, caller)
    assert tree_world.text(path, caller) == before


@pytest.mark.parametrize(
    ("leaf", "sent"),
    [
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("public", "perhaps"),
        ("options/show_name", "perhaps"),
        ("picture/mask", "1,2"),
        ("picture/mask", "-1,2,3"),
    ],
)
def test_malformed_input_changes_nothing(tree_world: TreeWorld, leaf: str, sent: str) -> None:
    caller = tree_world.token("alice")
    with pytest.raises(Invalid):
        tree_world.write(f"{HOME}/{leaf}", caller, sent)
    assert [mark.rel for mark in tree_world.leaves.under(tree_world.users.find("alice").item, "")] == []  # type: ignore[union-attr]
    assert tree_world.passwords.proves("alice", PASSWORD, "")


def test_being_public_is_kept_at_the_account(tree_world: TreeWorld) -> None:
    tree_world.write(f"{HOME}/public", tree_world.token("alice"), "yes")
    user = tree_world.users.find("alice")
    assert user is not None
    assert user.public
    assert tree_world.users.sees("bob", "alice")


@pytest.mark.parametrize(
    ("leaf", "text"), [("url", "http://localhost:8000/u/alice"), ("email", "alice@birds.example")]
)
def test_url_and_address_are_read_only(tree_world: TreeWorld, leaf: str, text: str) -> None:
    caller = tree_world.token("alice")
    assert tree_world.text(f"{HOME}/{leaf}", caller) == text
    with pytest.raises(Unsupported):
        tree_world.write(f"{HOME}/{leaf}", caller, "x")
    with pytest.raises(Unsupported):
        tree_world.call(Verb.REMOVE, f"{HOME}/{leaf}", caller)


def test_a_description_has_two_faces(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    tree_world.write(f"{HOME}/description", caller, "*me*")
    assert tree_world.read(f"{HOME}/description", caller) == {"raw": "*me*", "html": "<p><em>me</em></p>\n"}


def test_the_overview(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    tree_world.write(f"{HOME}/name", caller, "Alice")
    assert tree_world.read(f"{HOME}/overview", caller) == {
        "user_info": {
            "username": "alice",
            "name": "Alice",
            "email": "alice@birds.example",
            "bio": None,
            "avatar": None,
            "chat": None,
            "member_since": tree_world.epoch,
            "subscription": "enterprise",
        }
    }
    assert tree_world.text(f"{HOME}/overview", caller).startswith("username: alice\nname: Alice\n")


@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE])
def test_a_picture_is_kept(tree_world: TreeWorld, verb: Verb) -> None:
    caller = tree_world.token("alice")
    tree_world.call(verb, f"{HOME}/picture/image", caller, PNG, "image/png")
    ref = tree_world.read(f"{HOME}/picture/image", caller)
    assert isinstance(ref, Ref)
    assert ref.media == "image/png"
    assert tree_world.blobs.open(ref).read().startswith(PNG[:8])
    avatar = "http://localhost:8000/v1/admin/profile/picture/image"
    assert tree_world.read(f"{HOME}/overview", caller)["user_info"]["avatar"] == avatar


def test_names_are_short(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    with pytest.raises(TooLarge):
        tree_world.write(f"{HOME}/name", caller, "n" * 1_025)


def test_the_folder_lists_what_it_holds(tree_world: TreeWorld) -> None:
    rows: list[Entry] = tree_world.read(HOME, tree_world.token("alice"))
    verbs: dict[str, Any] = {row.name: row.verbs for row in rows}
    assert Verb.REMOVE in verbs["name"]
    assert verbs["email"] == (Verb.READ,)
    assert verbs["password"] == (Verb.WRITE,)
    assert {row.name for row in rows if row.type == "dir"} == {"emails", "picture", "options", "notices"}


@pytest.mark.parametrize("leaf", ["", "/name", "/email", "/password", "/options/show_name"])
def test_the_public_has_no_profile(tree_world: TreeWorld, leaf: str) -> None:
    with pytest.raises(Unauthenticated):
        tree_world.call(Verb.READ, HOME + leaf, PUBLIC)


@pytest.mark.parametrize("claim", ["global", "vis_rw"])
def test_a_run_neither_reads_nor_writes_a_profile(tree_world: TreeWorld, claim: str) -> None:
    run = tree_world.token("alice", "run-1", via=Via.RUN, claim=claim, run=1)
    for leaf in ("name", "public", "password"):
        with pytest.raises(Denied):
            tree_world.write(f"{HOME}/{leaf}", run, "yes, a long one")
    for leaf in ("", "/name", "/email", "/overview"):
        with pytest.raises(Denied):
            tree_world.call(Verb.READ, HOME + leaf, run)
