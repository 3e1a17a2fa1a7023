"""The keepers of inboxes keep the promises of the port: in dictionaries, on SQLite and on PostgreSQL."""

from __future__ import annotations

from vfs.testing.notices import NoticesSuite


class TestNotices(NoticesSuite):
    pass
