"""Manifests of inputs and outputs, where several hosts share the files of runs; their names are digests."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "ALTER TABLE run ADD COLUMN files {text}",
    "ALTER TABLE step ADD COLUMN files {text}",
    # A run on one host has none: its row is in no index more.
    "CREATE INDEX run_files ON run (files) WHERE files IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:
    """Add the columns and the index."""
    execute(db, STATEMENTS)
