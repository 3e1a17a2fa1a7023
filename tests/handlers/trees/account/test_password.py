"""Changing the own password: by anyone who shows the present one, and by nobody else."""

from __future__ import annotations

import email
from typing import Any

import pytest

from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.errors import Denied, Invalid, TooLarge, TooMany, Unauthenticated, Unsupported

PATH = "/v1/admin/profile/password"
NEW = "a better password"
SENT = {"password": PASSWORD, "new_password": NEW}
BASIC = Caller("alice", Via.PASSWORD)


def works(tree_world: TreeWorld, word: str) -> bool:
    return tree_world.passwords.proves("alice", word, "10.9.9.9")


def sent_letters(tree_world: TreeWorld) -> list[str]:
    """The texts of the letters."""
    letters = [
        email.message_from_bytes(file.read_bytes()) for file in sorted(tree_world.outbox.glob("*.eml"))
    ]
    return [str(letter["To"]) + "\n" + str(letter.get_payload()) for letter in letters]


@pytest.mark.parametrize("sent", [f"{NEW}\n", {"new_password": NEW}])
def test_basic_authentication_shows_it_too(tree_world: TreeWorld, sent: Any) -> None:
    tree_world.write(PATH, BASIC, sent)
    assert works(tree_world, NEW)


@pytest.mark.parametrize("via", [Via.TOKEN, Via.SESSION])
@pytest.mark.parametrize(
    "sent", [NEW, {"new_password": NEW}, {**SENT, "password": None}, {**SENT, "password": [PASSWORD]}]
)
def test_no_credential_changes_it_alone(tree_world: TreeWorld, via: Via, sent: Any) -> None:
    with pytest.raises(Denied, match="present one") as refused:
        tree_world.write(PATH, tree_world.token("alice", via=via), sent)
    assert "new_password" in refused.value.detail
    assert works(tree_world, PASSWORD)
    assert sent_letters(tree_world) == []


def test_a_wrong_present_password_is_a_failed_sign_in(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    for _ in range(10):
        with pytest.raises(Denied, match="wrong"):
            tree_world.write(PATH, caller, {**SENT, "password": "a wrong guess"})
    with pytest.raises(TooMany):
        tree_world.write(PATH, caller, SENT)
    with pytest.raises(TooMany):
        tree_world.write("/v1/token", PUBLIC, {"username": "alice", "password": PASSWORD})


@pytest.mark.parametrize("new", ["short", "alicealice", "password123", None, 7, "n" * 1_025])
def test_a_poor_new_one_changes_nothing(tree_world: TreeWorld, new: Any) -> None:
    with pytest.raises(Invalid, match="new_password"):
        tree_world.write(PATH, tree_world.token("alice"), {**SENT, "new_password": new})
    assert works(tree_world, PASSWORD)


@pytest.mark.parametrize(
    "sent", [["x"], 7, {**SENT, "revoke_tokens": "perhaps"}, {**SENT, "revoke_tokens": 7}]
)
def test_malformed_input_changes_nothing(tree_world: TreeWorld, sent: Any) -> None:
    with pytest.raises(Invalid):
        tree_world.write(PATH, BASIC, sent)
    assert works(tree_world, PASSWORD)


def test_text_is_text_of_a_bounded_length(tree_world: TreeWorld) -> None:
    with pytest.raises(TooLarge):
        tree_world.write(PATH, BASIC, "n" * 2_000)


@pytest.mark.parametrize(("tokens", "said"), [((), "no tokens"), (("one",), "1 token stays valid")])
def test_the_answer_says_no_tokens_or_one_token(
    tree_world: TreeWorld, tokens: tuple[str, ...], said: str
) -> None:
    for name in tokens:
        tree_world.token("alice", name)
    assert said in tree_world.write(PATH, BASIC, {"new_password": NEW})


def test_the_address_on_file_is_notified(tree_world: TreeWorld) -> None:
    said = tree_world.write(PATH, BASIC, {"new_password": NEW})
    (letter,) = sent_letters(tree_world)
    assert letter.startswith("alice@birds.example\n")
    assert "account alice was changed" in letter and "127.0.0.1" in letter
    assert NEW not in letter
    assert "alice@birds.example is notified by mail" in said


def test_a_mailbox_is_notified_five_times_an_hour(tree_world: TreeWorld) -> None:
    said = [tree_world.write(PATH, BASIC, {"new_password": f"{NEW} {number}"}) for number in range(6)]
    assert len(sent_letters(tree_world)) == 5
    assert "could not be notified" in said[-1]


def test_an_account_without_an_address_is_not_notified(tree_world: TreeWorld) -> None:
    tree_world.users.change("alice", email=None)
    assert "mail" not in tree_world.write(PATH, BASIC, {"new_password": NEW})
    assert sent_letters(tree_world) == []


def test_nobody_reads_it_and_the_public_does_nothing(tree_world: TreeWorld) -> None:
    with pytest.raises(Unsupported):
        tree_world.call(Verb.READ, PATH, tree_world.token("alice"))
    with pytest.raises(Unauthenticated):
        tree_world.write(PATH, PUBLIC, SENT)
