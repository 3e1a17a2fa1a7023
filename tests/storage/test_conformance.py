"""The promises of the ports, kept by the reference world, SQLite and PostgreSQL alike."""

from __future__ import annotations

import pytest

from tests.kit.suites.chains.activity import ActivitySuite
from tests.kit.suites.kernel import raises
from tests.kit.suites.kernel.actions import ActionsSuite
from tests.kit.suites.kernel.atomic import AtomicSuite
from tests.kit.suites.kernel.effective_grant import GrantsSuite, ReachSuite
from tests.kit.suites.kernel.groups import GroupsSuite, MembersSuite, TiesSuite
from tests.kit.suites.kernel.items import ItemsSuite
from tests.kit.suites.kernel.leaves import BlobsSuite, LeavesSuite
from tests.kit.suites.kernel.people import ChallengesSuite, TokensSuite, UsersSuite
from tests.kit.suites.kernel.references import ReferencesSuite
from tests.kit.suites.kernel.search import SearchSuite
from tests.kit.suites.kernel.social import TagsSuite, ThreadsSuite


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


class TestActivity(ActivitySuite):
    pass


class TestTags(TagsSuite):
    pass


class TestReferences(ReferencesSuite):
    pass


class TestSearch(SearchSuite):
    pass


class TestThreads(ThreadsSuite):
    pass


class TestActions(ActionsSuite):
    pass


class TestAtomic(AtomicSuite):
    pass


def test_a_promise_that_is_not_kept_shows() -> None:
    with pytest.raises(AssertionError, match="KeyError was not raised"), raises(KeyError):
        pass
    with pytest.raises(ValueError, match="another"), raises(KeyError):
        raise ValueError("another")
