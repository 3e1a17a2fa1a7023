"""Items found by their tags, which are leaves of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from storage.database.database import Database
from storage.tree.items import REACHED, found_of
from storage.tree.leaves import below
from vfs.ports.social import CATEGORY, tag_rel
from vfs.ports.world import Found, Mark

# Said again where the index has it, so that the planners see that it serves.
TAG = "t.rel >= 'tags/' AND t.rel < 'tags0'"
WITH = f"SELECT i.* FROM leaf t CROSS JOIN item i WHERE t.rel = ? AND {TAG} AND i.id = t.item"
TAGGED = f"{REACHED % WITH} WHERE i.owner = ? OR s.target IS NOT NULL ORDER BY 3, 4, 2, 1, 8"
OWN, CATEGORIES = "t.rel >= ? AND t.rel < ?", "t.rel >= 'tags/=/' AND t.rel < 'tags/=0' AND i.owner = ?"
USED = f"""
SELECT rel, MIN(created_on), MAX(last_modified) FROM (
    SELECT substr(t.rel, ?) AS rel, t.created_on, t.last_modified FROM leaf t WHERE {OWN} AND {TAG}
    UNION ALL SELECT substr(t.rel, 8), t.created_on, t.last_modified
    FROM leaf t CROSS JOIN item i WHERE {CATEGORIES} AND {TAG} AND i.id = t.item) u
GROUP BY rel ORDER BY rel"""
FORGET = "DELETE FROM leaf AS t WHERE t.rel = ? AND t.rel >= 'tags/' AND t.rel < 'tags0'"
FORGET_OWN = f"{FORGET} AND t.item IN (SELECT i.id FROM item i WHERE i.owner = ?)"


class StoredTags:
    """vfs.ports.social.Tags over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def carriers(self, tag: str, caller: str) -> Sequence[Found]:
        """As Tags.tagged."""
        rel = tag_rel(tag, caller)
        rows = self._database.rows(TAGGED, rel, caller, f"@{caller}", caller, caller, caller)
        return [found_of(list(alike)) for _, alike in groupby(rows, key=lambda row: row[0])]

    def of(self, caller: str) -> Sequence[Mark]:
        """As Tags.used."""
        folder = f"tags/@{caller}"
        rows = self._database.rows(USED, len(folder) + 2, *below(folder), caller)
        return [Mark(*row) for row in rows]

    def forget(self, tag: str, caller: str) -> bool:
        """As Tags.forget."""
        if tag.startswith(CATEGORY):
            return self._database.run(FORGET_OWN, tag_rel(tag, caller), caller) > 0
        return self._database.run(FORGET, tag_rel(tag, caller)) > 0
