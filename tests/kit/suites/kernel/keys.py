"""Promises of public keys of SSH."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.errors import Conflict, NotFound
from vfs.ports.keys import Key, Keys, PublicKey


class KeysGround(Ground, Protocol):
    """An empty world with its keys."""

    @property
    def keys(self) -> Keys: ...


def public(name: str, comment: str = "laptop") -> PublicKey:
    """A public key that is told apart by a name."""
    return PublicKey("ssh-ed25519", f"body of {name}", comment, f"SHA256:{name}")


def add_key(ground: KeysGround, user: str, name: str, key: str = "") -> Key:
    """An entry, with a key where one is named."""
    ground.keys.add(user, name)
    made = ground.keys.find(user, name)
    assert made is not None
    if key:
        ground.keys.put(made.id, public(key))
    found = ground.keys.at(made.id)
    assert found is not None
    return found


class KeysSuite:
    """Promises of vfs.ports.keys.Keys."""

    def test_an_entry_is_kept_and_its_key_found_by_fingerprint(self, ground: KeysGround) -> None:
        add_user(ground, "alice")
        made, now = add_key(ground, "alice", "laptop"), ground.clock.forward(0)
        assert made == Key(made.id, "alice", "laptop", "", "", None, now, now, None)
        later = ground.clock.forward(5)
        ground.keys.put(made.id, public("one"))
        (found,) = ground.keys.with_fingerprint("SHA256:one")
        assert (found.id, found.public, found.last_modified) == (made.id, public("one"), later)
        assert found.public is not None
        assert found.public.line == "ssh-ed25519 body of one laptop"
        assert ground.keys.with_fingerprint("SHA256:two") == []
        assert ground.keys.find("alice", "laptop") == ground.keys.at(made.id) == found
        assert ground.keys.find("bob", "laptop") is None
        assert ground.keys.at(made.id + 1) is None

    def test_words_are_changed(self, ground: KeysGround) -> None:
        add_user(ground, "alice")
        made, later = add_key(ground, "alice", "laptop", "one"), ground.clock.forward(5)
        ground.keys.change(made.id, title="My laptop", summary="in the kitchen")
        found = ground.keys.at(made.id)
        assert found is not None
        assert (found.title, found.summary, found.public) == ("My laptop", "in the kitchen", made.public)
        assert found.last_modified == later
        with raises(TypeError):
            ground.keys.change(made.id, fingerprint="SHA256:two")
        with raises(NotFound):
            ground.keys.change(made.id + 1, title="x")

    def test_a_name_is_one_entry_s_of_a_user(self, ground: KeysGround) -> None:
        for user in ("alice", "bob"):
            add_user(ground, user)
            add_key(ground, user, "z")
        with raises(Conflict):
            ground.keys.add("alice", "z")
        add_key(ground, "alice", "a")
        assert [(one.user, one.name) for one in ground.keys.of("alice")] == [("alice", "a"), ("alice", "z")]

    def test_a_key_is_one_entry_s_of_each_account(self, ground: KeysGround) -> None:
        for user in ("alice", "bob"):
            add_user(ground, user)
        mine, bobs = add_key(ground, "alice", "laptop", "one"), add_key(ground, "bob", "laptop", "one")
        assert ground.keys.with_fingerprint("SHA256:one") == [mine, bobs]
        other = add_key(ground, "alice", "again")
        with raises(Conflict):
            ground.keys.put(other.id, public("one", "another comment"))
        assert ground.keys.at(other.id) == other
        assert ground.keys.remove(mine.id)
        assert not ground.keys.remove(mine.id)
        assert ground.keys.with_fingerprint("SHA256:one") == [bobs]
        ground.keys.put(other.id, public("one"))
        with raises(NotFound):
            ground.keys.put(mine.id, public("two"))

    def test_of_many_who_send_a_key_at_once_one_has_it(self, ground: KeysGround) -> None:
        add_user(ground, "alice")
        made = [add_key(ground, "alice", f"k{number}") for number in range(8)]

        def put(key: Key) -> bool:
            try:
                ground.keys.put(key.id, public("one"))
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(put, made)) == 1

    def test_the_last_use_is_the_key_s(self, ground: KeysGround) -> None:
        add_user(ground, "alice")
        made = add_key(ground, "alice", "laptop", "one")
        for used_on in ("2026-01-02", "2026-01-01"):
            ground.keys.record_use(made.id, used_on)
        ground.keys.record_use(made.id + 1, "2026-01-03")
        ground.keys.put(made.id, public("one", "the same with other words"))
        assert [one.last_used_on for one in ground.keys.of("alice")] == ["2026-01-02"]
        ground.keys.put(made.id, public("two"))
        assert [one.last_used_on for one in ground.keys.of("alice")] == [None]

    def test_a_key_tells_that_its_user_is_locked(self, ground: KeysGround) -> None:
        add_user(ground, "alice")
        made = add_key(ground, "alice", "laptop", "one")
        ground.users.change("alice", locked=True)
        for found in (ground.keys.at(made.id), *ground.keys.with_fingerprint("SHA256:one")):
            assert found is not None
            assert found.locked
