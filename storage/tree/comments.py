"""Comments as rows, those on one parent beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from storage.database.database import Database
from vfs.errors import Conflict, NotFound
from vfs.ports.social import TOP, Comment
from vfs.ports.world import Clock, stamp

COMMENT = """
SELECT c.id, c.item, c.parent, c.topic, c.depth, c.author, c.slug, c.text, c.created_on, c.last_modified,
    c.edited, c.deleted, (SELECT COUNT(*) FROM comment r WHERE r.item = c.item AND r.parent = c.id)
FROM comment c"""
FIND = f"{COMMENT} WHERE c.item = ? AND c.parent = ? AND c.author = ? AND c.slug = ?"
ON = f"{COMMENT} WHERE c.item = ? AND c.parent = ? ORDER BY c.id"
# The item's row is locked first: while an answer is written nobody takes its parent away.
LOCK = "UPDATE item SET name = name WHERE id = ?"
THERE = "SELECT 1 FROM comment WHERE id = ? AND NOT deleted"
ADD = """
INSERT INTO comment (
    item, parent, topic, depth, author, slug, text, created_on, last_modified, edited, deleted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (item, parent, author, slug) DO NOTHING RETURNING id"""
ROOT = "UPDATE comment SET topic = id WHERE id = ?"
WRITE = """
UPDATE comment SET edited = (edited OR text <> ''), text = ?, last_modified = ?
WHERE id = ? AND NOT deleted"""
BLANK = "UPDATE comment SET deleted = ?, text = '', last_modified = ? WHERE id = ?"
# A comment without answers goes; its parent follows when it only stood for it.
PRUNE = """
DELETE FROM comment AS c WHERE c.id = ? AND c.deleted
    AND NOT EXISTS (SELECT 1 FROM comment r WHERE r.item = c.item AND r.parent = c.id)
RETURNING parent"""
SPEAKERS = "SELECT DISTINCT author FROM comment WHERE topic = ? AND NOT deleted ORDER BY author"


class StoredThreads:
    """vfs.ports.social.Threads over a database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def find(self, item: int, parent: int, author: str, slug: str) -> Comment | None:
        """As Threads.find."""
        row = self._database.row(FIND, item, parent, author, slug)
        return _comment(row) if row else None

    def on(self, item: int, parent: int) -> Sequence[Comment]:
        """As Threads.on."""
        return [_comment(row) for row in self._database.rows(ON, item, parent)]

    def add(self, item: int, parent: Comment | None, author: str, slug: str, text: str) -> Comment:
        """As Threads.add."""
        now = stamp(self._clock.now())
        above, topic, depth = (parent.id, parent.topic, parent.depth + 1) if parent else (TOP, TOP, 1)
        with self._database.atomic():
            if not self._database.run(LOCK, item) or (parent and not self._database.row(THERE, above)):
                raise gone()
            row = self._database.row(
                ADD, item, above, topic, depth, author, slug, text, now, now, False, False,
            )  # fmt: skip
            if row is None:
                raise Conflict(f"There is a comment @{author}~{slug} already: POST to its msg to change it.")
            if parent is None:
                topic = row[0]
                self._database.run(ROOT, topic)
        return Comment(row[0], item, above, topic, depth, author, slug, text, now, now)

    def write(self, comment: Comment, text: str) -> None:
        """As Threads.write."""
        if not self._database.run(WRITE, text, stamp(self._clock.now()), comment.id):
            raise gone()

    def remove(self, comment: Comment) -> None:
        """As Threads.remove."""
        with self._database.atomic():
            self._database.run(LOCK, comment.item)
            self._database.run(BLANK, True, stamp(self._clock.now()), comment.id)
            one = comment.id
            while row := self._database.row(PRUNE, one):
                one = row[0]

    def speakers(self, topic: int) -> Sequence[str]:
        """As Threads.speakers."""
        return [name for (name,) in self._database.rows(SPEAKERS, topic)]


def gone() -> NotFound:
    """What is answered or written is not there."""
    return NotFound("The comment is not there any more; look at the thread again.")


def _comment(row: tuple[Any, ...]) -> Comment:
    fields = [*row[:10], bool(row[10]), bool(row[11]), row[12]]
    return Comment(*fields)
