"""The caller's public keys: sent, shown, listed and removed, by its own credentials alone."""

from __future__ import annotations

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, NotFound, Unauthenticated

KEYS = "/v1/admin/keys"


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_only_the_user_s_own_credentials_reach_keys(tree_world: TreeWorld, via: Via) -> None:
    tree_world.call(Verb.CREATE, f"{KEYS}/k", tree_world.token("alice"))
    other = tree_world.token("alice", "other", via=via)
    with pytest.raises(Denied):
        tree_world.call(Verb.READ, KEYS, other)
    for verb, name in ((Verb.CREATE, "new"), (Verb.READ, "k/key"), (Verb.REMOVE, "k")):
        with pytest.raises((Denied, NotFound)):
            tree_world.call(verb, f"{KEYS}/{name}", other)
    with pytest.raises(Unauthenticated):
        tree_world.read(KEYS, PUBLIC)
    assert len(tree_world.read(KEYS, tree_world.token("alice", "third"))) == 1
