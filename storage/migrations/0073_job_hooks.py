"""Hooks of jobs, by the digests of their keys, and the last calls of each."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

TABLES = (
    # `status` and `called_on` are those of the last call that was recorded.
    """CREATE TABLE job_hook (
        digest {text} PRIMARY KEY, job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        name {text} NOT NULL, created_on {text} NOT NULL, calls {int} NOT NULL DEFAULT 0,
        called_on {text}, status {int}, UNIQUE (job, name)){clustered}""",
    """CREATE TABLE job_hook_call (
        hook {text} NOT NULL REFERENCES job_hook (digest) ON DELETE CASCADE, number {int} NOT NULL,
        called_on {text} NOT NULL, status {int} NOT NULL, size {int} NOT NULL, run {text},
        why {text} NOT NULL, PRIMARY KEY (hook, number)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Create both tables."""
    execute(db, TABLES)
