"""Promises of transactions."""

from __future__ import annotations

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.access import Grant


class AtomicSuite:
    """Promises of vfs.ports.world.KernelWorld.atomic."""

    def test_all_happens_or_nothing(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "old", "alice")
        with raises(RuntimeError), empty_world.atomic():
            empty_world.leaves.put(item.id, "content", "new", "alice")
            empty_world.leaves.put(item.id, "summary", "new", "alice")
            empty_world.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
            empty_world.items.create("doc", "alice", "other")
            empty_world.users.change("alice", public=True)
            empty_world.tokens.mint("alice", "cli", "d1")
            raise RuntimeError
        assert [leaf.text for leaf in empty_world.leaves.texts(item.id, "")] == ["old"]
        assert empty_world.grants.on(item.id) == []
        assert empty_world.items.find("doc", "alice", "other", "alice") is None
        user = empty_world.users.find("alice")
        assert user is not None
        assert not user.public
        assert empty_world.tokens.by_digest("d1") is None

    def test_an_inner_one_goes_back_alone(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        with empty_world.atomic():
            empty_world.leaves.put(item.id, "a", "kept", "alice")
            with raises(RuntimeError), empty_world.atomic():
                empty_world.leaves.put(item.id, "b", "lost", "alice")
                raise RuntimeError
            empty_world.leaves.put(item.id, "c", "kept", "alice")
        assert [leaf.rel for leaf in empty_world.leaves.texts(item.id, "")] == ["a", "c"]

    def test_an_outer_one_takes_the_inner_back(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        with raises(RuntimeError), empty_world.atomic():
            with empty_world.atomic():
                empty_world.leaves.put(item.id, "a", "lost", "alice")
            raise RuntimeError
        assert empty_world.leaves.under(item.id, "") == []

    def test_writes_show_inside(self, empty_world: EmptyWorld) -> None:
        with empty_world.atomic():
            item = empty_world.items.create("doc", "alice", "report")
            empty_world.leaves.put(item.id, "a", "text", "alice")
            assert [mark.rel for mark in empty_world.leaves.under(item.id, "")] == ["a"]
