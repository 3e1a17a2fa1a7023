"""Shares that wait for a connection: when they begin, for whom, and what stays hidden."""

from __future__ import annotations

import pytest

from handlers.services.connecting import REQUESTS, WAIT
from handlers.trees.account.links import MOST_MADE
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb, Via
from vfs.call import Data
from vfs.errors import Denied, NotFound, QuotaReached, TooMany
from vfs.ports.quotas import QuotaName

PLOT = "/v1/vis/plots/birds"
CONNECTIONS, LINKS, ACCEPT = (f"/v1/admin/social/{name}" for name in ("connections", "links", "accept"))
DAY = 24 * 3600


@pytest.fixture
def alice(tree_world: TreeWorld) -> Caller:
    """The owner of a plot."""
    caller = tree_world.token("alice")
    tree_world.call(Verb.CREATE, PLOT, caller)
    return caller


def accept(tree_world: TreeWorld, who: str, word: str = "yes") -> None:
    tree_world.write("/v1/admin/invites/@alice/accept", tree_world.token(who, f"accept {word}"), word)


def shared(tree_world: TreeWorld, alice: Caller) -> list[str]:
    return [row.name for row in tree_world.read(f"{PLOT}/shared", alice)]


def waiting(tree_world: TreeWorld, alice: Caller) -> list[str]:
    return [row.name for row in tree_world.read(f"{PLOT}/pending", alice)]


def notices(tree_world: TreeWorld, who: str) -> list[str]:
    return [notice.text for notice in tree_world.notices.of(who)]


def link(tree_world: TreeWorld, alice: Caller, name: str = "newcomer") -> str:
    answer = tree_world.call(Verb.CREATE, f"{LINKS}/{name}", alice).value
    assert isinstance(answer, Data)
    return str(answer.value["key"])


def test_a_later_owner_of_the_name_has_to_accept_and_the_owner_is_warned(
    tree_world: TreeWorld, alice: Caller
) -> None:
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@zoe~r", alice)
    tree_world.clock.forward(DAY)
    tree_world.citizen("zoe")
    zoe = tree_world.token("zoe")
    with pytest.raises(NotFound):
        tree_world.read("/v1/users/alice/vis/plots/birds", zoe)
    assert [row.name for row in tree_world.read("/v1/admin/invites", zoe)] == ["@alice"]
    assert shared(tree_world, alice) == []
    accept(tree_world, "zoe")
    assert shared(tree_world, alice) == ["@zoe~r"]
    assert notices(tree_world, "alice")[0].endswith("make sure that you know its owner.")


def test_a_share_that_waited_too_long_does_not_begin(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    tree_world.clock.forward(WAIT.total_seconds())
    assert waiting(tree_world, alice) == []
    accept(tree_world, "bob")
    assert shared(tree_world, alice) == []
    assert notices(tree_world, "alice") == ["@bob is connected with you now."]


def test_no_share_of_a_locked_owner_begins(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    tree_world.users.change("alice", locked=True)
    accept(tree_world, "bob")
    assert shared(tree_world, alice) == []


def test_a_quota_that_was_lowered_does_not_keep_anybody_from_accepting(
    tree_world: TreeWorld, alice: Caller
) -> None:
    tree_world.grants._quotas = tree_world.pending_shares._quotas = tree_world.quotas
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    tree_world.quotas.set("alice", {QuotaName.SHARES: 1})
    with pytest.raises(QuotaReached):
        tree_world.call(Verb.CREATE, f"{PLOT}/pending/@zoe~r", alice)
    assert [row.name for row in tree_world.read(CONNECTIONS, alice)] == ["I-bob"]
    tree_world.quotas.set("alice", {QuotaName.SHARES: 0})
    accept(tree_world, "bob")
    assert shared(tree_world, alice) == []
    assert "could not be shared" in notices(tree_world, "alice")[0]
    assert tree_world.quotas.one("alice", QuotaName.SHARES).use == 0


def test_shares_in_both_directions_begin_with_one_acceptance(tree_world: TreeWorld, alice: Caller) -> None:
    bob = tree_world.token("bob")
    tree_world.call(Verb.CREATE, "/v1/vis/plots/eggs", bob)
    tree_world.call(Verb.CREATE, "/v1/vis/plots/eggs/pending/@alice~r", bob)
    tree_world.write("/v1/admin/invites/@bob/accept", alice, "no")
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    accept(tree_world, "bob")
    assert shared(tree_world, alice) == ["@bob~r"]
    assert tree_world.read("/v1/users/bob/vis/plots/eggs", alice)
    for who in ("alice", "bob"):
        rows = tree_world.read(CONNECTIONS, tree_world.token(who, "after"))
        assert [row.name for row in rows] == [{"alice": "bob", "bob": "alice"}[who]]


def test_a_repeated_share_with_a_connected_user_sends_no_further_notice(
    tree_world: TreeWorld, alice: Caller
) -> None:
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    accept(tree_world, "bob")
    tree_world.notices.dismiss("bob", [notice.id for notice in tree_world.notices.of("bob")])
    for letters in ("rw", "r", "rx"):
        tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~{letters}", alice)
    assert notices(tree_world, "bob") == []
    assert shared(tree_world, alice) == ["@bob~rx"]


def test_connection_requests_in_an_hour_are_limited(tree_world: TreeWorld, alice: Caller) -> None:
    for number in range(REQUESTS):
        tree_world.call(Verb.CREATE, f"{CONNECTIONS}/user{number}", alice)
    with pytest.raises(TooMany):
        tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    assert waiting(tree_world, alice) == []
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@user1~r", alice)  # requested already


def test_a_pending_share_is_not_copied(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.call(Verb.CREATE, f"{PLOT}/pending/@bob~r", alice)
    tree_world.call(Verb.RENAME, PLOT, alice, {"name": "copy", "copy": True})
    assert tree_world.read("/v1/vis/plots/copy/pending", alice) == []
    accept(tree_world, "bob")
    assert tree_world.read("/v1/vis/plots/copy/shared", alice) == []


def test_links_in_an_hour_are_limited(tree_world: TreeWorld, alice: Caller) -> None:
    for number in range(MOST_MADE):
        link(tree_world, alice, f"guest{number}")
    with pytest.raises(TooMany):
        link(tree_world, alice, "one-more")


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_runs_and_applications_neither_make_nor_use_links(
    tree_world: TreeWorld, alice: Caller, via: Via
) -> None:
    key, other = link(tree_world, alice), tree_world.token("bob", "job", via=via, claim=None)
    for verb, path, text in ((Verb.CREATE, f"{LINKS}/mine", None), (Verb.WRITE, ACCEPT, key)):
        with pytest.raises((Denied, NotFound)):
            tree_world.call(verb, path, other, text)
