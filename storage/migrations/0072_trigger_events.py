"""A table of what happened that starts jobs by their config/triggers, until its run is made."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

TABLES = (
    # `subject` is the item that it happened to. `journal` are ranges of changes of a space: `4-4,7-9`.
    # A row stays for a while after it is settled, with the line of the job that it fitted.
    """CREATE TABLE trigger_event (
        id {id}, job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, kind {text} NOT NULL,
        subject {int} NOT NULL, cause {text} NOT NULL, journal {text} NOT NULL, happened_on {text} NOT NULL,
        due_on {text} NOT NULL, tries {int} NOT NULL DEFAULT 0, settled_on {text},
        line {text} NOT NULL DEFAULT '', run {int}, note {text} NOT NULL DEFAULT '')""",
    """CREATE UNIQUE INDEX trigger_event_cause ON trigger_event (job, kind, cause)
        WHERE settled_on IS NULL""",
    "CREATE INDEX trigger_event_due ON trigger_event (due_on, id) WHERE settled_on IS NULL",
    "CREATE INDEX trigger_event_settled ON trigger_event (job, id) WHERE settled_on IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table."""
    execute(db, TABLES)
