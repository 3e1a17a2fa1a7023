"""Promises of transactions."""

from __future__ import annotations

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Grant


class AtomicSuite:
    """Promises of vfs.ports.world.KernelWorld.atomic."""

    def test_all_happens_or_nothing(self, ground: Ground) -> None:
        add_user(ground, "alice")
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "content", "old", "alice")
        with raises(RuntimeError), ground.atomic():
            ground.leaves.put(item.id, "content", "new", "alice")
            ground.leaves.put(item.id, "summary", "new", "alice")
            ground.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
            ground.items.create("doc", "alice", "other")
            ground.users.change("alice", public=True)
            ground.tokens.mint("alice", "cli", "d1")
            raise RuntimeError
        assert [leaf.text for leaf in ground.leaves.texts(item.id, "")] == ["old"]
        assert ground.grants.on(item.id) == []
        assert ground.items.find("doc", "alice", "other", "alice") is None
        user = ground.users.find("alice")
        assert user is not None
        assert not user.public
        assert ground.tokens.by_digest("d1") is None

    def test_an_inner_one_goes_back_alone(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        with ground.atomic():
            ground.leaves.put(item.id, "a", "kept", "alice")
            with raises(RuntimeError), ground.atomic():
                ground.leaves.put(item.id, "b", "lost", "alice")
                raise RuntimeError
            ground.leaves.put(item.id, "c", "kept", "alice")
        assert [leaf.rel for leaf in ground.leaves.texts(item.id, "")] == ["a", "c"]

    def test_an_outer_one_takes_the_inner_back(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        with raises(RuntimeError), ground.atomic():
            with ground.atomic():
                ground.leaves.put(item.id, "a", "lost", "alice")
            raise RuntimeError
        assert ground.leaves.under(item.id, "") == []

    def test_writes_show_inside(self, ground: Ground) -> None:
        with ground.atomic():
            item = ground.items.create("doc", "alice", "report")
            ground.leaves.put(item.id, "a", "text", "alice")
            assert [mark.rel for mark in ground.leaves.under(item.id, "")] == ["a"]
