"""The memberships whose role confers more than plain members have, to be found without looking at others."""

from __future__ import annotations

from typing import Any

INDEX = """
CREATE INDEX member_elevated ON member (name, group_ref) WHERE role <> 'members' AND NOT pending"""


def up(migrator: Any, db: Any) -> None:
    """Create the index; SQLite's and PostgreSQL's are the same."""
    db.execute_sql(INDEX)
