"""The caller's public keys: sent, told, listed and removed, by its own credentials alone."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Conflict, Denied, Invalid, NotFound, Unauthenticated, Unsupported

KEYS = "/v1/admin/keys"


def fresh() -> str:
    """The line of a new key."""
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() + " ann@laptop"


def test_a_key_is_made_named_told_and_removed(town: Town) -> None:
    caller, line = town.token("alice"), fresh()
    town.call(Verb.CREATE, f"{KEYS}/ann-laptop", caller)
    made = {
        name: town.text(f"{KEYS}/ann-laptop/{name}", caller) for name in ("key", "fingerprint", "last_use")
    }
    assert made == {"key": "", "fingerprint": "", "last_use": "never"}
    town.write(f"{KEYS}/ann-laptop/key", caller, f"{line}\n")
    town.write(f"{KEYS}/ann-laptop/name", caller, "My laptop")
    town.write(f"{KEYS}/ann-laptop/summary", caller, "in the kitchen")
    key = town.people.keys.find("alice", "ann-laptop")
    assert key is not None
    assert key.public is not None
    town.people.keys.record_use(key.id, "2026-01-03T00:00:00.000Z")
    told = {name: town.text(f"{KEYS}/ann-laptop/{name}", caller) for name in FACTS}
    assert told == {
        "key": line,
        "name": "My laptop",
        "summary": "in the kitchen",
        "fingerprint": key.public.fingerprint,
        "created_on": town.epoch,
        "last_use": "2026-01-03T00:00:00.000Z",
    }
    row = town.read(KEYS, caller)[0]
    assert (row.name, row.extra["fingerprint"]) == ("ann-laptop", key.public.fingerprint)
    assert (row.extra["title"], row.extra["last_used_on"]) == ("My laptop", "2026-01-03T00:00:00.000Z")
    town.call(Verb.REMOVE, f"{KEYS}/ann-laptop", caller)
    assert town.read(KEYS, caller) == []
    with pytest.raises(NotFound):
        town.text(f"{KEYS}/ann-laptop/key", caller)


FACTS = ("key", "name", "summary", "fingerprint", "created_on", "last_use")


def test_a_key_stands_once_at_each_account_and_nobody_is_told_of_the_others(town: Town) -> None:
    alice, bob, line = town.token("alice"), town.token("bob"), fresh()
    for who, name in ((alice, "k"), (alice, "other"), (bob, "k")):
        town.call(Verb.CREATE, f"{KEYS}/{name}", who)
    town.write(f"{KEYS}/k/key", alice, line)
    town.write(f"{KEYS}/k/key", bob, f"{line} with other words")
    with pytest.raises(Conflict) as refused:
        town.write(f"{KEYS}/other/key", alice, f"{line} with other words")
    assert not any(word in refused.value.detail for word in ("bob", "Duplicate", "Failure"))
    town.write(f"{KEYS}/k/key", alice, f"{line} with other words")
    with pytest.raises(Conflict, match="there is already"):
        town.call(Verb.CREATE, f"{KEYS}/k", alice)


def test_what_is_wrong_is_refused(town: Town) -> None:
    caller = town.token("alice")
    town.call(Verb.CREATE, f"{KEYS}/k", caller)
    with pytest.raises(Invalid):
        town.write(f"{KEYS}/k/key", caller, "no key")
    with pytest.raises(Invalid):
        town.call(Verb.CREATE, f"{KEYS}/K.x", caller)
    with pytest.raises(NotFound):
        town.write(f"{KEYS}/never/key", caller, fresh())
    for fact in ("fingerprint", "created_on", "last_use"):
        with pytest.raises(Unsupported):
            town.write(f"{KEYS}/k/{fact}", caller, "x")


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_keys_are_for_credentials_of_one_s_own(town: Town, via: Via) -> None:
    town.call(Verb.CREATE, f"{KEYS}/k", town.token("alice"))
    other = town.token("alice", "other", via=via)
    with pytest.raises(Denied):
        town.call(Verb.READ, KEYS, other)
    for verb, name in ((Verb.CREATE, "new"), (Verb.READ, "k/key"), (Verb.REMOVE, "k")):
        with pytest.raises((Denied, NotFound)):
            town.call(verb, f"{KEYS}/{name}", other)
    with pytest.raises(Unauthenticated):
        town.read(KEYS, PUBLIC)
    assert len(town.read(KEYS, town.token("alice", "third"))) == 1
