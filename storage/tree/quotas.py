"""The tables of quotas: triggers count the use of each item, and an index sums it up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.database.bulk import spread
from storage.database.columns import Cells
from storage.database.database import Database
from storage.tree.item_rows import TRASHED
from vfs.errors import QuotaReached, TooLarge
from vfs.ports.quotas import MADE, PASSING, Counts, Quota, QuotaName

ROW = 256
"""Bytes that a leaf counts in addition to its content, as in the triggers."""

LINE = 64
"""Bytes that a line of a log counts in addition to its text."""

OCTETS = {"sqlite": "length(CAST(text AS BLOB))", "postgresql": "octet_length(text)"}
"""The SQL expression for the bytes of a text."""

USE = {
    QuotaName.STORAGE: "SELECT coalesce(sum(bytes + packs), 0) FROM item_use WHERE owner = :owner",
    QuotaName.ITEMS: "SELECT count(*) FROM item_use WHERE owner = :owner",
    # Spelled exactly as in the indexes of unfinished runs and builds.
    QuotaName.RUNS: """
SELECT count(*) FROM run r JOIN item i ON i.id = r.job
WHERE r.status IN ('processing', 'waiting', 'canceling') AND r.parent IS NULL AND i.owner = :owner""",
    QuotaName.BUILDS: """
SELECT count(*) FROM build b JOIN item i ON i.id = b.repo
WHERE b.status IN ('queued', 'building') AND i.owner = :owner""",
    **{name: f"SELECT number FROM row_count WHERE account = :owner AND name = '{name}'" for name in MADE},
}
MARKED = frozenset({"tags", "notifications"})
FOUNDER = "SELECT owner FROM people_group WHERE ref = :ref"
ALL_MADE = "SELECT name, number FROM row_count WHERE account = :owner"
ALL_OWN_OF = "SELECT name, value FROM quota WHERE account = :owner"
OWN = "SELECT value FROM quota WHERE account = :owner AND name = :name"
LIMIT = f"(SELECT value FROM quota q WHERE q.account = u.owner AND q.name = '{QuotaName.STORAGE}')"
KEPT = "(SELECT sum(o.bytes + o.packs) FROM item_use o WHERE o.owner = u.owner)"
PAYER = f"""
SELECT u.owner, {LIMIT}, {KEPT} FROM item_use u WHERE u.item = """
OF_ITEM = f"{PAYER} :item"
OF_ACCOUNT = f"{PAYER} (SELECT item FROM account WHERE name = :account)"
SET = """
INSERT INTO quota (account, name, value) VALUES (:owner, :name, :value)
ON CONFLICT (account, name) DO UPDATE SET value = excluded.value"""
UNSET = "DELETE FROM quota WHERE account = :owner AND name = :name"
NOTE = "UPDATE item_use SET packs = :size WHERE item = :item"
OF_KINDS = """
SELECT count(*) FROM item_use u JOIN item i ON i.id = u.item WHERE u.owner = :owner AND i.kind IN (:kinds)"""
ALL_OF_KINDS = "SELECT id FROM item WHERE kind IN (:kinds) ORDER BY id"
COUNTED = (QuotaName.ITEMS,)
"""The quotas for which an item counts if its kind declares none."""
MARK = "(substr(r.rel, 1, 6) = 'tags/@' OR substr(r.rel, 1, 15) = 'notifications/@')"
"""Leaves whose bytes their maker pays for, as in the triggers: users' own marks on an item."""
MARKS = {
    dialect: f"""
SELECT r.rel, {ROW} + coalesce(r.size, 0) + coalesce({octets.replace("text", "r.text")}, 0)
FROM leaf r WHERE {MARK}"""
    for dialect, octets in OCTETS.items()
}
CREDIT = """
UPDATE item_use SET bytes = bytes + :bytes WHERE item = (SELECT item FROM account WHERE name = :name)"""
RECOUNT = {
    dialect: f"""
UPDATE item_use SET bytes =
    coalesce((SELECT sum({ROW} + coalesce(r.size, 0) + coalesce({octets.replace("text", "r.text")}, 0))
        FROM leaf r WHERE r.item = item_use.item AND NOT {MARK}), 0)
    + coalesce((SELECT sum({ROW} + r.size) FROM leaf_version r WHERE r.item = item_use.item), 0)
    + coalesce((SELECT r.size + {ROW} * r.entries FROM space r WHERE r.item = item_use.item), 0)
    + coalesce((SELECT sum(coalesce(r.size, 0) + r.input_size + r.log_size) FROM run r
        WHERE r.job = item_use.item AND r.completed_on IS NOT NULL AND r.expired_on IS NULL), 0)
    + coalesce((SELECT sum({ROW} + {octets.replace("text", "r.text")}) FROM comment r
        JOIN account a ON a.name = r.author WHERE a.item = item_use.item), 0)
    + coalesce((SELECT sum(r.size) FROM trash r
        JOIN account a ON a.name = r.owner WHERE a.item = item_use.item), 0)"""
    for dialect, octets in OCTETS.items()
}
OWNER = f"SELECT u.owner, {LIMIT} FROM item_use u WHERE u.item = :item"
WORDS = {
    QuotaName.ITEMS: "resources",
    QuotaName.REPOS: "repos",
    QuotaName.RUNS: "runs at once",
    QuotaName.BUILDS: "builds at once",
    QuotaName.GROUPS: "groups",
    QuotaName.MEMBERS: "members of its groups",
    QuotaName.INVITES: "invitations that wait for an answer",
    QuotaName.SHARES: "shares of its resources",
    QuotaName.TIES: "users that it asked to connect, follows or ignores",
    QuotaName.TOKENS: "tokens",
    QuotaName.SESSIONS: "sessions",
    QuotaName.KEYS: "keys",
    QuotaName.TAGS: "tags and levels of notifications",
    QuotaName.VARIABLES: "variables and files of these",
    QuotaName.COMMENTS: "comments",
}
TRASH_COUNTS = "remove some first, and empty the trash, which counts too (DELETE /v1/trash)"
REMEDIES = {
    QuotaName.ITEMS: TRASH_COUNTS,
    QuotaName.REPOS: TRASH_COUNTS,
    QuotaName.GROUPS: "remove some first (DELETE /v1/admin/groups/<group>)",
    QuotaName.MEMBERS: "remove some from the roles of groups first",
    QuotaName.INVITES: "take some back first (DELETE them from the roles of groups)",
    QuotaName.SHARES: "remove some from the shared of resources first",
    QuotaName.TIES: "remove some below /v1/admin/social first",
    QuotaName.TOKENS: "revoke some first (DELETE /v1/admin/tokens/<token>)",
    QuotaName.KEYS: "remove some first (DELETE /v1/admin/keys/<key>)",
    QuotaName.TAGS: "take some off first (DELETE /v1/admin/tags/<tag> takes a tag off everything)",
    QuotaName.VARIABLES: "remove some from the vars of resources first",
    QuotaName.COMMENTS: "remove some of yours first",
}
LATER = 10
"""Seconds after which to retry, for quotas whose use ends without action."""


class StoredQuotas:
    """vfs.ports.quotas.Quotas over a database.

    `limits` are those of accounts without their own limits, `counts` the quotas of items of each kind.
    """

    def __init__(self, database: Database, limits: Mapping[QuotaName, int], counts: Counts) -> None:
        self._database = database
        self._limits = limits
        self._counts = counts
        repos = [kind for kind, names in counts.items() if QuotaName.REPOS in names]
        repos += [f"{TRASHED}{kind}" for kind in repos]
        self._use_of_repos, self._repos = spread(OF_KINDS, kinds=repos or [""])
        self._all_repos, _ = spread(ALL_OF_KINDS, kinds=repos or [""])

    @property
    def storage_limit(self) -> int:
        """The bytes that an account without its own limit may store."""
        return self._limits[QuotaName.STORAGE]

    def of(self, account: str) -> Sequence[Quota]:
        owner = self._payer(account)
        own: dict[str, int] = dict(self._database.rows(ALL_OWN_OF, owner=owner))
        made = dict.fromkeys(MADE, 0) | dict(self._database.rows(ALL_MADE, owner=owner))
        use = {name: made[name] if name in made else self._use(owner, name) for name in QuotaName}
        return [Quota(name, own.get(name, self._limits[name]), use[name], name in own) for name in QuotaName]

    def one(self, account: str, name: QuotaName) -> Quota:
        owner = self._payer(account)
        own = self._database.value(OWN, owner=owner, name=name.value)
        limit = self._limits[name] if own is None else own
        return Quota(name, limit, self._use(owner, name), own is not None)

    def admit_bytes(self, item: int, growth: int) -> None:
        self._admit(self._database.row(OF_ITEM, item=item), growth)

    def admit_words(self, author: str, growth: int) -> None:
        self._admit(self._database.row(OF_ACCOUNT, account=author), growth)

    def payer_of(self, item: int) -> tuple[str, int] | None:
        row = self._database.row(OWNER, item=item)
        return (row[0], self._limits[QuotaName.STORAGE] if row[1] is None else row[1]) if row else None

    def admit_more(self, account: str, name: QuotaName, more: int = 1) -> None:
        quota = self.one(account, name)
        if quota.use + more > quota.limit:
            raise over_count(self._payer(account), quota)

    def admit_item(self, owner: str, kind: str) -> None:
        for name in self._counts.get(kind, COUNTED):
            self.admit_more(owner, name)

    def admit_made(self, owner: str, *names: QuotaName) -> None:
        for name in names:
            self.admit_more(owner, name, 0)

    def set(self, account: str, limits: Mapping[QuotaName, int | None]) -> None:
        with self._database.atomic():
            for name, value in limits.items():
                key = {"owner": self._payer(account), "name": name.value}
                if value is None:
                    self._database.run(UNSET, **key)
                else:
                    self._database.run(SET, **key, value=value)

    def note_packs(self, item: int, size: int) -> None:
        self._database.run(NOTE, item=item, size=size)

    def excess(self, item: int, growth: int) -> int:
        """Return by how many bytes a growth exceeds the quota of storage of an item's owner."""
        row = self._database.row(OF_ITEM, item=item)
        return self._excess(row, growth) if row is not None else 0

    def _excess(self, row: Cells, growth: int) -> int:
        _, own, use = row
        return int(use + growth - (self._limits[QuotaName.STORAGE] if own is None else own))

    def _admit(self, row: Cells | None, growth: int) -> None:
        """Raise TooLarge if a row of PAYER has too little room; an item that is gone has no limit."""
        if row is not None and self._excess(row, growth) > 0:
            raise over_storage(row[0])

    def _use(self, owner: str, name: QuotaName) -> int:
        """Return the use of the account that pays; 0 for limits on a single thing."""
        if name is QuotaName.REPOS:
            return int(self._database.value(self._use_of_repos, owner=owner, **self._repos))
        return int(self._database.value(USE[name], owner=owner) or 0) if name in USE else 0

    def _payer(self, owner: str) -> str:
        """Return the account that pays for an owner: for organisations, the account that founded them."""
        if owner.startswith("+"):
            return str(self._database.value(FOUNDER, ref=owner) or owner)
        return owner.lstrip("@")

    def recount(self) -> Sequence[int]:
        marks: dict[str, int] = {}
        with self._database.atomic():
            self._database.run(RECOUNT[self._database.dialect])
            for rel, size in self._database.rows(MARKS[self._database.dialect]):
                maker = str(marker_of(rel))
                marks[maker] = marks.get(maker, 0) + size
            for name, size in sorted(marks.items()):
                self._database.run(CREDIT, name=name, bytes=size)
        return [item for (item,) in self._database.rows(self._all_repos, **self._repos)]


def fits(growth: str) -> str:
    """Return the condition that the payer of :item has room for `growth` bytes; true without a payer.

    :limit is the limit of accounts without their own one.
    """
    return f"""NOT EXISTS (
    SELECT 1 FROM item_use u WHERE u.item = :item AND {growth} > coalesce({LIMIT}, :limit) - {KEPT})"""


def marker_of(rel: str) -> str | None:
    """Return the account whose own mark on an item a leaf is; None if the leaf belongs to the item."""
    folder, at, mine = rel.partition("/@")
    return mine.partition("/")[0] if at and folder in MARKED else None


def over_storage(account: str) -> TooLarge:
    """Return the refusal of bytes beyond the storage quota."""
    return TooLarge(
        f"the account {account} may keep no more: its quota of storage is full, so nothing was stored; "
        "remove something there and empty the trash, which counts too (DELETE /v1/trash; GET /v1/admin/quota "
        "tells its owner the limit and the use; DELETE <file>?history removes former contents), or ask the "
        "operator",
        quota=QuotaName.STORAGE.value,
    )


def over_count(account: str, quota: Quota) -> QuotaReached:
    """Return the refusal of one more beyond a quota."""
    usual = "remove some first" if quota.name not in PASSING else "wait until one has ended"
    remedy = REMEDIES.get(quota.name, usual)
    members = {"retry_after": LATER} if quota.name in PASSING else {}
    return QuotaReached(
        f"the account {account} has reached its quota of {quota.limit} {WORDS[quota.name]}; "
        f"{remedy}, or ask the operator for more",
        quota=quota.name.value,
        **members,
    )
