"""Sendings of mails, a row for each recipient until its last word, logs of mails, and who wants no more."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `message` is the mail as it is sent, and goes when the sending ends; `state` is open, sent or failed.
    """CREATE TABLE mail_sending (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, test {bool} NOT NULL,
        state {text} NOT NULL, digest {text} NOT NULL, message {bytes}, started_on {text} NOT NULL,
        ended_on {text}, accepted {int} NOT NULL, refused {int} NOT NULL)""",
    "CREATE INDEX mail_sending_item ON mail_sending (item, id)",
    "CREATE INDEX mail_sending_open ON mail_sending (id) WHERE state = 'open'",
    # `state` is due, taken, accepted or refused; a taken one is due again when `due_on` is past.
    """CREATE TABLE mail_delivery (
        id {id}, sending {int} NOT NULL REFERENCES mail_sending (id) ON DELETE CASCADE,
        address {text} NOT NULL, message_id {text} NOT NULL, leave {text} NOT NULL, state {text} NOT NULL,
        tries {int} NOT NULL, due_on {text} NOT NULL)""",
    "CREATE UNIQUE INDEX mail_delivery_once ON mail_delivery (sending, address)",
    "CREATE INDEX mail_delivery_due ON mail_delivery (sending, due_on, id) WHERE state IN ('due', 'taken')",
    """CREATE TABLE mail_line (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        written_on {text} NOT NULL, message {text} NOT NULL)""",
    "CREATE INDEX mail_line_item ON mail_line (item, id)",
    # Mailboxes that want no more of an account's mails.
    """CREATE TABLE mail_refusal (
        owner {text} NOT NULL, address {text} NOT NULL, refused_on {text} NOT NULL,
        PRIMARY KEY (owner, address))""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
