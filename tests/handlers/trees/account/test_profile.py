"""The caller's own profile, and that only a person changes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.handlers.pictures import drawn
from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Verb, Via
from vfs.call import Entry
from vfs.errors import Denied, Invalid, TooLarge, Unauthenticated, Unsupported, WrongMedia
from vfs.ports.blobs import Ref

PNG = drawn("PNG")
HOME = "/v1/admin/profile"
BLANK = {"name": "", "bio": "", "description": "", "timezone": "UTC", "public": "no"}


@pytest.mark.parametrize(("leaf", "blank"), BLANK.items())
def test_a_blank_profile(town: Town, leaf: str, blank: str) -> None:
    assert town.text(f"{HOME}/{leaf}", town.token("alice")) == blank


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
def test_a_profile_is_written_and_cleared(town: Town, leaf: str, sent: str, kept: str) -> None:
    caller, path = town.token("alice"), f"{HOME}/{leaf}"
    before = town.text(path, caller)
    town.write(path, caller, sent)
    assert town.text(path, caller) == kept
    town.call(Verb.REMOVE, path, caller)
    assert town.text(path, caller) == before


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
def test_what_is_malformed_changes_nothing(town: Town, leaf: str, sent: str) -> None:
    caller = town.token("alice")
    with pytest.raises(Invalid):
        town.write(f"{HOME}/{leaf}", caller, sent)
    assert [mark.rel for mark in town.leaves.under(town.users.find("alice").item, "")] == []  # type: ignore[union-attr]
    assert town.passwords.proves("alice", PASSWORD, "")


def test_being_public_is_kept_at_the_account(town: Town) -> None:
    town.write(f"{HOME}/public", town.token("alice"), "yes")
    user = town.users.find("alice")
    assert user is not None
    assert user.public
    assert town.users.sees("bob", "alice")


@pytest.mark.parametrize(
    ("leaf", "told"), [("url", "http://localhost:8000/u/alice"), ("email", "alice@birds.example")]
)
def test_what_is_only_read(town: Town, leaf: str, told: str) -> None:
    caller = town.token("alice")
    assert town.text(f"{HOME}/{leaf}", caller) == told
    with pytest.raises(Unsupported):
        town.write(f"{HOME}/{leaf}", caller, "x")
    with pytest.raises(Unsupported):
        town.call(Verb.REMOVE, f"{HOME}/{leaf}", caller)


def test_a_description_has_two_faces(town: Town) -> None:
    caller = town.token("alice")
    town.write(f"{HOME}/description", caller, "*me*")
    assert town.read(f"{HOME}/description", caller) == {"raw": "*me*", "html": "<p><em>me</em></p>\n"}


def test_the_overview(town: Town) -> None:
    caller = town.token("alice")
    town.write(f"{HOME}/name", caller, "Alice")
    assert town.read(f"{HOME}/overview", caller) == {
        "user_info": {
            "username": "alice",
            "name": "Alice",
            "email": "alice@birds.example",
            "bio": None,
            "avatar": None,
            "chat": None,
            "member_since": town.epoch,
            "subscription": "enterprise",
        }
    }
    assert town.text(f"{HOME}/overview", caller).startswith("username: alice\nname: Alice\n")


@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE])
def test_a_picture_is_kept(town: Town, verb: Verb) -> None:
    caller = town.token("alice")
    town.call(verb, f"{HOME}/picture/image", caller, PNG, "image/png")
    ref = town.read(f"{HOME}/picture/image", caller)
    assert isinstance(ref, Ref)
    assert ref.media == "image/png"
    assert town.blobs.open(ref).read().startswith(PNG[:8])
    avatar = "http://localhost:8000/v1/admin/profile/picture/image"
    assert town.read(f"{HOME}/overview", caller)["user_info"]["avatar"] == avatar


@pytest.mark.parametrize(
    ("content", "media", "error"),
    [
        (PNG, "image/jpeg", WrongMedia),
        (b"<svg/>", "image/svg+xml", WrongMedia),
        (b"text", "", WrongMedia),
        (b"", "image/png", WrongMedia),
        (PNG[:40], "image/png", Invalid),
    ],
)
def test_a_picture_is_what_it_says(town: Town, content: bytes, media: str, error: type[Exception]) -> None:
    caller = town.token("alice")
    with pytest.raises(error):
        town.call(Verb.WRITE, f"{HOME}/picture/banner", caller, content, media)
    assert town.text(f"{HOME}/picture/banner", caller) == ""


def test_names_are_short(town: Town) -> None:
    caller = town.token("alice")
    with pytest.raises(TooLarge):
        town.write(f"{HOME}/name", caller, "n" * 1_025)


def test_the_folder_lists_what_it_holds(town: Town) -> None:
    rows: list[Entry] = town.read(HOME, town.token("alice"))
    verbs: dict[str, Any] = {row.name: row.verbs for row in rows}
    assert Verb.REMOVE in verbs["name"]
    assert verbs["email"] == (Verb.READ,)
    assert verbs["password"] == (Verb.WRITE,)
    assert {row.name for row in rows if row.type == "dir"} == {"emails", "picture", "options", "notices"}


@pytest.mark.parametrize("leaf", ["", "/name", "/email", "/password", "/options/show_name"])
def test_the_public_has_no_profile(town: Town, leaf: str) -> None:
    with pytest.raises(Unauthenticated):
        town.call(Verb.READ, HOME + leaf, PUBLIC)


@pytest.mark.parametrize("claim", ["global", "vis_rw"])
def test_a_run_neither_reads_nor_writes_a_profile(town: Town, claim: str) -> None:
    run = town.token("alice", "run-1", via=Via.RUN, claim=claim, run=1)
    for leaf in ("name", "public", "password"):
        with pytest.raises(Denied):
            town.write(f"{HOME}/{leaf}", run, "yes, a long one")
    for leaf in ("", "/name", "/email", "/overview"):
        with pytest.raises(Denied):
            town.call(Verb.READ, HOME + leaf, run)
