"""Leaves as rows, keyed by item and full path; a folder is a range of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import peewee

from storage.database.database import Database
from vfs.errors import Conflict, Invalid, NotFound
from vfs.ports.world import Clock, Leaf, Mark, Ref, stamp

LEAF = "rel, text, digest, size, media, created_on, last_modified, author"

GET = f"SELECT {LEAF} FROM leaf WHERE item = ? AND rel = ?"
PUT = """
INSERT INTO leaf (item, rel, revision, created_on, last_modified, author, digest, size, media, text)
VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (item, rel) DO UPDATE SET revision = leaf.revision + 1, last_modified = excluded.last_modified,
    author = excluded.author, digest = excluded.digest, size = excluded.size, media = excluded.media,
    text = excluded.text
RETURNING revision"""
CLEAR = "DELETE FROM leaf WHERE item = ? AND (rel = ? OR (rel >= ? AND rel < ?))"
UNDER = "SELECT rel, created_on, last_modified FROM leaf WHERE item = ? AND rel >= ? AND rel < ? ORDER BY rel"
TEXTS = f"SELECT {LEAF} FROM leaf WHERE item = ? AND rel >= ? AND rel < ? ORDER BY rel"
MOVE = "UPDATE leaf SET rel = ? || substr(rel, ?) WHERE item = ? AND (rel = ? OR (rel >= ? AND rel < ?))"

GATHERED = "SELECT item, rel, text FROM leaf WHERE text IS NOT NULL AND item IN (%s) AND rel IN (%s)"
AT_ONCE = 500

LAST = "\U0010ffff"


def below(folder: str) -> tuple[str, str]:
    """The range of the paths below a folder, from the first to short of the last; "" is the whole item."""
    return (f"{folder}/", f"{folder}0") if folder else ("", LAST)  # "0" is the character after "/"


class StoredLeaves:
    """Keeps the small files of items in the database (vfs.ports.world.Leaves)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def get(self, item: int, rel: str) -> Leaf | None:
        """The leaf, or None."""
        row = self._database.row(GET, item, rel)
        return leaf_of(row) if row else None

    def put(self, item: int, rel: str, content: str | Ref, author: str | None) -> bool:
        """Write the leaf whole, equal content too; True when it is new. Raises NotFound without its item."""
        now = stamp(self._clock.now())
        try:
            row = self._database.row(PUT, item, rel, now, now, author, *_columns(content))
        except peewee.IntegrityError:
            raise NotFound("The resource is not there any more, so nothing was stored.") from None
        return row is not None and row[0] == 1

    def clear(self, item: int, rel: str) -> bool:
        """Remove the leaf and everything below it; False when there was nothing."""
        return self._database.run(CLEAR, item, rel, *below(rel)) > 0

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        """Every leaf below a folder, by rel, without content."""
        return [Mark(*row) for row in self._database.rows(UNDER, item, *below(prefix))]

    def texts(self, item: int, prefix: str) -> Sequence[Leaf]:
        """Every leaf below a folder, by rel, with its content."""
        return [leaf_of(row) for row in self._database.rows(TEXTS, item, *below(prefix))]

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """The texts of these leaves of many items, by item and rel."""
        found: dict[int, dict[str, str]] = {}
        for start in range(0, len(items), AT_ONCE):
            some = items[start : start + AT_ONCE]
            asked = GATHERED % (", ".join("?" * len(some)), ", ".join("?" * len(rels)))
            for item, rel, text in self._database.rows(asked, *some, *rels):
                found.setdefault(item, {})[rel] = text
        return found

    def move(self, item: int, old: str, new: str) -> None:
        """Give the leaf `old` and all below it the path `new`. Raises Conflict when something is there."""
        try:
            with self._database.atomic():
                self._database.run(MOVE, new, len(old) + 1, item, old, *below(old))
        except peewee.IntegrityError:
            raise Conflict(f"{new} is there already; remove it first or choose another name.") from None


def _columns(content: str | Ref) -> tuple[str | None, int | None, str | None, str | None]:
    """Digest, size, media and text of a content. Raises Invalid for text that PostgreSQL cannot hold."""
    if isinstance(content, Ref):
        return content.digest, content.size, content.media, None
    if "\0" in content:
        raise Invalid("A text cannot contain the character NUL; send it as a binary file instead.")
    return None, None, None, content


def leaf_of(row: tuple[Any, ...]) -> Leaf:
    """The leaf that a row of the columns LEAF holds."""
    rel, text, digest, size, media, created_on, last_modified, author = row
    blob = Ref(digest, size, media) if digest is not None else None
    return Leaf(rel, text, blob, created_on, last_modified, author)
