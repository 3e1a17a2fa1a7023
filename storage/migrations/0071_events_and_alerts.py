"""Tables of kept outputs, triggers, hooks, alerts and orders of mails."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

KEPT_OUTPUTS = (
    # `output_of` is the run that made the output of a step.
    "ALTER TABLE step ADD COLUMN output_of {text}",
    "CREATE INDEX step_files ON step (run) WHERE files IS NOT NULL",
)
TRIGGERS = (
    # `subject` is the item of the event. `journal` are ranges of changes of a space: `4-4,7-9`.
    # A row stays for a while after it is settled, with the line of the job that it matched.
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
JOB_HOOKS = (
    # `digest` is that of the key; `status` and `called_on` are those of the last call that was recorded.
    """CREATE TABLE job_hook (
        digest {text} PRIMARY KEY, job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        name {text} NOT NULL, created_on {text} NOT NULL, calls {int} NOT NULL DEFAULT 0,
        called_on {text}, status {int}, UNIQUE (job, name)){clustered}""",
    """CREATE TABLE job_hook_call (
        hook {text} NOT NULL REFERENCES job_hook (digest) ON DELETE CASCADE, number {int} NOT NULL,
        called_on {text} NOT NULL, status {int} NOT NULL, size {int} NOT NULL, run {text},
        why {text} NOT NULL, PRIMARY KEY (hook, number)){clustered}""",
)
HOOKS = (
    """CREATE TABLE hook (
        id {id}, owner {text} NOT NULL, name {text} NOT NULL, events {text} NOT NULL,
        format {text} NOT NULL, sealed {text} NOT NULL, state {text} NOT NULL, why {text} NOT NULL,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, UNIQUE (owner, name))""",
    "CREATE INDEX hook_active ON hook (id) WHERE state = 'active'",
    # A row is deleted when the messages for the hooks that get the event are stored.
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
)
ALERTS = (
    # An alert is evaluated at `due` without a change of its file.
    """CREATE TABLE alert (
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, rel {text} NOT NULL,
        rule {text} NOT NULL, state {text} NOT NULL, since {text} NOT NULL, former {text}, due {text},
        PRIMARY KEY (item, rel, rule)){clustered}""",
    "CREATE INDEX alert_due ON alert (due) WHERE due IS NOT NULL",
)
ORDERS = (
    # `cause` is the reason for the sending; `due_on` is NULL once it was sent or given up.
    """CREATE TABLE mail_order (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, cause {text} NOT NULL,
        made_on {text} NOT NULL, due_on {text})""",
    "CREATE UNIQUE INDEX mail_order_once ON mail_order (item, cause)",
    "CREATE INDEX mail_order_due ON mail_order (due_on) WHERE due_on IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:
    """Add the column, the tables and their indexes."""
    execute(db, (*KEPT_OUTPUTS, *TRIGGERS, *JOB_HOOKS, *HOOKS, *ALERTS, *ORDERS))
