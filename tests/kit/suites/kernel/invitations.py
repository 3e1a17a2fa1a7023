"""Promises of pending shares and of invitation links."""

from __future__ import annotations

from typing import Protocol

import pytest

from tests.kit.suites.kernel import EmptyWorld, add_user
from vfs.errors import NotFound
from vfs.ports.invitations import InvitationLink, InvitationLinks, PendingShare, PendingShares

EARLIER, NOW, LATER = (f"2026-11-22T00:{minute}0:00.000Z" for minute in range(3))


class InvitingWorld(EmptyWorld, Protocol):
    """An empty world with its pending shares and links."""

    @property
    def pending_shares(self) -> PendingShares: ...
    @property
    def links(self) -> InvitationLinks: ...


def share(item: int, user: str = "bob", letters: str = "r", created_on: str = NOW) -> PendingShare:
    return PendingShare(item, user, "alice", letters, f"@{user}~{letters}", created_on)


class InvitationsSuite:
    """Promises of vfs.ports.invitations."""

    def test_a_pending_share_is_one_of_an_item_and_a_user(self, empty_world: InvitingWorld) -> None:
        item = empty_world.items.create("doc", "alice", "birds").id
        for one in (share(item), share(item, "zoe"), share(item, letters="rw")):
            empty_world.pending_shares.put(one, "")
        found = [(one.user, one.letters) for one in empty_world.pending_shares.on(item, EARLIER)]
        assert found == [("bob", "rw"), ("zoe", "r")]
        assert empty_world.pending_shares.on(item, NOW) == []
        assert empty_world.pending_shares.drop(item, "bob")
        assert not empty_world.pending_shares.drop(item, "bob")
        with pytest.raises(NotFound):
            empty_world.pending_shares.put(share(item + 1), "")

    def test_all_of_a_user_are_taken_at_once_and_old_ones_are_forgotten(
        self, empty_world: InvitingWorld
    ) -> None:
        first, second, third = (empty_world.items.create("doc", "alice", name).id for name in ("a", "b", "c"))
        for one in (share(third), share(first, created_on=EARLIER), share(second), share(first, "zoe")):
            empty_world.pending_shares.put(one, "")
        assert empty_world.pending_shares.take("carol", "bob", "") == []
        assert [one.item for one in empty_world.pending_shares.take("alice", "bob", EARLIER)] == [
            second,
            third,
        ]
        assert empty_world.pending_shares.take("alice", "bob", "") == []
        assert [one.user for one in empty_world.pending_shares.on(first, "")] == ["zoe"]

    def test_shares_that_have_ended_are_forgotten_with_the_next(self, empty_world: InvitingWorld) -> None:
        first, second = (empty_world.items.create("doc", "alice", name).id for name in ("a", "b"))
        empty_world.pending_shares.put(share(first, created_on=EARLIER), "")
        empty_world.pending_shares.put(share(second), EARLIER)
        assert empty_world.pending_shares.on(first, "") == []
        assert [one.user for one in empty_world.pending_shares.on(second, "")] == ["bob"]

    def test_a_pending_share_goes_with_its_item(self, empty_world: InvitingWorld) -> None:
        item = empty_world.items.create("doc", "alice", "birds")
        empty_world.pending_shares.put(share(item.id), "")
        empty_world.items.remove(item)
        assert empty_world.pending_shares.take("alice", "bob", "") == []

    def test_a_link_is_found_until_its_end_and_used_once(self, empty_world: InvitingWorld) -> None:
        add_user(empty_world, "alice")
        link = InvitationLink("alice", "for-bob", EARLIER, LATER)
        assert empty_world.links.add("digest", link)
        assert not empty_world.links.add("other", link)
        assert empty_world.links.of("alice", NOW) == [link] and empty_world.links.of("bob", NOW) == []
        assert empty_world.links.find("digest", NOW) == link
        assert empty_world.links.find("digest", LATER) is None and not empty_world.links.spend(
            "digest", LATER
        )
        assert empty_world.links.spend("digest", NOW) and not empty_world.links.spend("digest", NOW)
        assert empty_world.links.of("alice", NOW) == []

    def test_a_name_is_free_again_once_its_link_has_ended(self, empty_world: InvitingWorld) -> None:
        add_user(empty_world, "alice")
        assert empty_world.links.add("one", InvitationLink("alice", "for-bob", EARLIER, NOW))
        assert empty_world.links.add("two", InvitationLink("alice", "for-bob", NOW, LATER))
        assert empty_world.links.find("one", EARLIER) is None
        assert empty_world.links.drop("alice", "for-bob") and not empty_world.links.drop("alice", "for-bob")

    def test_links_of_a_locked_account_open_nothing(self, empty_world: InvitingWorld) -> None:
        add_user(empty_world, "alice")
        empty_world.links.add("digest", InvitationLink("alice", "for-bob", EARLIER, LATER))
        empty_world.users.change("alice", locked=True)
        assert empty_world.links.find("digest", NOW) is None
