"""The tables of comments and of actions, and the tags of items, which are stored as leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.store import DatedStore, QuotaStore, Store
from storage.tree.item_rows import IS_LIVE, LOCK, all_found, principal, with_grants
from storage.tree.leaves import MARK, below
from storage.tree.quotas import ROW
from vfs.errors import Conflict, NotFound
from vfs.ports.clock import stamp
from vfs.ports.items import Found
from vfs.ports.leaves import Mark
from vfs.ports.quotas import QuotaName
from vfs.ports.social import CATEGORY, MOST_ACTIONS, TOP, Comment, ItemAction, tag_rel

COMMENT = TableColumns(
    Comment,
    "id item parent topic depth author slug text created_on last_modified edited deleted answers",
    edited=bool,
    deleted=bool,
)
SELECT = f"""
SELECT {COMMENT.of("c")} FROM (
    SELECT c.*, (SELECT COUNT(*) FROM comment r WHERE r.item = c.item AND r.parent = c.id) AS answers
    FROM comment c WHERE c.item = :item AND c.parent = :parent) c"""
FIND = f"{SELECT} WHERE c.author = :author AND c.slug = :slug"
ON = f"{SELECT} ORDER BY c.id"
COUNTS = """
SELECT item, topic, COUNT(*) - 1 FROM comment WHERE item IN (:items)
GROUP BY item, topic ORDER BY item, topic"""
WHOLE = f"""
SELECT {COMMENT.of("c")} FROM (
    SELECT c.*, (SELECT COUNT(*) FROM comment r WHERE r.item = c.item AND r.parent = c.id) AS answers
    FROM comment c WHERE c.item IN (:items) ORDER BY c.id LIMIT :most) c ORDER BY c.id"""
THERE = "SELECT 1 FROM comment WHERE id = :id AND NOT deleted"
ADD = """
INSERT INTO comment (
    item, parent, topic, depth, author, slug, text, created_on, last_modified, edited, deleted)
VALUES (:item, :parent, :topic, :depth, :author, :slug, :text, :now, :now, FALSE, FALSE)
ON CONFLICT (item, parent, author, slug) DO NOTHING RETURNING id"""
ROOT = "UPDATE comment SET topic = id WHERE id = :id"
WRITE = """
UPDATE comment SET edited = (edited OR text <> ''), text = :text, last_modified = :now
WHERE id = :id AND NOT deleted"""
BLANK = "UPDATE comment SET deleted = TRUE, text = '', last_modified = :now WHERE id = :id"
# A deleted comment without answers is removed; then its parent, if the same applies to it.
PRUNE = """
DELETE FROM comment AS c WHERE c.id = :id AND c.deleted
    AND NOT EXISTS (SELECT 1 FROM comment r WHERE r.item = c.item AND r.parent = c.id)
RETURNING parent"""
SPEAKERS = "SELECT DISTINCT author FROM comment WHERE topic = :topic AND NOT deleted ORDER BY author"


class StoredThreads(QuotaStore):
    """vfs.ports.social.Threads over a database.

    The item's row is locked first, so that a comment cannot be removed while an answer to it is written.
    """

    def find(self, item: int, parent: int, author: str, slug: str) -> Comment | None:
        return self._database.one(COMMENT, FIND, item=item, parent=parent, author=author, slug=slug)

    def on(self, item: int, parent: int) -> Sequence[Comment]:
        return self._database.all(COMMENT, ON, item=item, parent=parent)

    def counts(self, items: Sequence[int]) -> Mapping[int, Mapping[int, int]]:
        found: dict[int, dict[int, int]] = {}
        for sql, params in batches(COUNTS, items=items):
            for item, topic, count in self._database.rows(sql, **params):
                found.setdefault(item, {})[topic] = count
        return found

    def whole(self, items: Sequence[int], most: int) -> Sequence[Comment]:
        found: list[Comment] = []
        for sql, params in batches(WHOLE, items=items):
            found += map(COMMENT.read, self._database.rows(sql, **params, most=most - len(found)))
        return sorted(found, key=lambda one: one.id)

    def add(self, item: int, parent: Comment | None, author: str, slug: str, text: str) -> Comment:
        now = self._now()
        above, topic, depth = (parent.id, parent.topic, parent.depth + 1) if parent else (TOP, TOP, 1)
        self._admit(author, ROW + len(text.encode()))
        with self._database.atomic():
            there = self._database.run(LOCK, item=item)
            if not there or (parent and not self._database.row(THERE, id=above)):
                raise no_comment()
            key = {"item": item, "parent": above, "author": author, "slug": slug}
            id = self._database.value(ADD, **key, topic=topic, depth=depth, text=text, now=now)
            if id is None:
                raise Conflict(f"There is a comment @{author}~{slug} already: POST to its msg to change it.")
            if parent is None:
                topic = id
                self._database.run(ROOT, id=id)
            self._admit_made(author, QuotaName.COMMENTS)
        return Comment(id, item, above, topic, depth, author, slug, text, now, now)

    def write(self, comment: Comment, text: str) -> None:
        self._admit(comment.author, len(text.encode()) - len(comment.text.encode()))
        if not self._database.run(WRITE, text=text, now=self._now(), id=comment.id):
            raise no_comment()

    def remove(self, comment: Comment) -> None:
        with self._database.atomic():
            self._database.run(LOCK, item=comment.item)
            self._database.run(BLANK, now=self._now(), id=comment.id)
            one = comment.id
            while one := self._database.value(PRUNE, id=one):
                pass

    def _admit(self, author: str, growth: int) -> None:
        if self._quotas is not None and growth > 0:
            self._quotas.admit_words(author, growth)

    def speakers(self, topic: int) -> Sequence[str]:
        return [name for (name,) in self._database.rows(SPEAKERS, topic=topic)]


def no_comment() -> NotFound:
    """Return the refusal to answer or change a comment that does not exist."""
    return NotFound("The comment no longer exists; look at the thread again.")


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


ACTION = TableColumns(ItemAction, "id item actor kind below target first_on last_on times")
NEAR = 16
"""The number of newest actions of an item that are searched for an equal one."""
TOGETHER = timedelta(hours=1)

# A repeated action becomes the newest again: its row is deleted and added with a new number.
LIFT = f"""
DELETE FROM deed WHERE id = (
    SELECT id FROM (SELECT * FROM deed WHERE item = :item ORDER BY id DESC LIMIT {NEAR}) d
    WHERE actor = :actor AND kind = :kind AND target = :target AND (:loose OR below = :below)
        AND first_on > :since
    ORDER BY id DESC LIMIT 1)
RETURNING first_on, times"""
ADD_ACTION = """
INSERT INTO deed (item, actor, kind, below, target, first_on, last_on, times)
SELECT id, :actor, :kind, :below, :target, :first, :now, CAST(:times AS INTEGER) FROM item WHERE id = :item"""
TRIM = """
DELETE FROM deed WHERE item = :item AND id <= (
    SELECT id FROM deed WHERE item = :item ORDER BY id DESC LIMIT 1 OFFSET :most)"""
ACTIONS_OF = f"""
SELECT {ACTION} FROM deed WHERE item = :item AND id < :before AND (:shares OR target = '')
ORDER BY id DESC LIMIT :most"""


class StoredActions(DatedStore):
    """vfs.ports.social.Actions over a database."""

    def add(
        self, item: int, actor: str, kind: str, below: str = "", target: str = "", *, loose: bool = False
    ) -> None:
        now = self._clock.now()
        action = {"item": item, "actor": actor, "kind": kind, "below": below, "target": target}
        with self._database.atomic():
            before = self._database.row(LIFT, **action, loose=loose, since=stamp(now - TOGETHER))
            first, times = before or (stamp(now), 0)
            self._database.run(ADD_ACTION, **action, first=first, now=stamp(now), times=times + 1)
            if before is None:
                self._database.run(TRIM, item=item, most=MOST_ACTIONS)

    def of(self, item: int, before: int | None, most: int, *, shares: bool) -> Sequence[ItemAction]:
        # Row numbers are always far below this one.
        where = {"item": item, "before": before or 1 << 62, "most": most, "shares": shares}
        return self._database.all(ACTION, ACTIONS_OF, **where)
