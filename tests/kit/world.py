"""Worlds of the three storages for the conformance suites."""

from __future__ import annotations

from contextlib import AbstractContextManager

from storage.bytes.blobs import FileBlobs
from storage.bytes.spaces import StoredSpaces
from storage.database.database import Database
from storage.people.groups import StoredGroups
from storage.people.members import StoredMembers, StoredTies
from storage.people.notices import StoredNotices
from storage.people.rates import StoredRates
from storage.people.tokens import StoredTokens
from storage.people.users import StoredChallenges, StoredUsers
from storage.runs.activity import StoredActivity
from storage.runs.schedules import StoredSchedules
from storage.signals.bell import Bell
from storage.tree.comments import StoredThreads
from storage.tree.grants import StoredGrants
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.shortnames import Shortnames
from storage.tree.tags import StoredTags
from vfs.access import Role
from vfs.ports.world import stamp
from vfs.testing import StillClock

JOIN = """
INSERT INTO member (group_ref, name, role, pending, created_on) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (group_ref, name) DO UPDATE SET role = excluded.role, pending = excluded.pending"""


class StoredGround:
    """A world in a database and a file store."""

    def __init__(self, database: Database, files: str, clock: StillClock | None = None) -> None:
        self.database = database
        self.clock = clock or StillClock()
        self.items = StoredItems(database, self.clock, Shortnames(database))
        self.leaves = StoredLeaves(database, self.clock)
        self.grants = StoredGrants(database, self.clock)
        self.blobs = FileBlobs(files, self.clock)
        self.users = StoredUsers(database, self.clock, self.items)
        self.challenges = StoredChallenges(database)
        self.tokens = StoredTokens(database, self.clock)
        self.groups = StoredGroups(database, self.clock, self.items)
        self.members = StoredMembers(database, self.clock)
        self.ties = StoredTies(database, self.clock)
        self.spaces = StoredSpaces(database, self.clock)
        self.schedules = StoredSchedules(database, Bell(), self.clock)
        self.rates = StoredRates(database, self.clock)
        self.activity = StoredActivity(database)
        self.tags = StoredTags(database)
        self.threads = StoredThreads(database, self.clock)
        self.notices = StoredNotices(database, Bell(), self.clock)

    def atomic(self) -> AbstractContextManager[None]:
        return self.database.atomic()

    def released(self) -> AbstractContextManager[None]:
        return self.database.released()

    def join(self, group: str, user: str, role: Role, *, pending: bool = False) -> None:
        self.database.run(JOIN, group, user, role.value, pending, stamp(self.clock.now()))


def migrate(url: str) -> None:
    """Make the tables of a database and leave it."""
    database = Database(url)
    database.migrate()
    database.close()
