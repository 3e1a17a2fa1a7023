"""Changing the own password: by whoever shows the present one, and by nobody else."""

from __future__ import annotations

import email
from datetime import timedelta
from typing import Any

import pytest

from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.errors import Denied, Invalid, TooLarge, TooMany, Unauthenticated, Unsupported
from vfs.ports.clock import stamp

PATH = "/v1/admin/profile/password"
NEW = "a better password"
WISH = {"password": PASSWORD, "new_password": NEW}
BASIC = Caller("alice", Via.PASSWORD)


def works(town: Town, word: str) -> bool:
    return town.passwords.proves("alice", word, "10.9.9.9")


def told(town: Town) -> list[str]:
    """The texts of the letters."""
    letters = [email.message_from_bytes(file.read_bytes()) for file in sorted(town.outbox.glob("*.eml"))]
    return [str(letter["To"]) + "\n" + str(letter.get_payload()) for letter in letters]


@pytest.mark.parametrize("via", [Via.TOKEN, Via.SESSION])
def test_who_shows_the_present_password_changes_it(town: Town, via: Via) -> None:
    town.write(PATH, town.token("alice", via=via), WISH)
    assert works(town, NEW)
    assert not works(town, PASSWORD)


@pytest.mark.parametrize("sent", [f"{NEW}\n", {"new_password": NEW}])
def test_basic_authentication_shows_it_too(town: Town, sent: Any) -> None:
    town.write(PATH, BASIC, sent)
    assert works(town, NEW)


@pytest.mark.parametrize("via", [Via.TOKEN, Via.SESSION])
@pytest.mark.parametrize(
    "sent", [NEW, {"new_password": NEW}, {**WISH, "password": None}, {**WISH, "password": [PASSWORD]}]
)
def test_no_credential_changes_it_alone(town: Town, via: Via, sent: Any) -> None:
    with pytest.raises(Denied, match="present one") as refused:
        town.write(PATH, town.token("alice", via=via), sent)
    assert "new_password" in refused.value.detail
    assert works(town, PASSWORD)
    assert told(town) == []


def test_a_wrong_present_password_is_a_failed_sign_in(town: Town) -> None:
    caller = town.token("alice")
    for _ in range(10):
        with pytest.raises(Denied, match="wrong"):
            town.write(PATH, caller, {**WISH, "password": "a wrong guess"})
    with pytest.raises(TooMany):
        town.write(PATH, caller, WISH)
    with pytest.raises(TooMany):
        town.write("/v1/token", PUBLIC, {"username": "alice", "password": PASSWORD})


@pytest.mark.parametrize("new", ["short", "alicealice", "password123", None, 7, "n" * 1_025])
def test_a_poor_new_one_changes_nothing(town: Town, new: Any) -> None:
    with pytest.raises(Invalid, match="new_password"):
        town.write(PATH, town.token("alice"), {**WISH, "new_password": new})
    assert works(town, PASSWORD)


@pytest.mark.parametrize(
    "sent", [["x"], 7, {**WISH, "revoke_tokens": "perhaps"}, {**WISH, "revoke_tokens": 7}]
)
def test_what_is_malformed_changes_nothing(town: Town, sent: Any) -> None:
    with pytest.raises(Invalid):
        town.write(PATH, BASIC, sent)
    assert works(town, PASSWORD)


def test_text_is_text_of_a_bounded_length(town: Town) -> None:
    with pytest.raises(TooLarge):
        town.write(PATH, BASIC, "n" * 2_000)


def test_sessions_end_and_tokens_are_counted(town: Town) -> None:
    here = town.token("alice", "session-here", via=Via.SESSION)
    for name, more in (("session-there", {"via": Via.SESSION}), ("one", {}), ("two", {})):
        town.token("alice", name, **more)
    town.token("alice", "dead", expires_on=stamp(town.clock.now() - timedelta(seconds=1)))
    town.token("bob", "other", via=Via.SESSION)
    said = town.write(PATH, here, WISH)
    assert "2 tokens live on" in said
    assert [token.name for token in town.tokens.of("alice")] == ["one", "two", "dead"]
    assert len(town.tokens.of("bob")) == 1


@pytest.mark.parametrize("yes", [True, "yes"])
def test_tokens_end_when_that_is_asked_for(town: Town, yes: Any) -> None:
    caller = town.token("alice")
    town.token("bob")
    assert "all tokens have ended" in town.write(PATH, caller, {**WISH, "revoke_tokens": yes})
    assert town.tokens.of("alice") == []
    assert len(town.tokens.of("bob")) == 1


@pytest.mark.parametrize(("tokens", "said"), [((), "no tokens that live on"), (("one",), "1 token lives on")])
def test_few_tokens_are_told_as_what_they_are(town: Town, tokens: tuple[str, ...], said: str) -> None:
    for name in tokens:
        town.token("alice", name)
    assert said in town.write(PATH, BASIC, {"new_password": NEW})


def test_the_address_on_file_is_told(town: Town) -> None:
    said = town.write(PATH, BASIC, {"new_password": NEW})
    (letter,) = told(town)
    assert letter.startswith("alice@birds.example\n")
    assert "account alice was changed" in letter and "127.0.0.1" in letter
    assert NEW not in letter
    assert "alice@birds.example is told by mail" in said


def test_a_mailbox_is_told_so_often_and_no_more(town: Town) -> None:
    said = [town.write(PATH, BASIC, {"new_password": f"{NEW} {number}"}) for number in range(6)]
    assert len(told(town)) == 5
    assert "could not be told" in said[-1]


def test_who_has_no_address_is_told_nothing(town: Town) -> None:
    town.users.change("alice", email=None)
    assert "mail" not in town.write(PATH, BASIC, {"new_password": NEW})
    assert told(town) == []


def test_nobody_reads_it_and_the_public_does_nothing(town: Town) -> None:
    with pytest.raises(Unsupported):
        town.call(Verb.READ, PATH, town.token("alice"))
    with pytest.raises(Unauthenticated):
        town.write(PATH, PUBLIC, WISH)
