"""The request or run that caused later work of another process."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

TABLES = (
    "build", "trigger_event", "inbound_mail", "notice", "mail_order", "mail_delivery", "queued_message",
    "hook_event", "hook_message",
)  # fmt: skip


def up(migrator: Any, db: Any) -> None:
    """Add the column. The causes of existing rows are unknown."""
    execute(
        db, (f"ALTER TABLE {table} ADD COLUMN caused_by {{text}} NOT NULL DEFAULT ''" for table in TABLES)
    )
