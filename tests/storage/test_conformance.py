"""The promises of the ports, kept by the reference world, SQLite and PostgreSQL alike."""

from __future__ import annotations

import pytest

from chains.testing.activity import ActivitySuite
from tests.kit.world import StoredOnly
from vfs.testing import raises
from vfs.testing.atomic import AtomicSuite
from vfs.testing.groups import GroupsSuite, MembersSuite, TiesSuite
from vfs.testing.items import ItemsSuite
from vfs.testing.leaves import BlobsSuite, LeavesSuite
from vfs.testing.people import ChallengesSuite, TokensSuite, UsersSuite
from vfs.testing.reach import GrantsSuite, ReachSuite
from vfs.testing.social import TagsSuite, ThreadsSuite


class TestItems(ItemsSuite):
    pass


class TestReach(ReachSuite):
    pass


class TestGrants(GrantsSuite):
    pass


class TestLeaves(LeavesSuite):
    pass


class TestBlobs(BlobsSuite):
    pass


class TestUsers(UsersSuite):
    pass


class TestChallenges(ChallengesSuite):
    pass


class TestTokens(TokensSuite):
    pass


class TestGroups(GroupsSuite):
    pass


class TestMembers(MembersSuite):
    pass


class TestTies(TiesSuite):
    pass


class TestActivity(StoredOnly, ActivitySuite):
    pass


class TestTags(StoredOnly, TagsSuite):
    pass


class TestThreads(StoredOnly, ThreadsSuite):
    pass


class TestAtomic(AtomicSuite):
    pass


def test_a_promise_that_is_not_kept_shows() -> None:
    with pytest.raises(AssertionError, match="KeyError was not raised"), raises(KeyError):
        pass
    with pytest.raises(ValueError, match="another"), raises(KeyError):
        raise ValueError("another")
