"""The spaces of a database that hold files of waiting runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chains.runs.records import HoldSpace, Run
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.runs.rows import OPEN, WHOLE, run_of

SPACE = TableColumns(HoldSpace, "space job caller")
OPEN_SPACES = (
    "SELECT h.space, r.job, r.caller FROM run r JOIN hold h ON h.run = r.key JOIN item i ON i.id = r.job"
    f" WHERE r.{OPEN}"
)
ALL = f"{OPEN_SPACES} ORDER BY h.space"
OF_OWNER = f"{OPEN_SPACES} AND i.owner = :owner ORDER BY h.space"
RUN_OF = f"{WHOLE} JOIN hold h ON h.run = r.key WHERE h.space = :space"


@dataclass(frozen=True, slots=True)
class StoredHoldSpaces:
    """chains.runs.ports.HoldSpaces over a database."""

    database: Database

    def run_of(self, space: int) -> Run | None:
        row = self.database.row(RUN_OF, space=space)
        return run_of(row) if row else None

    def open_spaces(self, owner: str | None) -> Sequence[HoldSpace]:
        key = {} if owner is None else {"owner": owner}
        return [SPACE.read(row) for row in self.database.rows(OF_OWNER if key else ALL, **key)]
