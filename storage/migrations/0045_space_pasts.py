"""Beginnings of the journals of spaces: never at a number that an earlier space of the name gave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storage.migrations.dialect import dialect, execute

STATEMENTS = (
    # `start` is the number before the first row that the journal ever had.
    "ALTER TABLE space ADD COLUMN start {int} NOT NULL DEFAULT 0",
    # The last number that spaces of a name gave out which are not there any more, or have another name.
    """CREATE TABLE space_past (
        owner {text} NOT NULL, name {text} NOT NULL, seq {int} NOT NULL,
        PRIMARY KEY (owner, name)){clustered}""",
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
# Moved on by so much that no row takes the number of another, and all are past what the name gave out.
PAST = """
(SELECT 1 + max(p.seq, s.seq) FROM space_past p, space s
    WHERE p.owner = NEW.owner AND p.name = NEW.name AND s.item = NEW.id)"""
MOVE = f"""
UPDATE space_change SET seq = seq + {PAST}
WHERE item = NEW.id AND EXISTS (SELECT 1 FROM space_past p WHERE p.owner = NEW.owner AND p.name = NEW.name);
UPDATE space SET seq = seq + {PAST}, start = start + {PAST}
WHERE item = NEW.id AND EXISTS (SELECT 1 FROM space_past p WHERE p.owner = NEW.owner AND p.name = NEW.name);
"""


def up(migrator: Any, db: Any) -> None:
    """Create the column and the table, kept by triggers."""
    execute(db, STATEMENTS)
    kind = dialect(db)
    move = MOVE if kind == "sqlite" else MOVE.replace("max(p.seq, s.seq)", "greatest(p.seq, s.seq)")
    space = "{}.kind = 'space'"
    for name, event, which, deed in (
        ("space_end", "BEFORE DELETE ON item", space.format("OLD"), LEAVE),
        ("space_begin", "AFTER INSERT ON item", space.format("NEW"), BEGIN),
        (
            "space_renamed",
            "AFTER UPDATE OF name ON item",
            f"{space.format('NEW')} AND OLD.name <> NEW.name",
            LEAVE + move + BEGIN,
        ),
    ):
        for made in _trigger(kind, name, event, which, deed):
            db.execute_sql(made)


def _trigger(kind: str, name: str, event: str, when: str, deed: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"CREATE TRIGGER {name} {event} WHEN {when} BEGIN {deed} END"
        return
    answer = "OLD" if event.startswith("BEFORE DELETE") else "NULL"
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {deed} RETURN {answer}; "
        "END $$"
    )
    yield f"CREATE TRIGGER {name} {event} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()"
