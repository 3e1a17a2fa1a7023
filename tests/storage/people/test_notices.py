"""The keepers of inboxes keep the promises of the port: on SQLite and on PostgreSQL."""

from __future__ import annotations

from tests.kit.suites.kernel.notice_levels import NoticeLevelsSuite
from tests.kit.suites.kernel.notices import NoticesSuite


class TestNotices(NoticesSuite):
    pass


class TestNoticeLevels(NoticeLevelsSuite):
    pass
