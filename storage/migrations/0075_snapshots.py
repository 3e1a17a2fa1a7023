"""Several schedules of one item, each by the path of its file, and orders of snapshots."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

SCHEDULES = (
    "ALTER TABLE schedule RENAME TO former_schedule",
    "ALTER TABLE firing RENAME TO former_firing",
    # `text` repeats the file `rel`, `zone` and `expression` are its parts.
    """CREATE TABLE schedule (
        job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, rel {text} NOT NULL, text {text} NOT NULL,
        zone {text} NOT NULL, expression {text} NOT NULL, planned {text} NOT NULL,
        PRIMARY KEY (job, rel)){clustered}""",
    """CREATE TABLE firing (
        job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, rel {text} NOT NULL,
        planned {text} NOT NULL, PRIMARY KEY (job, rel, planned)){clustered}""",
    """INSERT INTO schedule (job, rel, text, zone, expression, planned)
        SELECT job, 'config/schedule', text, zone, expression, planned FROM former_schedule""",
    """INSERT INTO firing (job, rel, planned) SELECT job, 'config/schedule', planned FROM former_firing""",
    "DROP TABLE former_schedule",
    "DROP TABLE former_firing",
    "CREATE INDEX schedule_planned ON schedule (planned)",
    "CREATE INDEX firing_planned ON firing (planned)",
)


# `snapshot` is its name. `people`, separated by blanks, could influence its content besides the owner.
ORDERS = (
    "ALTER TABLE mail_order ADD COLUMN snapshot {text} NOT NULL DEFAULT ''",
    "ALTER TABLE mail_order ADD COLUMN people {text} NOT NULL DEFAULT ''",
)


def up(migrator: Any, db: Any) -> None:
    """Add a column for the file to the tables of schedules, and columns for snapshots to orders."""
    execute(db, (*SCHEDULES, *ORDERS))
