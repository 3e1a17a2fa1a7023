"""The triggers at number 65: counts of rows, and deletions that follow the deletion of a row."""

from __future__ import annotations

from typing import Any, NamedTuple

from storage.migrations.dialect import create_trigger, dialect

ROW = 256
"""Bytes that a leaf, an entry of a space or a comment counts in addition to its content."""
OCTETS = {"sqlite": "length(CAST({r}.text AS BLOB))", "postgresql": "octet_length({r}.text)"}
PREFIX = {
    "sqlite": "substr({text}, 1, instr({text} || '{mark}', '{mark}') - 1)",
    "postgresql": "split_part({text}, '{mark}', 1)",
}
"""The text up to a mark."""

# An organisation may have the name of an unrelated account.
FOUNDER = """
CASE WHEN {r}.kind = 'org_group' THEN (SELECT o.owner FROM people_group o WHERE o.ref = {r}.parent)
ELSE {r}.owner END"""
# Bytes of a leaf: those of personal marks count for their author, like comments, else for the item's owner.
MARK = "(substr({r}.rel, 1, 6) = 'tags/@' OR substr({r}.rel, 1, 15) = 'notifications/@')"
MORE = """
INSERT INTO row_count (account, name, number)
SELECT account, '{name}', 1 FROM (SELECT {account} AS account) made WHERE account IS NOT NULL
ON CONFLICT (account, name) DO UPDATE SET number = row_count.number + 1;"""
LESS = "UPDATE row_count SET number = number - 1 WHERE name = '{name}' AND account = {account};"
KEYS = {
    "INSERT": """INSERT INTO row_count (account, name, number) VALUES (NEW.account, 'keys', 1)
ON CONFLICT (account, name) DO UPDATE SET number = row_count.number + 1;""",
    "DELETE": "UPDATE row_count SET number = number - 1 WHERE name = 'keys' AND account = OLD.account;",
}
# Deletions: a trigger, its event, its condition, and the condition of the notices to delete.
NOTICE_ENDS = (
    ("notice_item_end", "AFTER DELETE ON item", "TRUE", "item = OLD.id"),
    ("notice_comment_end", "AFTER DELETE ON comment", "TRUE", "comment = OLD.id"),
    ("notice_comment_blank", "AFTER UPDATE OF deleted ON comment", "NEW.deleted", "comment = OLD.id"),
    (
        "notice_share_end",
        "AFTER DELETE ON share",
        "substr(OLD.target, 1, 1) = '@'",
        "item = OLD.item AND kind = 'shared' AND account = substr(OLD.target, 2)",
    ),
    *(
        (
            f"notice_invite_{word}",
            f"AFTER {event} ON member",
            which,
            """kind = 'invite' AND account = OLD.name
                AND item = (SELECT g.item FROM people_group g WHERE g.ref = OLD.group_ref)""",
        )
        for word, event, which in (
            ("end", "DELETE", "OLD.pending"),
            ("answer", "UPDATE OF pending", "OLD.pending AND NOT NEW.pending"),
        )
    ),
    *(
        (
            f"notice_tie_{word}",
            f"AFTER {event} ON tie",
            f"OLD.kind = 'connection' AND {which}",
            f"""kind IN ({kinds}) AND (
                account = OLD.other AND item = (SELECT a.item FROM account a WHERE a.name = OLD.name)
                OR account = OLD.name AND item = (SELECT a.item FROM account a WHERE a.name = OLD.other))""",
        )
        for word, event, which, kinds in (
            ("end", "DELETE", "NOT OLD.pending", "'connected'"),
            ("refuse", "DELETE", "OLD.pending", "'invite'"),
            ("answer", "UPDATE OF pending", "OLD.pending AND NOT NEW.pending", "'invite'"),
        )
    ),
)
LEAVE = """
INSERT INTO space_past (owner, name, seq)
SELECT OLD.owner, OLD.name, s.seq FROM space s WHERE s.item = OLD.id AND s.seq > 0
ON CONFLICT (owner, name) DO UPDATE SET seq = excluded.seq;"""
BEGIN = """
INSERT INTO space (item, seq, start, size, entries)
SELECT NEW.id, p.seq + 1, p.seq + 1, 0, 0 FROM space_past p
WHERE p.owner = NEW.owner AND p.name = NEW.name
ON CONFLICT (item) DO NOTHING;"""
# The increase: no row then gets the number of another one, and all are above the former numbers.
PAST = """
(SELECT 1 + max(p.seq, s.seq) FROM space_past p, space s
    WHERE p.owner = NEW.owner AND p.name = NEW.name AND s.item = NEW.id)"""
MOVE = f"""
UPDATE space_change SET seq = seq + {PAST}
WHERE item = NEW.id AND EXISTS (SELECT 1 FROM space_past p WHERE p.owner = NEW.owner AND p.name = NEW.name);
UPDATE space SET seq = seq + {PAST}, start = start + {PAST}
WHERE item = NEW.id AND EXISTS (SELECT 1 FROM space_past p WHERE p.owner = NEW.owner AND p.name = NEW.name);
"""


class CountedBytes(NamedTuple):
    """A table whose rows count bytes: the item, the number, and the columns on which these depend.

    `{r}` stands for the row.
    """

    table: str
    item: str
    weight: str
    columns: str
    always: bool = False


class CountedRows(NamedTuple):
    """Rows of a table that are counted: the quota, the account, and the columns on which these depend.

    `{r}` stands for the row. If the account is NULL the row is not counted.
    """

    name: str
    table: str
    account: str
    which: str = "TRUE"
    columns: tuple[str, ...] = ()


def create_triggers(db: Any) -> None:
    """Create all triggers."""
    kind = dialect(db)
    born = "INSERT INTO item_use (item, owner, bytes, packs) VALUES (NEW.id, ltrim(NEW.owner, '@+'), 0, 0);"
    create_trigger(db, "item_use_born", "AFTER INSERT ON item", "NEW.id IS NOT NULL", born)
    charge = f"UPDATE item_use SET owner = {FOUNDER.format(r='NEW')} WHERE item = NEW.item;"
    groups = "AFTER INSERT ON people_group"
    create_trigger(db, "people_group_charge", groups, "NEW.kind <> 'user_group'", charge)
    for counted in counted_bytes(kind):
        count_bytes(db, counted)
    for rows in counted_rows(kind):
        count_rows(db, rows)
    for event, deed in KEYS.items():
        create_trigger(db, f"ssh_key_count_{event.lower()}", f"AFTER {event} ON ssh_key", "", deed)
    for name, event, when, which in NOTICE_ENDS:
        create_trigger(db, name, event, when, f"DELETE FROM notice WHERE {which};")
    _keep_numbers_of_spaces(db)


def author_item(name: str) -> str:
    """Return the item of an account, for which the bytes of its own texts count."""
    return f"(SELECT a.item FROM account a WHERE a.name = {name})"


def counted_bytes(kind: str) -> tuple[CountedBytes, ...]:
    """Return the tables whose bytes are counted."""
    octets, author = OCTETS[kind], author_item
    return (
        CountedBytes("space", "{r}.item", f"({{r}}.size + {ROW} * {{r}}.entries)", "size, entries"),
        CountedBytes("comment", author("{r}.author"), f"({ROW} + {octets})", "text"),
        CountedBytes(
            "run",
            "{r}.job",
            "(CASE WHEN {r}.completed_on IS NULL OR {r}.expired_on IS NOT NULL THEN 0"
            " ELSE coalesce({r}.size, 0) + {r}.input_size + {r}.log_size END)",
            "completed_on, expired_on, size, input_size, log_size",
        ),
        CountedBytes(
            "leaf",
            f"CASE WHEN {MARK} THEN {author(marker(kind))} ELSE {{r}}.item END",
            f"({ROW} + coalesce({{r}}.size, 0) + coalesce({octets}, 0))",
            "size, text",
            always=True,
        ),
    )


def counted_rows(kind: str) -> tuple[CountedRows, ...]:
    """Return the rows that are counted, except for SSH keys."""
    top = _before(kind, "{r}.group_ref", "~")
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


def marker(kind: str) -> str:
    """Return the account of a personal leaf: a tag, or a level of notifications."""
    place = "instr({r}.rel, '/@')" if kind == "sqlite" else "strpos({r}.rel, '/@')"
    return _before(kind, f"substr({{r}}.rel, {place} + 2)", "/")


def _before(kind: str, text: str, mark: str) -> str:
    return PREFIX[kind].format(text=text, mark=mark)


def count_bytes(db: Any, one: CountedBytes) -> None:
    """Create the triggers that count the bytes of a table's rows."""
    fresh, former = one.weight.format(r="NEW"), one.weight.format(r="OLD")
    for event, change, when, row in (
        ("INSERT", fresh, "TRUE" if one.always else f"{fresh} <> 0", "NEW"),
        (f"UPDATE OF {one.columns}", f"{fresh} - {former}", f"{fresh} <> {former}", "NEW"),
        ("DELETE", f"-{former}", "TRUE" if one.always else f"{former} <> 0", "OLD"),
    ):
        name = f"{one.table}_use_{event.partition(' ')[0].lower()}"
        deed = f"UPDATE item_use SET bytes = bytes + {change} WHERE item = {one.item.format(r=row)};"
        create_trigger(db, name, f"AFTER {event} ON {one.table}", when, deed)


def count_rows(db: Any, one: CountedRows) -> None:
    """Create the triggers that count the rows of a table."""
    fresh, former = one.which.format(r="NEW"), one.which.format(r="OLD")
    more = MORE.format(name=one.name, account=one.account.format(r="NEW"))
    less = LESS.format(name=one.name, account=one.account.format(r="OLD"))
    stem, table = f"{one.table}_count_{one.name}", one.table
    create_trigger(db, f"{stem}_insert", f"AFTER INSERT ON {table}", fresh, more)
    create_trigger(db, f"{stem}_delete", f"AFTER DELETE ON {table}", former, less)
    if one.columns:
        other = "IS NOT" if dialect(db) == "sqlite" else "IS DISTINCT FROM"
        changed = " OR ".join(f"OLD.{column} {other} NEW.{column}" for column in one.columns)
        event = f"AFTER UPDATE OF {', '.join(one.columns)} ON {table}"
        create_trigger(db, f"{stem}_gain", event, f"({changed}) AND {fresh}", more)
        create_trigger(db, f"{stem}_loss", event, f"({changed}) AND {former}", less)


def _keep_numbers_of_spaces(db: Any) -> None:
    """Make a space continue the numbers of a former space with its name."""
    move = MOVE if dialect(db) == "sqlite" else MOVE.replace("max(p.seq, s.seq)", "greatest(p.seq, s.seq)")
    create_trigger(db, "space_end", "BEFORE DELETE ON item", "OLD.kind = 'space'", LEAVE)
    create_trigger(db, "space_begin", "AFTER INSERT ON item", "NEW.kind = 'space'", BEGIN)
    renamed = "NEW.kind = 'space' AND OLD.name <> NEW.name"
    create_trigger(db, "space_renamed", "AFTER UPDATE OF name ON item", renamed, LEAVE + move + BEGIN)
