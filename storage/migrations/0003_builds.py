"""Builds of images with their logs, and what each label of a repo points at."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `labels` is a JSON list, `revision` the commit.
    """CREATE TABLE build ( id {id}, repo {int} NOT NULL, labels {text} NOT NULL, ref {text} NOT NULL,
    revision {text} NOT NULL, status {text} NOT NULL, worker {text}, image {text}, error {text} NOT NULL,
    created_on {text} NOT NULL, completed_on {text})""",
    "CREATE INDEX build_repo ON build (repo, id)",
    "CREATE INDEX build_open ON build (id) WHERE status IN ('queued', 'building')",
    """CREATE TABLE build_line ( build {int} NOT NULL REFERENCES build (id) ON DELETE CASCADE, seq {int} NOT
    NULL, line {text} NOT NULL, PRIMARY KEY (build, seq)){clustered}""",
    # `build` moved the label last; those up to `forgotten` do not bring it back.
    """CREATE TABLE label (
        repo {int} NOT NULL, name {text} NOT NULL, image {text}, revision {text}, build {int} NOT NULL,
        forgotten {int} NOT NULL, PRIMARY KEY (repo, name)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
