"""Bytes that every account keeps, counted by triggers as rows come and go, and quotas set by operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from storage.migrations.dialect import dialect, execute

ROW = 256
"""Bytes that a leaf, an entry of a space or a comment counts for beside its content."""

LINE = 64
"""Bytes that a line of a log counts for beside its text."""

TABLES = (
    """CREATE TABLE quota (
        account {text} NOT NULL, name {text} NOT NULL, value {int} NOT NULL,
        PRIMARY KEY (account, name)){clustered}""",
    # `bytes` follows the rows of the database, `packs` is what the item has on the disk beside them.
    """CREATE TABLE item_use (
        item {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE, owner {text} NOT NULL,
        bytes {int} NOT NULL, packs {int} NOT NULL){clustered}""",
    "CREATE INDEX item_use_owner ON item_use (owner, bytes, packs)",
    "ALTER TABLE space ADD COLUMN entries {int} NOT NULL DEFAULT 0",
    "ALTER TABLE run ADD COLUMN log_size {int} NOT NULL DEFAULT 0",
    "UPDATE space SET entries = (SELECT count(*) FROM space_entry e WHERE e.item = space.item)",
    f"""UPDATE run SET log_size = coalesce((
        SELECT sum({{octets}} + {LINE}) FROM run_line l WHERE l.run = run.key), 0)""",
)
OCTETS = {"sqlite": "length(CAST({} AS BLOB))", "postgresql": "octet_length({})"}


class Counted(NamedTuple):
    """A table whose rows count: the item that one counts for, its bytes, the columns that these hang on.

    `{r}` stands for the row, `{octets}` for the bytes of a text.
    """

    table: str
    item: str
    weight: str
    columns: str


COUNTED = (
    Counted("leaf", "{r}.item", f"({ROW} + coalesce({{r}}.size, 0) + coalesce({{octets}}, 0))", "size, text"),
    Counted("space", "{r}.item", f"({{r}}.size + {ROW} * {{r}}.entries)", "size, entries"),
    Counted(
        "run",
        "{r}.job",
        "(CASE WHEN {r}.completed_on IS NULL OR {r}.expired_on IS NOT NULL THEN 0"
        " ELSE coalesce({r}.size, 0) + {r}.log_size END)",
        "completed_on, expired_on, size, log_size",
    ),
    Counted(
        "comment",
        "(SELECT a.item FROM account a WHERE a.name = {r}.author)",
        f"({ROW} + {{octets}})",
        "text",
    ),
)
FILL = """
INSERT INTO item_use (item, owner, bytes, packs)
SELECT i.id, ltrim(i.owner, '@+'),
    coalesce((SELECT sum({leaf}) FROM leaf r WHERE r.item = i.id), 0)
    + coalesce((SELECT sum({space}) FROM space r WHERE r.item = i.id), 0)
    + coalesce((SELECT sum({run}) FROM run r WHERE r.job = i.id), 0)
    + coalesce((SELECT sum({comment}) FROM comment r
        JOIN account a ON a.name = r.author WHERE a.item = i.id), 0), 0
FROM item i"""


def up(migrator: Any, db: Any) -> None:
    """Create the tables, count what is there, and have it counted from now on."""
    kind = dialect(db)
    execute(db, TABLES, octets=OCTETS[kind].format("l.message"))
    weights = {one.table: _weight(one, "r", kind) for one in COUNTED}
    db.execute_sql(FILL.format(**weights))
    for made in _triggers(kind):
        db.execute_sql(made)


def _weight(one: Counted, row: str, kind: str) -> str:
    return one.weight.format(r=row, octets=OCTETS[kind].format(f"{row}.text"))


def _triggers(kind: str) -> Iterator[str]:
    yield from _birth(kind)
    for one in COUNTED:
        fresh, former = _weight(one, "NEW", kind), _weight(one, "OLD", kind)
        for event, change, when, row in (
            ("INSERT", fresh, f"{fresh} <> 0", "NEW"),
            (f"UPDATE OF {one.columns}", f"{fresh} - {former}", f"{fresh} <> {former}", "NEW"),
            ("DELETE", f"-{former}", f"{former} <> 0", "OLD"),
        ):
            word = event.partition(" ")[0].lower()
            name = f"{one.table}_use_{word}"
            count = f"UPDATE item_use SET bytes = bytes + {change} WHERE item = {one.item.format(r=row)};"
            yield from _trigger(kind, name, f"AFTER {event} ON {one.table}", when, count)


def _birth(kind: str) -> Iterator[str]:
    born = "INSERT INTO item_use (item, owner, bytes, packs) VALUES (NEW.id, ltrim(NEW.owner, '@+'), 0, 0);"
    yield from _trigger(kind, "item_use_born", "AFTER INSERT ON item", "NEW.id IS NOT NULL", born)


def _trigger(kind: str, name: str, event: str, when: str, deed: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"CREATE TRIGGER {name} {event} WHEN {when} BEGIN {deed} END"
        return
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {deed} RETURN NULL; END $$"
    )
    yield f"CREATE TRIGGER {name} {event} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()"
