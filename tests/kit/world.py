"""Worlds in databases: migrated once per process and copied, with change signals that ring after commits."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from chains.runs.ports import Runs
from chains.runs.records import RunEnd, ignore_end
from storage.bytes.blobs import FileBlobs
from storage.bytes.spaces import StoredSpaces
from storage.database.database import Database
from storage.people.addresses import StoredAddresses
from storage.people.applications import StoredApplications, StoredConnections
from storage.people.factors import StoredFactors
from storage.people.groups import StoredGroups
from storage.people.invitations import StoredInvitationLinks, StoredPendingShares
from storage.people.keys import StoredKeys
from storage.people.members import StoredMembers, StoredTies
from storage.people.notices import StoredNotices
from storage.people.rates import StoredRates
from storage.people.resets import StoredPasswordResets, StoredSetupKeys
from storage.people.tokens import StoredTokens
from storage.people.users import StoredChallenges, StoredUsers
from storage.runs.activity import StoredActivity
from storage.runs.builds import StoredBuilds
from storage.runs.runs import stored_runs
from storage.runs.schedules import StoredSchedules
from storage.signals.change_signal import ChangeSignal
from storage.tree.grants import StoredGrants
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.search import StoredSearch
from storage.tree.shortnames import Shortnames
from storage.tree.social import StoredActions, StoredTags, StoredThreads
from storage.tree.trash import StoredTrash
from tests.kit.postgres import in_memory
from tests.kit.suites.kernel import StillClock
from tests.kit.suites.kernel.references import NAMES
from vfs.access import Role
from vfs.ports.clock import Clock, stamp

JOIN = """
INSERT INTO member (group_ref, name, role, pending, created_on) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (group_ref, name) DO UPDATE SET role = excluded.role, pending = excluded.pending"""


class CommitSignal(ChangeSignal):
    """Wake-ups within this process, after the commit of the transaction that rings."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._after_commit = database.after_commit

    def signal(self, topic: str) -> None:
        self._after_commit(lambda: self._set(topic))


class StoredWorld:
    """A world in a database and a file store; without these in one that goes with this process."""

    def __init__(
        self,
        database: Database | None = None,
        files: str = "mem://",
        clock: StillClock | None = None,
        *,
        trash: bool = False,
    ) -> None:
        self.database = database = database or sqlite_in()
        self.clock = clock or StillClock()
        self.epoch = stamp(self.clock.now())
        self.change_signal = CommitSignal(database)
        self.trash = StoredTrash(database, self.clock, names=NAMES)
        self.items = StoredItems(
            database, self.clock, Shortnames(database), names=NAMES, trash=self.trash if trash else None
        )
        self.leaves = StoredLeaves(database, self.clock, names=NAMES)
        self.grants = StoredGrants(database, self.clock)
        self.blobs = FileBlobs(files, self.clock)
        self.users = StoredUsers(database, self.clock, self.items)
        self.addresses = StoredAddresses(database, self.clock)
        self.challenges = StoredChallenges(database)
        self.tokens = StoredTokens(database, self.clock)
        self.groups = StoredGroups(database, self.clock, self.items)
        self.members = StoredMembers(database, self.clock)
        self.ties = StoredTies(database, self.clock)
        self.pending_shares = StoredPendingShares(database)
        self.links = StoredInvitationLinks(database)
        self.applications = StoredApplications(database, self.clock)
        self.connections = StoredConnections(database, self.clock)
        self.resets = StoredPasswordResets(database)
        self.setup = StoredSetupKeys(database)
        self.keys = StoredKeys(database, self.clock)
        self.factors = StoredFactors(database, self.clock)
        self.spaces = StoredSpaces(database, self.clock)
        self.schedules = StoredSchedules(database, self.change_signal, self.clock)
        self.rates = StoredRates(database, self.clock)
        self.activity = StoredActivity(database)
        self.tags = StoredTags(database)
        self.search = StoredSearch(database)
        self.walking_search = StoredSearch(database, gathered=3, named=3)
        self.threads = StoredThreads(database, self.clock)
        self.actions = StoredActions(database, self.clock)
        self.notices = StoredNotices(database, self.change_signal, self.clock)

    def atomic(self) -> AbstractContextManager[None]:
        return self.database.atomic()

    def idle(self) -> AbstractContextManager[None]:
        return self.database.idle()

    def join(self, group: str, user: str, role: Role, *, pending: bool = False) -> None:
        self.database.run(JOIN, group, user, role.value, pending, stamp(self.clock.now()))


def migrate(url: str) -> None:
    """Make the tables of a database and leave it."""
    database = Database(url)
    database.migrate()
    database.close()


JOB_ROW = """
INSERT INTO item (id, kind, owner, name, shortname, created_on, last_modified)
VALUES (1, 'job', 'alice', 'nightly', 'Jobby', '', '')"""


@cache
def template() -> Path:
    """A migrated file, which lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="curlew-template-", dir=in_memory()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    migrate(f"sqlite:///{folder}/curlew.db")
    return folder / "curlew.db"


def make_tables(folder: Path) -> None:
    """Have a migrated database in a data folder that has none: a copy is made faster than tables are."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "curlew.db").exists():
        shutil.copy(template(), folder / "curlew.db")


def sqlite_in(folder: Path | None = None) -> Database:
    """A fresh database: the file `curlew.db` of a folder, or one that goes with this process."""
    folder = folder or Path(tempfile.mkdtemp(dir=template().parent))
    make_tables(folder)
    return Database(f"sqlite:///{folder}/curlew.db", synchronous="off")


def runs_in(
    database: Database,
    clock: Clock,
    revoke: Callable[[int], object] = lambda run: None,
    ended: Callable[[RunEnd], object] = ignore_end,
) -> Runs:
    """The ports of runs over a database, in which job 1 is alice's `nightly` (`Jobby`)."""
    database.run(JOB_ROW)
    return stored_runs(database, CommitSignal(database), clock, Shortnames(database).fresh, revoke, ended)


def each_port(runs: Runs, wrap: Callable[[Any], Any]) -> Runs:
    """The ports of runs, each wrapped."""
    return Runs(**{field.name: wrap(getattr(runs, field.name)) for field in fields(runs)})


def builds_in(database: Database, clock: Clock | None = None) -> StoredBuilds:
    """The builds of a database."""
    return StoredBuilds(database, CommitSignal(database), clock or StillClock())
