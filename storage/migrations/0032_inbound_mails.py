"""Mails that came in, the runs that they started, and which messages of whom came before."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `state` is new, kept or started; a new one that somebody took is due again at `due_on`.
    """CREATE TABLE inbound_mail (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, group_ref {text} NOT NULL,
        address {text} NOT NULL, envelope {text} NOT NULL, digest {text} NOT NULL, size {int} NOT NULL,
        media {text} NOT NULL, received_on {text} NOT NULL, state {text} NOT NULL, note {text} NOT NULL,
        sender {text} NOT NULL, message_id {text} NOT NULL, tries {int} NOT NULL, due_on {text} NOT NULL)""",
    "CREATE INDEX inbound_mail_item ON inbound_mail (item, state, id)",
    "CREATE INDEX inbound_mail_due ON inbound_mail (due_on, id) WHERE state = 'new'",
    "CREATE INDEX inbound_mail_old ON inbound_mail (received_on)",
    "CREATE INDEX inbound_mail_digest ON inbound_mail (digest)",
    # A run is kept here by its number alone: it may go before it is answered.
    """CREATE TABLE inbound_run (
        mail {int} NOT NULL REFERENCES inbound_mail (id) ON DELETE CASCADE, run {int} NOT NULL,
        answered {bool} NOT NULL, PRIMARY KEY (mail, run))""",
    "CREATE INDEX inbound_run_open ON inbound_run (run) WHERE NOT answered",
    """CREATE TABLE inbound_identity (
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, sender {text} NOT NULL,
        message_id {text} NOT NULL, came_on {text} NOT NULL, PRIMARY KEY (item, sender, message_id))""",
    "CREATE INDEX inbound_identity_old ON inbound_identity (came_on)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
