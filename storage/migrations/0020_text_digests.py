"""Digests of texts, by which a version of many leaves is known without reading them."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("ALTER TABLE leaf ADD COLUMN text_digest {text}",)


def up(migrator: Any, db: Any) -> None:
    """Create the column; texts that are there get theirs when they are written again."""
    execute(db, STATEMENTS)
