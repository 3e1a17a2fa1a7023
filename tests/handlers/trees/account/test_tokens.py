"""The caller's tokens: list, card, log, revocation."""

from __future__ import annotations

import pytest

from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, NotFound, Unauthenticated, Unsupported

BOUND = "2030-01-01T00:00:00.000Z"


def test_the_list_tells_when_each_ends(town: Town) -> None:
    caller = town.token("alice", "cli", description="laptop")
    town.token("alice", "bounded", expires_on=BOUND)
    town.token("bob", "other")
    rows = town.read("/v1/admin/tokens", caller)
    assert [(row.name, row.type, row.extra["expires_on"]) for row in rows] == [
        ("cli", "dir", None),
        ("bounded", "dir", BOUND),
    ]
    assert [row.extra["token_name"] for row in rows] == ["cli", "bounded"]
    assert rows[0].extra["token_description"] == "laptop"
    assert rows[0].verbs == (Verb.READ, Verb.REMOVE)


def test_a_card_tells_everything_but_the_value(town: Town) -> None:
    caller = town.token("alice", "cli", description="laptop")
    used = town.clock.forward(60)
    town.tokens.record_uses([(caller.token or 0, used, "GET /v1/whoami from 127.0.0.1 curl/8")])
    assert town.read("/v1/admin/tokens/cli/info", caller) == {
        "token_name": "cli",
        "token_description": "laptop",
        "kind": "token",
        "created_on": town.epoch,
        "expires_on": None,
        "last_used_on": used,
        "active": True,
        "expired": False,
    }
    assert town.text("/v1/admin/tokens/cli/info", caller) == (
        f"Name: cli\nDescription: laptop\nCreated: {town.epoch}\nExpires: never\nLast used: {used}\n"
        "Active: Yes\nExpired: No\n"
    )


def test_the_log_tells_what_was_done(town: Town) -> None:
    caller = town.token("alice")
    assert town.text("/v1/admin/tokens/cli/log", caller) == ""
    town.tokens.record_uses([(caller.token or 0, "2026-01-02T03:05:00.000Z", "GET /v1/whoami")])
    assert town.text("/v1/admin/tokens/cli/log", caller) == "2026-01-02T03:05:00.000Z  GET /v1/whoami\n"
    assert town.read("/v1/admin/tokens/cli/log", caller) == [
        {"log_time": "2026-01-02T03:05:00.000Z", "severity": "info", "message": "GET /v1/whoami"}
    ]


def test_a_revoked_token_leaves_the_list_and_keeps_its_card(town: Town) -> None:
    caller = town.token("alice", "cli")
    town.token("alice", "old")
    town.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)
    assert [row.name for row in town.read("/v1/admin/tokens", caller)] == ["cli"]
    assert "Active: No\nExpired: No\n" in town.text("/v1/admin/tokens/old/info", caller)
    assert town.text("/v1/admin/tokens/old/log", caller) == ""
    with pytest.raises(NotFound):
        town.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)


def test_a_name_used_again_is_a_new_card(town: Town) -> None:
    caller = town.token("alice", "cli")
    town.token("alice", "old")
    town.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)
    town.token("alice", "old")
    assert "Active: Yes" in town.text("/v1/admin/tokens/old/info", caller)


def test_an_expired_token_stays_listed_until_it_is_revoked(town: Town) -> None:
    caller = town.token("alice", "cli")
    town.token("alice", "brief", expires_on=town.clock.forward(1))
    assert "Active: Yes\nExpired: Yes\n" in town.text("/v1/admin/tokens/brief/info", caller)
    assert [row.name for row in town.read("/v1/admin/tokens", caller)] == ["cli", "brief"]
    town.call(Verb.REMOVE, "/v1/admin/tokens/brief", caller)
    assert [row.name for row in town.read("/v1/admin/tokens", caller)] == ["cli"]


def test_tokens_of_others_are_not_there(town: Town) -> None:
    caller = town.token("alice")
    town.token("bob", "other")
    for path in ("/v1/admin/tokens/other", "/v1/admin/tokens/other/info", "/v1/admin/tokens/never"):
        with pytest.raises(NotFound):
            town.call(Verb.READ, path, caller)
        with pytest.raises(Unauthenticated):
            town.call(Verb.READ, path, PUBLIC)
    with pytest.raises(NotFound):
        town.call(Verb.REMOVE, "/v1/admin/tokens/other", caller)
    with pytest.raises(Unauthenticated):
        town.call(Verb.READ, "/v1/admin/tokens", PUBLIC)


def test_a_card_is_never_written(town: Town) -> None:
    with pytest.raises(Unsupported):
        town.write("/v1/admin/tokens/cli/info", town.token("alice"), "Active: No")


@pytest.mark.parametrize("verb", [Verb.READ, Verb.REMOVE, None])
@pytest.mark.parametrize("name", ["cli", "run-1", "never"])
def test_a_run_reaches_no_token_at_all(town: Town, verb: Verb | None, name: str) -> None:
    town.token("alice", "cli")
    run = town.token("alice", "run-1", via=Via.RUN, claim="global", run=1)
    with pytest.raises(Denied):
        town.call(Verb.READ, "/v1/admin/tokens", run)
    with pytest.raises(Denied):
        town.call(verb, f"/v1/admin/tokens/{name}", run)
    assert [token.name for token in town.tokens.of("alice")] == ["cli"]


def test_the_credential_of_a_run_is_no_token_of_its_owner(town: Town) -> None:
    town.token("alice", "run-1", via=Via.RUN, claim="global", run=1)
    with pytest.raises(NotFound):
        town.call(Verb.READ, "/v1/admin/tokens/run-1/info", town.token("alice"))
