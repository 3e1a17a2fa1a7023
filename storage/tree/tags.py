"""Search for items by their tags, which are stored as leaves."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.store import Store
from storage.tree.item_rows import IS_LIVE, all_found, principal, with_grants
from storage.tree.leaves import MARK, below
from vfs.ports.items import Found
from vfs.ports.leaves import Mark
from vfs.ports.social import CATEGORY, tag_rel

# The condition of the partial index is repeated, so that the planners use the index.
TAG = "t.rel >= 'tags/' AND t.rel < 'tags0'"
WITH = f"SELECT i.* FROM leaf t CROSS JOIN item i WHERE t.rel = :rel AND {TAG} AND i.id = t.item"
TAGGED = f"""
{with_grants(WITH)} WHERE i.owner = :me OR s.target IS NOT NULL
ORDER BY i.owner, i.name, i.kind, i.id, s.target"""
OWN = f"""
SELECT substr(t.rel, :cut) AS rel, t.created_on, t.last_modified
FROM leaf t CROSS JOIN item i
WHERE t.rel >= :first AND t.rel < :last AND {TAG} AND i.id = t.item AND {IS_LIVE}"""
CATEGORIES = f"""
SELECT substr(t.rel, 8), t.created_on, t.last_modified FROM leaf t CROSS JOIN item i
WHERE t.rel >= 'tags/=/' AND t.rel < 'tags/=0' AND i.owner = :me AND {TAG} AND i.id = t.item"""
USED = f"""
SELECT rel, MIN(created_on), MAX(last_modified) FROM ({OWN} UNION ALL {CATEGORIES}) u
GROUP BY rel ORDER BY rel"""
FORGET = f"DELETE FROM leaf AS t WHERE t.rel = :rel AND {TAG}"
FORGET_OWN = f"{FORGET} AND t.item IN (SELECT i.id FROM item i WHERE i.owner = :me)"


class StoredTags(Store):
    """vfs.ports.social.Tags over a database."""

    def carriers(self, tag: str, caller: str) -> Sequence[Found]:
        return all_found(self._database.rows(TAGGED, rel=tag_rel(tag, caller), **principal(caller)))

    def of(self, caller: str) -> Sequence[Mark]:
        folder = f"tags/@{caller}"
        first, last = below(folder)
        where = {"cut": len(folder) + 2, "first": first, "last": last}
        return self._database.all(MARK, USED, **where, me=caller)

    def forget(self, tag: str, caller: str) -> bool:
        if tag.startswith(CATEGORY):
            return self._database.run(FORGET_OWN, rel=tag_rel(tag, caller), me=caller) > 0
        return self._database.run(FORGET, rel=tag_rel(tag, caller)) > 0
