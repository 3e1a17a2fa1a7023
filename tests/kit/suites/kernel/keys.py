"""Promises of public keys of SSH."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.errors import Conflict, NotFound
from vfs.ports.keys import Key, Keys, PublicKey


class KeysWorld(EmptyWorld, Protocol):
    """An empty world with its keys."""

    @property
    def keys(self) -> Keys: ...


def public(name: str, comment: str = "laptop") -> PublicKey:
    """A public key that differs by its name."""
    return PublicKey("ssh-ed25519", f"body of {name}", comment, f"SHA256:{name}")


def add_key(empty_world: KeysWorld, user: str, name: str, key: str = "") -> Key:
    """An entry, with a key where one is named."""
    empty_world.keys.add(user, name)
    made = empty_world.keys.find(user, name)
    assert made is not None
    if key:
        empty_world.keys.put(made.id, public(key))
    found = empty_world.keys.at(made.id)
    assert found is not None
    return found


class KeysSuite:
    """Promises of vfs.ports.keys.Keys."""

    def test_an_entry_is_kept_and_its_key_found_by_fingerprint(self, empty_world: KeysWorld) -> None:
        add_user(empty_world, "alice")
        made, now = add_key(empty_world, "alice", "laptop"), empty_world.clock.forward(0)
        assert made == Key(made.id, "alice", "laptop", "", "", None, now, now, None)
        later = empty_world.clock.forward(5)
        empty_world.keys.put(made.id, public("one"))
        (found,) = empty_world.keys.with_fingerprint("SHA256:one")
        assert (found.id, found.public, found.last_modified) == (made.id, public("one"), later)
        assert found.public is not None
        assert found.public.line == "ssh-ed25519 body of one laptop"
        assert empty_world.keys.with_fingerprint("SHA256:two") == []
        assert empty_world.keys.find("alice", "laptop") == empty_world.keys.at(made.id) == found
        assert empty_world.keys.find("bob", "laptop") is None
        assert empty_world.keys.at(made.id + 1) is None

    def test_words_are_changed(self, empty_world: KeysWorld) -> None:
        add_user(empty_world, "alice")
        made, later = add_key(empty_world, "alice", "laptop", "one"), empty_world.clock.forward(5)
        empty_world.keys.change(made.id, title="My laptop", summary="in the kitchen")
        found = empty_world.keys.at(made.id)
        assert found is not None
        assert (found.title, found.summary, found.public) == ("My laptop", "in the kitchen", made.public)
        assert found.last_modified == later
        with raises(TypeError):
            empty_world.keys.change(made.id, fingerprint="SHA256:two")
        with raises(NotFound):
            empty_world.keys.change(made.id + 1, title="x")

    def test_a_name_is_one_entry_s_of_a_user(self, empty_world: KeysWorld) -> None:
        for user in ("alice", "bob"):
            add_user(empty_world, user)
            add_key(empty_world, user, "z")
        with raises(Conflict):
            empty_world.keys.add("alice", "z")
        add_key(empty_world, "alice", "a")
        assert [(one.user, one.name) for one in empty_world.keys.of("alice")] == [
            ("alice", "a"),
            ("alice", "z"),
        ]

    def test_a_key_is_one_entry_s_of_each_account(self, empty_world: KeysWorld) -> None:
        for user in ("alice", "bob"):
            add_user(empty_world, user)
        mine, bobs = (
            add_key(empty_world, "alice", "laptop", "one"),
            add_key(empty_world, "bob", "laptop", "one"),
        )
        assert empty_world.keys.with_fingerprint("SHA256:one") == [mine, bobs]
        other = add_key(empty_world, "alice", "again")
        with raises(Conflict):
            empty_world.keys.put(other.id, public("one", "another comment"))
        assert empty_world.keys.at(other.id) == other
        assert empty_world.keys.remove(mine.id)
        assert not empty_world.keys.remove(mine.id)
        assert empty_world.keys.with_fingerprint("SHA256:one") == [bobs]
        empty_world.keys.put(other.id, public("one"))
        with raises(NotFound):
            empty_world.keys.put(mine.id, public("two"))

    def test_of_many_who_send_a_key_at_once_one_has_it(self, empty_world: KeysWorld) -> None:
        add_user(empty_world, "alice")
        made = [add_key(empty_world, "alice", f"k{number}") for number in range(8)]

        def put(key: Key) -> bool:
            try:
                empty_world.keys.put(key.id, public("one"))
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(put, made)) == 1

    def test_the_last_use_is_the_key_s(self, empty_world: KeysWorld) -> None:
        add_user(empty_world, "alice")
        made = add_key(empty_world, "alice", "laptop", "one")
        for used_on in ("2026-01-02", "2026-01-01"):
            empty_world.keys.record_use(made.id, used_on)
        empty_world.keys.record_use(made.id + 1, "2026-01-03")
        empty_world.keys.put(made.id, public("one", "the same with other words"))
        assert [one.last_used_on for one in empty_world.keys.of("alice")] == ["2026-01-02"]
        empty_world.keys.put(made.id, public("two"))
        assert [one.last_used_on for one in empty_world.keys.of("alice")] == [None]

    def test_a_key_tells_that_its_user_is_locked(self, empty_world: KeysWorld) -> None:
        add_user(empty_world, "alice")
        made = add_key(empty_world, "alice", "laptop", "one")
        empty_world.users.change("alice", locked=True)
        for found in (empty_world.keys.at(made.id), *empty_world.keys.with_fingerprint("SHA256:one")):
            assert found is not None
            assert found.locked
