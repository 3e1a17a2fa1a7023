"""A world whose keepers are held to quotas, for tests of these."""

from __future__ import annotations

from chains.runs.records import ignore_end
from storage.bytes.spaces import StoredSpaces
from storage.database.database import Database
from storage.people.groups import StoredGroups
from storage.people.keys import StoredKeys
from storage.people.members import StoredMembers, StoredTies
from storage.people.tokens import StoredTokens
from storage.runs.runs import stored_runs
from storage.tree.grants import StoredGrants
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import StoredQuotas
from storage.tree.shortnames import Shortnames
from storage.tree.social import StoredThreads
from tests.kit.world import StoredWorld
from vfs.ports.people import Account
from vfs.ports.quotas import Counts, QuotaName

LIMITS = dict.fromkeys(QuotaName, 1 << 40)
COUNTS: Counts = {"repo": (QuotaName.ITEMS, QuotaName.REPOS), "user": ()}


class QuotaWorld(StoredWorld):
    """A world whose keepers are held to quotas."""

    def __init__(self, database: Database, files: str) -> None:
        super().__init__(database, files)
        self.quotas = StoredQuotas(database, LIMITS, COUNTS)
        names = Shortnames(database)
        self.items = StoredItems(database, self.clock, names, quotas=self.quotas)
        self.leaves = StoredLeaves(database, self.clock, self.quotas)
        self.spaces = StoredSpaces(database, self.clock, quotas=self.quotas)
        self.comments = StoredThreads(database, self.clock, self.quotas)
        self.grants = StoredGrants(database, self.clock, self.quotas)
        self.tokens = StoredTokens(database, self.clock, self.quotas)
        self.keys = StoredKeys(database, self.clock, self.quotas)
        self.groups = StoredGroups(database, self.clock, self.items, self.quotas)
        self.members = StoredMembers(database, self.clock, self.quotas)
        self.ties = StoredTies(database, self.clock, self.quotas)
        self.runs = stored_runs(
            database, self.change_signal, self.clock, names.fresh, lambda run: None, ignore_end
        )
        for name in ("alice", "bob"):
            self.users.add(name, "", Account.REGULAR, None, public=False)

    def use(self, account: str = "alice", name: QuotaName = QuotaName.STORAGE) -> int:
        """The use of a quota."""
        return self.quotas.one(account, name).use

    def bound(self, **limits: int) -> None:
        """Set limits of alice's, storage from what she keeps."""
        if "storage" in limits:
            limits["storage"] += self.use()
        self.quotas.set("alice", {QuotaName(name): limit for name, limit in limits.items()})
