"""Signing in and out, making tokens and asking who one is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from handlers.identity.credentials import digest, is_credential
from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.call import Outcome
from vfs.errors import Conflict, Denied, Invalid, NotFound, TooMany, Unauthenticated, Unsupported
from vfs.ports.clock import stamp

BY_PASSWORD = Caller("alice", Via.PASSWORD)
PROOF = {"username": "alice", "password": PASSWORD}


@pytest.mark.parametrize(("caller", "proof"), [(BY_PASSWORD, {}), (PUBLIC, PROOF)], ids=["basic", "json"])
def test_a_password_makes_a_token(town: Town, caller: Caller, proof: dict[str, str]) -> None:
    reply = town.call(
        Verb.WRITE, "/v1/token", caller, {**proof, "token_name": "laptop", "token_description": "my own"}
    )
    assert (reply.outcome, reply.location) == (Outcome.CREATED, "/v1/admin/tokens/laptop")
    made = reply.value.value  # type: ignore[union-attr]
    kept = town.tokens.by_digest(digest(made["token"]))
    assert kept is not None
    assert is_credential(made["token"])
    assert made == {
        "status": "Success",
        "token": made["token"],
        "token_id": kept.id,
        "token_name": "laptop",
        "token_description": "my own",
        "expires_on": None,
    }
    assert (kept.user, kept.name, kept.via) == ("alice", "laptop", Via.TOKEN)


def test_a_token_without_a_name_gets_one(town: Town) -> None:
    made = town.write("/v1/token", BY_PASSWORD, None)
    assert made["token_name"].startswith("curl-")
    assert len(made["token_name"]) == len("curl-") + 8


def test_a_name_is_taken_until_its_token_is_revoked(town: Town) -> None:
    first = town.write("/v1/token", BY_PASSWORD, {"token_name": "laptop"})
    with pytest.raises(Conflict):
        town.write("/v1/token", BY_PASSWORD, {"token_name": "laptop"})
    town.tokens.revoke(first["token_id"])
    town.write("/v1/token", BY_PASSWORD, {"token_name": "laptop"})


def test_a_description_is_free_text_and_makes_no_line_of_the_card(town: Town) -> None:
    made = town.write("/v1/token", BY_PASSWORD, {"token_description": "of the hut\r\nActive: No\n"})
    assert made["token_description"] == "of the hut\r\nActive: No"
    caller = town.token("alice", "cli")
    lines = town.text(f"/v1/admin/tokens/{made['token_name']}/info", caller).splitlines()
    assert lines[1] == "Description: of the hut Active: No"
    assert [line for line in lines if line.startswith("Active: ")] == ["Active: Yes"]


def test_a_token_may_be_bounded(town: Town) -> None:
    made = town.write("/v1/token", BY_PASSWORD, {"expires_in": "24 hours"})
    assert made["expires_on"] == stamp(town.clock.now() + timedelta(hours=24))


@pytest.mark.parametrize(
    "sent",
    [
        {"expires_in": 60, "expires_on": "2126-01-02T03:04:05Z"},
        {"expires_in": 0},
        {"token_name": "Not A Name"},
        {"token_name": 7},
        {"token_description": ["a"]},
        {"token_description": "a\0b"},
        ["laptop"],
    ],
)
def test_a_malformed_wish_makes_no_token(town: Town, sent: Any) -> None:
    with pytest.raises(Invalid):
        town.write("/v1/token", BY_PASSWORD, sent)
    assert town.tokens.of("alice") == []


@pytest.mark.parametrize(
    "proof",
    [
        {},
        {"username": "alice"},
        {"username": "alice", "password": 7},
        {"username": "alice", "password": "a wrong one"},
        {"username": "nobody", "password": PASSWORD},
        {"username": "a\0b", "password": PASSWORD},
    ],
)
@pytest.mark.parametrize("path", ["/v1/token", "/v1/auth"])
def test_without_the_password_nobody_signs_in(town: Town, path: str, proof: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        town.write(path, PUBLIC, proof)


def test_a_token_makes_no_token(town: Town) -> None:
    with pytest.raises(Unauthenticated):
        town.write("/v1/token", town.token("alice"), {"token_name": "second"})


def test_a_run_makes_no_token_whatever_it_knows(town: Town) -> None:
    run = town.token("alice", via=Via.RUN, claim="global", run=1)
    for path in ("/v1/token", "/v1/auth"):
        with pytest.raises(Denied):
            town.write(path, run, PROOF)


def test_a_locked_user_does_not_sign_in(town: Town) -> None:
    town.users.change("alice", locked=True)
    with pytest.raises(Unauthenticated):
        town.write("/v1/token", PUBLIC, PROOF)


def test_guessing_in_the_document_is_counted(town: Town) -> None:
    for _ in range(10):
        with pytest.raises(Unauthenticated):
            town.write("/v1/token", PUBLIC, {**PROOF, "password": "a guess"})
    with pytest.raises(TooMany):
        town.write("/v1/token", PUBLIC, PROOF)


def test_a_sign_in_begins_a_session_of_thirty_days(town: Town) -> None:
    reply = town.call(Verb.WRITE, "/v1/auth", BY_PASSWORD, client="Browser/1")
    begun = reply.value.value  # type: ignore[union-attr]
    assert reply.outcome is Outcome.DONE
    assert begun["username"] == "alice"
    assert begun["expires_on"] == stamp(town.clock.now() + timedelta(days=30))
    (session,) = town.tokens.of("alice")
    assert (session.name, session.via) == (begun["token_name"], Via.SESSION)
    assert session.name.startswith("session-")
    assert "Browser/1" in session.description
    assert town.tokens.by_digest(digest(begun["token"])) == session


def test_signing_out_ends_a_session(town: Town) -> None:
    session = town.token("alice", "session-x", via=Via.SESSION)
    assert "ended" in town.write("/v1/logout", session, "")
    assert town.tokens.of("alice") == []


def test_signing_out_leaves_a_token_alone(town: Town) -> None:
    caller = town.token("alice")
    assert "goes on" in town.write("/v1/logout", caller, "")
    assert [token.name for token in town.tokens.of("alice")] == ["cli"]


def test_the_present_token_is_told(town: Town) -> None:
    caller = town.token("alice", expires_on="2030-01-01T00:00:00.000Z")
    told = town.read("/v1/token", caller)
    assert told == {
        "token_name": "cli",
        "token_id": caller.token,
        "expires_on": "2030-01-01T00:00:00.000Z",
    }
    run = town.token("alice", "run-1", via=Via.RUN, claim="repo_ro", run=1)
    assert town.read("/v1/token", run)["token_name"] == "run-1"


def test_a_caller_without_a_token_is_told_of_none(town: Town) -> None:
    with pytest.raises(NotFound):
        town.read("/v1/token", Caller("alice", Via.PASSWORD))
    with pytest.raises(Unauthenticated):
        town.read("/v1/token", PUBLIC)


def test_who_am_i(town: Town) -> None:
    caller = town.token("alice")
    assert town.text("/v1/whoami", caller) == "alice"
    assert town.read("/v1/whoami", caller) == {"username": "alice"}
    with pytest.raises(Unauthenticated):
        town.text("/v1/whoami", PUBLIC)


@pytest.mark.parametrize("path", ["/v1/register", "/v1/auth", "/v1/admin/challenge"])
def test_doors_are_only_knocked_at(town: Town, path: str) -> None:
    with pytest.raises(Unsupported) as refused:
        town.call(Verb.READ, path, PUBLIC)
    assert refused.value.members["allow"] == (Verb.WRITE,)
