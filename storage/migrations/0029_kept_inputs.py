"""Inputs of runs, kept beside their outputs and counted with them."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import dialect, execute

STATEMENTS = (
    # The text of an `input.json` alone, or the digest of a zip; `input_size` are the bytes of either.
    "ALTER TABLE run ADD COLUMN input_text {text}",
    "ALTER TABLE run ADD COLUMN input_digest {text}",
    "ALTER TABLE run ADD COLUMN input_size {int} NOT NULL DEFAULT 0",
    "CREATE INDEX run_input ON run (input_digest) WHERE input_digest IS NOT NULL",
)
WEIGHT = (
    "(CASE WHEN {r}.completed_on IS NULL OR {r}.expired_on IS NOT NULL THEN 0"
    " ELSE coalesce({r}.size, 0) + {r}.input_size + {r}.log_size END)"
)
CHANGE = "completed_on, expired_on, size, input_size, log_size"
FRESH, FORMER = WEIGHT.format(r="NEW"), WEIGHT.format(r="OLD")
COUNTS = (
    ("insert", "INSERT", FRESH, f"{FRESH} <> 0", "NEW"),
    ("update", f"UPDATE OF {CHANGE}", f"{FRESH} - {FORMER}", f"{FRESH} <> {FORMER}", "NEW"),
    ("delete", "DELETE", f"-{FORMER}", f"{FORMER} <> 0", "OLD"),
)


def up(migrator: Any, db: Any) -> None:
    """Create the columns, and count what they hold as what a run keeps."""
    execute(db, STATEMENTS)
    for word, event, change, when, row in COUNTS:
        name = f"run_use_{word}"
        deed = f"UPDATE item_use SET bytes = bytes + {change} WHERE item = {row}.job;"
        if dialect(db) == "sqlite":
            db.execute_sql(f"DROP TRIGGER {name}")
            db.execute_sql(f"CREATE TRIGGER {name} AFTER {event} ON run WHEN {when} BEGIN {deed} END")
            continue
        db.execute_sql(f"DROP TRIGGER {name} ON run")
        made = f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql"
        db.execute_sql(f"{made} AS $$ BEGIN {deed} RETURN NULL; END $$")
        follows = f"FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()"
        db.execute_sql(f"CREATE TRIGGER {name} AFTER {event} ON run {follows}")
