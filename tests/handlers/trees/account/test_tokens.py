"""The caller's tokens: list, card, log, revocation."""

from __future__ import annotations

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, NotFound, Unauthenticated, Unsupported


def test_a_name_used_again_is_a_new_card(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice", "cli")
    tree_world.token("alice", "old")
    tree_world.call(Verb.REMOVE, "/v1/admin/tokens/old", caller)
    tree_world.token("alice", "old")
    assert "Active: Yes" in tree_world.text("/v1/admin/tokens/old/info", caller)


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
