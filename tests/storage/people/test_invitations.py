"""Pending shares and invitation links keep the promises of their ports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.kit.suites.kernel import add_user
from tests.kit.suites.kernel.invitations import EARLIER, LATER, NOW, InvitationsSuite, share
from tests.kit.world import StoredWorld
from vfs.ports.invitations import InvitationLink


class TestInvitations(InvitationsSuite):
    pass


def test_of_all_who_open_a_link_at_once_one_is_taken(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    stored.links.add("digest", InvitationLink("alice", "for-bob", EARLIER, LATER))
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _: stored.links.spend("digest", NOW), range(16)))
    assert taken.count(True) == 1


def test_of_all_who_accept_at_once_one_gets_the_shares(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "birds").id
    stored.pending_shares.put(share(item), "")
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _: stored.pending_shares.take("alice", "bob", ""), range(16)))
    assert sum(map(len, taken)) == 1
