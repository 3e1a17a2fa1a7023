"""Tables of hooks: their settings and logs, and the events and messages that wait for them."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(
        db,
        [
            """CREATE TABLE hook (
                id {id}, owner {text} NOT NULL, name {text} NOT NULL, events {text} NOT NULL,
                format {text} NOT NULL, sealed {text} NOT NULL, state {text} NOT NULL, why {text} NOT NULL,
                created_on {text} NOT NULL, last_modified {text} NOT NULL, UNIQUE (owner, name))""",
            "CREATE INDEX hook_active ON hook (id) WHERE state = 'active'",
            # A row is deleted when the messages for the hooks that want the event are stored.
            "CREATE TABLE hook_event (id {id}, line {text} NOT NULL)",
            """CREATE TABLE hook_call (
                id {id}, hook {int} NOT NULL REFERENCES hook (id) ON DELETE CASCADE,
                called_on {text} NOT NULL, event {text} NOT NULL, message_id {text} NOT NULL,
                tries {int} NOT NULL, outcome {text} NOT NULL, answer {text} NOT NULL,
                milliseconds {int} NOT NULL, UNIQUE (hook, message_id))""",
            # As in queued_message; `address` is the kind of the event.
            """CREATE TABLE hook_message (
                id {id}, hook {int} NOT NULL REFERENCES hook (id) ON DELETE CASCADE, address {text} NOT NULL,
                message_id {text} NOT NULL, message {bytes} NOT NULL, tries {int} NOT NULL,
                due_on {text} NOT NULL)""",
            "CREATE INDEX hook_message_due ON hook_message (hook, due_on, id)",
        ],
    )
