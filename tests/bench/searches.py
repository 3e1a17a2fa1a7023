"""Rows x1 to x6: a search among 100,000 items, on both databases: usual words, the worst, and with counts.

Each is asked for in every order, by who sees half, few and all of them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median

from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.settings.settings import Settings
from tests.bench.figures import Figure
from tests.kit.client import call
from tests.kit.postgres import Postgres
from tests.kit.processes import processor_seconds
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account
from vfs.ports.search import SearchOrder

ROWS = ("x1", "x2", "x3", "x4", "x5", "x6")
ON_SQLITE, ON_POSTGRESQL = ("x1", "x2", "x5"), ("x3", "x4", "x6")
ITEMS, OWNERS, GROUPS = 100_000, 100, 50
USUAL = ("", "report", "sales", "week1235", "weekly+report", "owner7+sales")
WORST = ("weekly+sales", "s+w", "sales+weekly+report")
ASKS = (
    (USUAL, "", 20, "usual words"),
    (WORST, "", 200, "the worst words"),
    (USUAL, "&counts=yes", 200, "usual words, with counts of kinds, owners and tags"),
)
"""What the rows of a database ask for: words and more of the query, and the bound in milliseconds."""
READERS = {"alice": "", "guest": "number % 1000 = 1", "insider": "number >= 0"}
"""Who asks, and the items that are shared with these by their names."""
REPEATS = 5
NUMBERS = f"""
WITH RECURSIVE n (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < {ITEMS - 1}),
made AS (SELECT number, :first + number AS item,
    CASE WHEN number % 100 = 0 THEN 'alice' ELSE 'owner' || (number % {OWNERS}) END AS owner,
    CASE number % 4 WHEN 0 THEN 'plot' WHEN 1 THEN 'doc' WHEN 2 THEN 'job' ELSE 'grid' END AS kind,
    '2026-11-' || (10 + number % 18) || 'T08:00:00.000Z' AS day FROM n)"""
FILL = (
    """
INSERT INTO member (group_ref, name, role, pending, created_on, invited_by)
SELECT g.ref, a.name, 'members', FALSE, g.created_on, 'owner0' FROM people_group g
JOIN account a ON a.name = 'alice' OR a.name LIKE 'owner%' AND a.name <> 'owner0' WHERE g.owner = 'owner0'""",
    f"""
INSERT INTO item (kind, owner, name, shortname, created_on, last_modified, label, sought)
{NUMBERS} SELECT kind, owner, 'item-' || number, 'bench-' || number, day, day, 'item-' || number,
    ' item ' || owner || ' week' || (number % 5000) || CASE number % 2 WHEN 0 THEN ' report' ELSE '' END
    || CASE number % 3 WHEN 0 THEN ' weekly' ELSE '' END || CASE number % 5 WHEN 0 THEN ' sales' ELSE '' END
FROM made ORDER BY number""",
    f"""
INSERT INTO search_word (word, item, field)
{NUMBERS} SELECT 'item', item, 'n' FROM made UNION ALL SELECT owner, item, 'o' FROM made
UNION ALL SELECT 'week' || (number % 5000), item, 't' FROM made
UNION ALL SELECT 'report', item, 't' FROM made WHERE number % 2 = 0
UNION ALL SELECT 'weekly', item, 't' FROM made WHERE number % 3 = 0
UNION ALL SELECT 'sales', item, 't' FROM made WHERE number % 5 = 0""",
    f"""
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
{NUMBERS} SELECT item, target, 'r', target, kind, owner, day
FROM (SELECT made.*, '@owner0~group-' || ((number / {OWNERS}) % {GROUPS}) AS target FROM made
    WHERE (number / 7) % 2 = 1) half""",
    *(
        f"""
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
{NUMBERS} SELECT item, '@{reader}', 'r', 'reader', kind, owner, day FROM made WHERE {which}"""
        for reader, which in READERS.items()
        if which
    ),
)
"""Half are shared with alice's groups, a hundredth are alice's."""
UNCOUNTED = "SET session_replication_role = replica"
"""Leaves out the triggers of PostgreSQL, which count each row separately."""


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & set(ON_SQLITE):
        settings = Settings(data=str(scratch / "searches"))
        yield from _measured(rows, rounds, settings, ON_SQLITE, "SQLite", os.getpid())
    if rows & set(ON_POSTGRESQL):
        with postgres() as server:
            settings = Settings(data=str(scratch / "searches-pg"), database_url=server.fresh())
            yield from _measured(rows, rounds, settings, ON_POSTGRESQL, "PostgreSQL", server.pid)


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A separate server."""
    server = Postgres()
    try:
        yield server
    finally:
        server.stop()


def _measured(
    rows: set[str], rounds: int, settings: Settings, names: tuple[str, ...], database: str, pid: int
) -> Iterator[Figure]:
    live_world = build(settings)
    try:
        with live_world.database.session():
            tokens = settle(live_world)
            for row, (words, more, bound, what) in zip(names, ASKS, strict=True):
                if row in rows:
                    took = max(
                        search_time(live_world, settings, token, f"{word}&sort={order}{more}", rounds, pid)
                        for word, order, token in product(words, SearchOrder, tokens)
                    )
                    label = f"GET /v1/search among {ITEMS:,} items, {database}, the dearest of {what}"
                    yield Figure(row, f"{label}, processor time", took, bound=bound, is_aim=bound == 20)
    finally:
        live_world.close()


def settle(live_world: LiveWorld) -> list[str]:
    """Alice is in groups with everybody, who share a part of what they have with each; tokens of READERS."""
    world, tokens = live_world.world, {name: fresh() for name in READERS}
    with world.atomic():
        for name in (*READERS, *(f"owner{number}" for number in range(OWNERS))):
            world.people.users.add(name, "digest", Account.REGULAR, None, public=False)
        for name, token in tokens.items():
            world.people.tokens.mint(name, "bench", digest(token))
        for number in range(GROUPS):
            world.people.groups.create(GroupKind.USER_GROUP, "owner0", f"group-{number}", "owner0")
    fill(live_world)
    return list(tokens.values())


def fill(live_world: LiveWorld) -> None:
    """The items with their words and shares."""
    first = 1 + max(row[0] for row in live_world.database.rows("SELECT max(id) FROM item"))
    with live_world.database.atomic():
        if live_world.database.dialect == "postgresql":
            live_world.database.run(UNCOUNTED)
        for statement in FILL:
            live_world.database.run(statement, **{"first": first} if ":first" in statement else {})
    if live_world.database.dialect == "postgresql":
        live_world.database.run("SET session_replication_role = origin")
        live_world.database.run("VACUUM ANALYZE")


def search_time(
    live_world: LiveWorld, settings: Settings, token: str, words: str, rounds: int, pid: int
) -> float:
    """The processor time of one GET in milliseconds, with that of the database."""
    app = application(settings, live_world)
    headers = [("Authorization", f"Bearer {token}"), ("Accept", "application/json")]
    answer = call(app, "GET", f"/v1/search?q={words}", headers)
    assert answer.status == 200 and "found" in json.loads(answer.body), words
    taken = []
    for _ in range(rounds):
        began = spent(pid)
        for _ in range(REPEATS):
            call(app, "GET", f"/v1/search?q={words}", headers)
        taken.append((spent(pid) - began) / REPEATS * 1000)
    return median(taken)


def spent(pid: int) -> float:
    """Seconds of this process, and of the tree of a database that is another one."""
    return time.process_time() + (processor_seconds(pid) if pid != os.getpid() else 0.0)
