"""Runs with their steps and logs, and the runners that claim them."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `lines` counts the log's entries; `discarded` tells that the job is gone and the run is forgotten when
    # it ends.
    """CREATE TABLE run ( key {id}, job {int} NOT NULL, id {text} NOT NULL, shortname {text} NOT NULL UNIQUE,
    status {text} NOT NULL, trigger {text} NOT NULL, source {text} NOT NULL, caller {text} NOT NULL,
    created_on {text} NOT NULL, started_on {text}, completed_on {text}, input {text}, digest {text}, size
    {int}, media {text}, output_name {text}, claim {text}, worker {text}, parent {int}, parent_step {text},
    author {text}, lines {int} NOT NULL, discarded {bool} NOT NULL, spaces {text} NOT NULL, plan {text},
    UNIQUE (job, id))""",
    "CREATE INDEX run_job ON run (job, key) WHERE parent IS NULL",
    "CREATE INDEX run_open ON run (key) WHERE status IN ('processing', 'waiting', 'canceling')",
    "CREATE INDEX run_digest ON run (digest) WHERE digest IS NOT NULL",
    # `replica` -1 is the step itself.
    """CREATE TABLE step ( run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, ordinal {int} NOT NULL,
    replica {int} NOT NULL, name {text} NOT NULL, status {text} NOT NULL, started_on {text}, completed_on
    {text}, fan_out {bool} NOT NULL, PRIMARY KEY (run, ordinal, replica)){clustered}""",
    """CREATE TABLE run_line (
        run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, seq {int} NOT NULL, time {text} NOT NULL,
        severity {text} NOT NULL, message {text} NOT NULL, PRIMARY KEY (run, seq)){clustered}""",
    """CREATE TABLE worker (
        name {text} PRIMARY KEY, home {text} NOT NULL, expires_on {text} NOT NULL){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
