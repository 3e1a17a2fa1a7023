"""Signing in and out, making tokens and asking who one is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from handlers.identity.credentials import digest, is_credential
from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.call import Outcome
from vfs.errors import Denied, NotFound, TooMany, Unauthenticated, Unsupported
from vfs.ports.clock import stamp

BY_PASSWORD = Caller("alice", Via.PASSWORD)
PROOF = {"username": "alice", "password": PASSWORD}


@pytest.mark.parametrize(("caller", "proof"), [(BY_PASSWORD, {}), (PUBLIC, PROOF)], ids=["basic", "json"])
def test_a_password_makes_a_token(tree_world: TreeWorld, caller: Caller, proof: dict[str, str]) -> None:
    reply = tree_world.call(
        Verb.WRITE, "/v1/token", caller, {**proof, "token_name": "laptop", "token_description": "my own"}
    )
    assert (reply.outcome, reply.location) == (Outcome.CREATED, "/v1/admin/tokens/laptop")
    made = reply.value.value  # type: ignore[union-attr]
    kept = tree_world.tokens.by_digest(digest(made["token"]))
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


def test_a_description_is_free_text_and_makes_no_line_of_the_card(tree_world: TreeWorld) -> None:
    made = tree_world.write("/v1/token", BY_PASSWORD, {"token_description": "of the hut\r\nActive: No\n"})
    assert made["token_description"] == "of the hut\r\nActive: No"
    caller = tree_world.token("alice", "cli")
    lines = tree_world.text(f"/v1/admin/tokens/{made['token_name']}/info", caller).splitlines()
    assert lines[1] == "Description: of the hut Active: No"
    assert [line for line in lines if line.startswith("Active: ")] == ["Active: Yes"]


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
def test_without_the_password_nobody_signs_in(
    tree_world: TreeWorld, path: str, proof: dict[str, Any]
) -> None:
    with pytest.raises(Unauthenticated):
        tree_world.write(path, PUBLIC, proof)


def test_a_run_makes_no_token_whatever_it_knows(tree_world: TreeWorld) -> None:
    run = tree_world.token("alice", via=Via.RUN, claim="global", run=1)
    for path in ("/v1/token", "/v1/auth"):
        with pytest.raises(Denied):
            tree_world.write(path, run, PROOF)


def test_a_locked_user_does_not_sign_in(tree_world: TreeWorld) -> None:
    tree_world.users.change("alice", locked=True)
    with pytest.raises(Unauthenticated):
        tree_world.write("/v1/token", PUBLIC, PROOF)


def test_guessing_in_the_document_is_counted(tree_world: TreeWorld) -> None:
    for _ in range(10):
        with pytest.raises(Unauthenticated):
            tree_world.write("/v1/token", PUBLIC, {**PROOF, "password": "a guess"})
    with pytest.raises(TooMany):
        tree_world.write("/v1/token", PUBLIC, PROOF)


def test_a_sign_in_begins_a_session_of_thirty_days(tree_world: TreeWorld) -> None:
    reply = tree_world.call(Verb.WRITE, "/v1/auth", BY_PASSWORD, client="Browser/1")
    begun = reply.value.value  # type: ignore[union-attr]
    assert reply.outcome is Outcome.DONE
    assert begun["username"] == "alice"
    assert begun["expires_on"] == stamp(tree_world.clock.now() + timedelta(days=30))
    (session,) = tree_world.tokens.of("alice")
    assert (session.name, session.via) == (begun["token_name"], Via.SESSION)
    assert session.name.startswith("session-")
    assert "Browser/1" in session.description
    assert tree_world.tokens.by_digest(digest(begun["token"])) == session


def test_a_caller_without_a_token_reads_no_token(tree_world: TreeWorld) -> None:
    with pytest.raises(NotFound):
        tree_world.read("/v1/token", Caller("alice", Via.PASSWORD))
    with pytest.raises(Unauthenticated):
        tree_world.read("/v1/token", PUBLIC)


@pytest.mark.parametrize("path", ["/v1/register", "/v1/auth", "/v1/admin/challenge"])
def test_files_for_signing_in_are_only_written(tree_world: TreeWorld, path: str) -> None:
    with pytest.raises(Unsupported) as refused:
        tree_world.call(Verb.READ, path, PUBLIC)
    assert refused.value.members["allow"] == (Verb.WRITE,)
