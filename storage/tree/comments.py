"""The table of comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.store import QuotaStore
from storage.tree.item_rows import LOCK
from storage.tree.quotas import ROW
from vfs.errors import Conflict, NotFound
from vfs.ports.quotas import QuotaName
from vfs.ports.social import TOP, Comment

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
    return NotFound("The comment is not there any more; look at the thread again.")
