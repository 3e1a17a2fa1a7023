"""The keepers of inboxes keep the promises of the port: on SQLite and on PostgreSQL."""

from __future__ import annotations

from tests.kit.world import StoredOnly
from vfs.testing.notices import NoticesSuite


class TestNotices(StoredOnly, NoticesSuite):
    pass
