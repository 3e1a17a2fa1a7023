"""The caller's public keys: sent, told, listed and removed, by its own credentials alone."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Conflict, Denied, Invalid, NotFound, Unauthenticated, Unsupported

KEYS = "/v1/admin/keys"


def fresh() -> str:
    """The line of a new key."""
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() + " ann@laptop"


def test_a_key_is_made_named_told_and_removed(tree_world: TreeWorld) -> None:
    caller, line = tree_world.token("alice"), fresh()
    tree_world.call(Verb.CREATE, f"{KEYS}/ann-laptop", caller)
    made = {
        name: tree_world.text(f"{KEYS}/ann-laptop/{name}", caller)
        for name in ("key", "fingerprint", "last_use")
    }
    assert made == {"key": "", "fingerprint": "", "last_use": "never"}
    tree_world.write(f"{KEYS}/ann-laptop/key", caller, f"{line}\n")
    tree_world.write(f"{KEYS}/ann-laptop/name", caller, "My laptop")
    tree_world.write(f"{KEYS}/ann-laptop/summary", caller, "in the kitchen")
    key = tree_world.people.keys.find("alice", "ann-laptop")
    assert key is not None
    assert key.public is not None
    tree_world.people.keys.record_use(key.id, "2026-01-03T00:00:00.000Z")
    told = {name: tree_world.text(f"{KEYS}/ann-laptop/{name}", caller) for name in FACTS}
    assert told == {
        "key": line,
        "name": "My laptop",
        "summary": "in the kitchen",
        "fingerprint": key.public.fingerprint,
        "created_on": tree_world.epoch,
        "last_use": "2026-01-03T00:00:00.000Z",
    }
    row = tree_world.read(KEYS, caller)[0]
    assert (row.name, row.extra["fingerprint"]) == ("ann-laptop", key.public.fingerprint)
    assert (row.extra["title"], row.extra["last_used_on"]) == ("My laptop", "2026-01-03T00:00:00.000Z")
    tree_world.call(Verb.REMOVE, f"{KEYS}/ann-laptop", caller)
    assert tree_world.read(KEYS, caller) == []
    with pytest.raises(NotFound):
        tree_world.text(f"{KEYS}/ann-laptop/key", caller)


FACTS = ("key", "name", "summary", "fingerprint", "created_on", "last_use")


def test_a_key_stands_once_at_each_account_and_nobody_is_told_of_the_others(tree_world: TreeWorld) -> None:
    alice, bob, line = tree_world.token("alice"), tree_world.token("bob"), fresh()
    for who, name in ((alice, "k"), (alice, "other"), (bob, "k")):
        tree_world.call(Verb.CREATE, f"{KEYS}/{name}", who)
    tree_world.write(f"{KEYS}/k/key", alice, line)
    tree_world.write(f"{KEYS}/k/key", bob, f"{line} with other words")
    with pytest.raises(Conflict) as refused:
        tree_world.write(f"{KEYS}/other/key", alice, f"{line} with other words")
    assert not any(word in refused.value.detail for word in ("bob", "Duplicate", "Failure"))
    tree_world.write(f"{KEYS}/k/key", alice, f"{line} with other words")
    with pytest.raises(Conflict, match="there is already"):
        tree_world.call(Verb.CREATE, f"{KEYS}/k", alice)


def test_what_is_wrong_is_refused(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    tree_world.call(Verb.CREATE, f"{KEYS}/k", caller)
    with pytest.raises(Invalid):
        tree_world.write(f"{KEYS}/k/key", caller, "no key")
    with pytest.raises(Invalid):
        tree_world.call(Verb.CREATE, f"{KEYS}/K.x", caller)
    with pytest.raises(NotFound):
        tree_world.write(f"{KEYS}/never/key", caller, fresh())
    for fact in ("fingerprint", "created_on", "last_use"):
        with pytest.raises(Unsupported):
            tree_world.write(f"{KEYS}/k/{fact}", caller, "x")


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_keys_are_for_credentials_of_one_s_own(tree_world: TreeWorld, via: Via) -> None:
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
