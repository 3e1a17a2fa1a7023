"""Queues of runs and builds by the account whose turn it may be."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    """CREATE INDEX run_queue ON run (caller, key)
    WHERE status IN ('processing', 'canceling') AND worker IS NULL AND top IS NULL""",
    "CREATE INDEX build_queue ON build (pusher, id) WHERE status = 'queued'",
)


def up(migrator: Any, db: Any) -> None:
    """Create the indexes."""
    execute(db, STATEMENTS)
