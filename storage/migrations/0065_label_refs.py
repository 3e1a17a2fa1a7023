"""The branch or tag that has each label, as far as the build that moved it tells."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

# A build of several refs tells the ref of its first label and, with `latest`, that of the default branch.
STATEMENTS = (
    "ALTER TABLE label ADD COLUMN ref {text}",
    """UPDATE label SET ref = (SELECT build.ref FROM build WHERE build.id = label.build
    AND (build.ref IN ('refs/heads/' || label.name, 'refs/tags/' || label.name)
         OR label.name = 'latest' AND substr(build.ref, 1, 11) = 'refs/heads/'
         OR replace(replace(build.ref, 'refs/heads/', ''), '/', '-') = label.name
         OR replace(replace(build.ref, 'refs/tags/', ''), '/', '-') = label.name))""",
)


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, STATEMENTS)
