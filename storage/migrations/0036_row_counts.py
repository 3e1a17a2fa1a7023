"""Counts of rows that accounts made, kept by triggers; who pays for organisations and for marks of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from storage.migrations.dialect import dialect, execute

PREFIX = {
    "sqlite": "substr({text}, 1, instr({text} || '{mark}', '{mark}') - 1)",
    "postgresql": "split_part({text}, '{mark}', 1)",
}
"""A text up to a mark."""

TABLES = (
    """CREATE TABLE row_count (
        account {text} NOT NULL, name {text} NOT NULL, number {int} NOT NULL,
        PRIMARY KEY (account, name)){clustered}""",
    """CREATE INDEX token_session ON token (account, id)
        WHERE via = 'session' AND revoked_on IS NULL AND run IS NULL""",
    "CREATE INDEX token_revoked ON token (account, id) WHERE revoked_on IS NOT NULL AND run IS NULL",
)


# An organisation may bear the name of an account that has nothing to do with it.
FOUNDER = """
CASE WHEN {r}.kind = 'org_group' THEN (SELECT o.owner FROM people_group o WHERE o.ref = {r}.parent)
ELSE {r}.owner END"""

# Bytes of a leaf: of a mark its maker pays for them, as of a comment, and else the owner of the item.
MARK = "(substr({r}.rel, 1, 6) = 'tags/@' OR substr({r}.rel, 1, 15) = 'notifications/@')"
OCTETS = {"sqlite": "length(CAST({r}.text AS BLOB))", "postgresql": "octet_length({r}.text)"}
WEIGHT = {kind: f"(256 + coalesce({{r}}.size, 0) + coalesce({octets}, 0))" for kind, octets in OCTETS.items()}
MOVE = """
WITH moved AS (
    SELECT r.item AS item, -{weight} AS bytes FROM leaf r WHERE {mark}
    UNION ALL SELECT (SELECT a.item FROM account a WHERE a.name = {marker}), {weight}
        FROM leaf r WHERE {mark})
UPDATE item_use SET bytes = bytes + (SELECT sum(m.bytes) FROM moved m WHERE m.item = item_use.item)
WHERE item IN (SELECT m.item FROM moved m)"""


class CountedRows(NamedTuple):
    """Rows of a table that count: as what, for which account, which of them, and what these hang on.

    `{r}` stands for the row. Where the account is NULL it counts for nobody.
    """

    name: str
    table: str
    account: str
    which: str = "TRUE"
    columns: tuple[str, ...] = ()


def before(kind: str, text: str, mark: str) -> str:
    """The text up to a mark."""
    return PREFIX[kind].format(text=text, mark=mark)


def marker(kind: str) -> str:
    """Whom a leaf marks an item for: tags, and levels of notifications, are each caller's own."""
    place = "instr({r}.rel, '/@')" if kind == "sqlite" else "strpos({r}.rel, '/@')"
    return before(kind, f"substr({{r}}.rel, {place} + 2)", "/")


def counted_rows(kind: str) -> tuple[CountedRows, ...]:
    """The rows that count."""
    top = before(kind, "{r}.group_ref", "~")
    organisation = f"(SELECT g.owner FROM people_group g WHERE g.ref = {top})"
    payer = "(SELECT u.owner FROM item_use u WHERE u.item = {r}.item)"
    live = "({r}.run IS NULL AND {r}.revoked_on IS NULL AND {r}.via %s 'session')"
    return (
        CountedRows("groups", "people_group", FOUNDER),
        CountedRows(
            "members",
            "member",
            f"CASE WHEN substr({{r}}.group_ref, 1, 1) = '+' THEN {organisation} ELSE ltrim({top}, '@') END",
        ),
        CountedRows(
            "invites",
            "member",
            "{r}.invited_by",
            "({r}.pending AND {r}.invited_by IS NOT NULL)",
            ("pending", "invited_by"),
        ),
        CountedRows("shares", "share", "ltrim({r}.owner, '@+')"),
        CountedRows("ties", "tie", "{r}.name"),
        CountedRows("tokens", "token", "{r}.account", live % "<>", ("revoked_on",)),
        CountedRows("sessions", "token", "{r}.account", live % "=", ("revoked_on",)),
        CountedRows("comments", "comment", "{r}.author"),
        CountedRows(
            "tags",
            "leaf",
            f"CASE WHEN {MARK} THEN {marker(kind)} ELSE {payer} END",
            "(substr({r}.rel, 1, 5) = 'tags/' OR substr({r}.rel, 1, 14) = 'notifications/')",
        ),
        CountedRows("variables", "leaf", payer, "substr({r}.rel, 1, 5) = 'vars/'"),
    )


FILL = """
INSERT INTO row_count (account, name, number)
SELECT account, '{name}', count(*) FROM (SELECT {account} AS account FROM {table} r WHERE {which}) counted
WHERE account IS NOT NULL GROUP BY account"""
MORE = """
INSERT INTO row_count (account, name, number)
SELECT account, '{name}', 1 FROM (SELECT {account} AS account) made WHERE account IS NOT NULL
ON CONFLICT (account, name) DO UPDATE SET number = row_count.number + 1;"""
LESS = "UPDATE row_count SET number = number - 1 WHERE name = '{name}' AND account = {account};"
CHARGE = """
UPDATE item_use SET owner = (
    SELECT {founder} FROM people_group g WHERE g.item = item_use.item)
WHERE item IN (SELECT item FROM people_group WHERE kind <> 'user_group')"""


def up(migrator: Any, db: Any) -> None:
    """Create the table and the indexes, count what is there, and have it counted from now on."""
    kind = dialect(db)
    execute(db, TABLES)
    db.execute_sql(CHARGE.format(founder=FOUNDER.format(r="g")))
    charge = f"UPDATE item_use SET owner = {FOUNDER.format(r='NEW')} WHERE item = NEW.item;"
    born = _trigger(
        kind,
        "people_group_charge",
        "AFTER INSERT ON people_group",
        "NEW.kind <> 'user_group'",
        charge,
    )
    for made in born:
        db.execute_sql(made)
    for made in _charge_marks(kind):
        db.execute_sql(made)
    for one in counted_rows(kind):
        words = {"name": one.name, "table": one.table}
        where = {"account": one.account.format(r="r"), "which": one.which.format(r="r")}
        db.execute_sql(FILL.format(**words, **where))
        for made in _triggers(kind, one):
            db.execute_sql(made)


def _charge_marks(kind: str) -> Iterator[str]:
    fresh, former = (WEIGHT[kind].format(r=row) for row in ("NEW", "OLD"))
    words = {"mark": MARK, "marker": marker(kind), "weight": WEIGHT[kind]}
    yield MOVE.format(**{word: text.format(r="r") for word, text in words.items()})
    for event, change, when, row in (
        ("INSERT", fresh, "TRUE", "NEW"),
        ("UPDATE OF size, text", f"{fresh} - {former}", f"{fresh} <> {former}", "NEW"),
        ("DELETE", f"-{former}", "TRUE", "OLD"),
    ):
        name = f"leaf_use_{event.partition(' ')[0].lower()}"
        mine = f"(SELECT a.item FROM account a WHERE a.name = {marker(kind).format(r=row)})"
        item = f"CASE WHEN {MARK.format(r=row)} THEN {mine} ELSE {row}.item END"
        deed = f"UPDATE item_use SET bytes = bytes + {change} WHERE item = {item};"
        if kind == "sqlite":
            yield f"DROP TRIGGER {name}"
        else:
            yield f"DROP TRIGGER {name} ON leaf"
            yield f"DROP FUNCTION {name}()"
        yield from _trigger(kind, name, f"AFTER {event} ON leaf", when, deed)


def _triggers(kind: str, one: CountedRows) -> Iterator[str]:
    fresh, former = one.which.format(r="NEW"), one.which.format(r="OLD")
    more = MORE.format(name=one.name, account=one.account.format(r="NEW"))
    less = LESS.format(name=one.name, account=one.account.format(r="OLD"))
    stem, table = f"{one.table}_count_{one.name}", one.table
    yield from _trigger(kind, f"{stem}_insert", f"AFTER INSERT ON {table}", fresh, more)
    yield from _trigger(kind, f"{stem}_delete", f"AFTER DELETE ON {table}", former, less)
    if one.columns:
        other = "IS NOT" if kind == "sqlite" else "IS DISTINCT FROM"
        changed = " OR ".join(f"OLD.{column} {other} NEW.{column}" for column in one.columns)
        event = f"AFTER UPDATE OF {', '.join(one.columns)} ON {table}"
        yield from _trigger(kind, f"{stem}_gain", event, f"({changed}) AND {fresh}", more)
        yield from _trigger(kind, f"{stem}_loss", event, f"({changed}) AND {former}", less)


def _trigger(kind: str, name: str, event: str, when: str, deed: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"CREATE TRIGGER {name} {event} WHEN {when} BEGIN {deed} END"
        return
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {deed} RETURN NULL; END $$"
    )
    yield f"CREATE TRIGGER {name} {event} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()"
