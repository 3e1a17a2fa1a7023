"""The caller's tokens: list, card, log, revocation."""

from __future__ import annotations

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, NotFound, Unauthenticated, Unsupported

BOUND = "2030-01-01T00:00:00.000Z"


def test_the_list_tells_when_each_ends(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli", description="laptop")
    tree_world.token("alice", "bounded", expires_on=BOUND)
    tree_world.token("bob", "other")
    rows = tree_world.read("/v1/admin/tokens", caller)
    assert [(row.name, row.type, row.extra["expires_on"]) for row in rows] == [
        ("cli", "dir", None),
        ("bounded", "dir", BOUND),
    ]
    assert [row.extra["token_name"] for row in rows] == ["cli", "bounded"]
    assert rows[0].extra["token_description"] == "laptop"
    assert rows[0].verbs == (Verb.READ, Verb.REMOVE)


def test_a_card_tells_everything_but_the_value(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli", description="laptop")
    used = tree_world.clock.forward(60)
    tree_world.tokens.record_uses([(caller.token or 0, used, "GET /v1/whoami from 127.0.0.1 curl/8")])
    assert tree_world.read("/v1/admin/tokens/cli/info", caller) == {
        "token_name": "cli",
        "token_description": "laptop",
        "kind": "token",
        "created_on": tree_world.epoch,
        "expires_on": None,
        "last_used_on": used,
        "active": True,
        "expired": False,
    }
    assert tree_world.text("/v1/admin/tokens/cli/info", caller) == (
        f"Name: cli\nDescription: laptop\nCreated: {tree_world.epoch}\nExpires: never\nLast used: {used}\n"
        "Active: Yes\nExpired: No\n"
    )


def test_the_log_tells_what_was_done(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    assert tree_world.text("/v1/admin/tokens/cli/log", caller) == ""
    tree_world.tokens.record_uses([(caller.token or 0, "2026-01-02T03:05:00.000Z", "GET /v1/whoami")])
    assert tree_world.text("/v1/admin/tokens/cli/log", caller) == "2026-01-02T03:05:00.000Z  GET /v1/whoami\n"
    assert tree_world.read("/v1/admin/tokens/cli/log", caller) == [
        {"log_time": "2026-01-02T03:05:00.000Z", "severity": "info", "message": "GET /v1/whoami"}
    ]


def test_a_revoked_token_leaves_the_list_and_keeps_its_card(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli")
    tree_world.token("alice", "old")
    tree_world.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)
    assert [row.name for row in tree_world.read("/v1/admin/tokens", caller)] == ["cli"]
    assert "Active: No\nExpired: No\n" in tree_world.text("/v1/admin/tokens/old/info", caller)
    assert tree_world.text("/v1/admin/tokens/old/log", caller) == ""
    with pytest.raises(NotFound):
        tree_world.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)


def test_a_name_used_again_is_a_new_card(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli")
    tree_world.token("alice", "old")
    tree_world.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)
    tree_world.token("alice", "old")
    assert "Active: Yes" in tree_world.text("/v1/admin/tokens/old/info", caller)


def test_an_expired_token_stays_listed_until_it_is_revoked(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli")
    tree_world.token("alice", "brief", expires_on=tree_world.clock.forward(1))
    assert "Active: Yes\nExpired: Yes\n" in tree_world.text("/v1/admin/tokens/brief/info", caller)
    assert [row.name for row in tree_world.read("/v1/admin/tokens", caller)] == ["cli", "brief"]
    tree_world.call(Verb.REMOVE, "/v1/admin/tokens/brief", caller)
    assert [row.name for row in tree_world.read("/v1/admin/tokens", caller)] == ["cli"]


def test_tokens_of_others_are_not_there(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    tree_world.token("bob", "other")
    for path in ("/v1/admin/tokens/other", "/v1/admin/tokens/other/info", "/v1/admin/tokens/never"):
        with pytest.raises(NotFound):
            tree_world.call(Verb.READ, path, caller)
        with pytest.raises(Unauthenticated):
            tree_world.call(Verb.READ, path, PUBLIC)
    with pytest.raises(NotFound):
        tree_world.call(Verb.REMOVE, "/v1/admin/tokens/other", caller)
    with pytest.raises(Unauthenticated):
        tree_world.call(Verb.READ, "/v1/admin/tokens", PUBLIC)


def test_a_card_is_never_written(tree_world: TreeWorld) -> None:
    with pytest.raises(Unsupported):
        tree_world.write("/v1/admin/tokens/cli/info", tree_world.token("alice"), "Active: No")


@pytest.mark.parametrize("verb", [Verb.READ, Verb.REMOVE, None])
@pytest.mark.parametrize("name", ["cli", "run-1", "never"])
def test_a_run_reaches_no_token_at_all(tree_world: TreeWorld, verb: Verb | None, name: str) -> None:
    tree_world.token("alice", "cli")
    run = tree_world.token("alice", "run-1", via=Via.RUN, claim="global", run=1)
    with pytest.raises(Denied):
        tree_world.call(Verb.READ, "/v1/admin/tokens", run)
    with pytest.raises(Denied):
        tree_world.call(verb, f"/v1/admin/tokens/{name}", run)
    assert [token.name for token in tree_world.tokens.of("alice")] == ["cli"]


def test_the_credential_of_a_run_is_no_token_of_its_owner(tree_world: TreeWorld) -> None:
    tree_world.token("alice", "run-1", via=Via.RUN, claim="global", run=1)
    with pytest.raises(NotFound):
        tree_world.call(Verb.READ, "/v1/admin/tokens/run-1/info", tree_world.token("alice"))
