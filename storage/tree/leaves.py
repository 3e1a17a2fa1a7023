"""The table of leaves, whose key is item and full path.

A folder is a range of paths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

import peewee

from chains.language.named_items import Names
from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.tree.quotas import OCTETS, ROW, StoredQuotas, fits, marker_of, over_storage
from storage.tree.search_index import FIELDS, ReferenceRows, SearchIndex
from storage.tree.versions import StoredVersions
from vfs.errors import Conflict, Invalid, NotFound
from vfs.ports.blobs import Ref
from vfs.ports.clock import Clock, stamp
from vfs.ports.leaves import Kept, Leaf, Mark, Signature, digest_of
from vfs.ports.quotas import QuotaName


def _leaf(
    rel: str, text: str | None, digest: str | None, size: int, media: str, created_on: str, modified: str,
    author: str | None,
) -> Leaf:  # fmt: skip
    blob = Ref(digest, size, media) if digest is not None else None
    return Leaf(rel, text, blob, created_on, modified, author)


LEAF = TableColumns(_leaf, "rel text digest size media created_on last_modified author")
MARK = TableColumns(Mark, "rel created_on last_modified")
TREE = "item = :item AND (rel = :rel OR (rel >= :first AND rel < :last))"
INSIDE = "item = :item AND rel >= :first AND rel < :last"

AUTOSAVES = timedelta(minutes=10)
"""Autosaves of one author within this time are one version."""

GET = f"SELECT {LEAF} FROM leaf WHERE item = :item AND rel = :rel"
INTO = """
INSERT INTO leaf (
    item, rel, revision, created_on, last_modified, author, digest, size, media, text, text_digest, kept,
    since)
"""
CELLS = ":item, :rel, 1, :now, :now, :author, :digest, :size, :media, :text, :text_digest, :kept, :now"
SAME = "coalesce(leaf.digest, leaf.text_digest) = coalesce(excluded.digest, excluded.text_digest)"
# An autosave begins no version of its own soon after the one that it replaces. One with the content that is
# there is no reason to lose it: this was saved on purpose, or by another author.
OVER = f"""
ON CONFLICT (item, rel) DO UPDATE SET revision = leaf.revision + 1, last_modified = excluded.last_modified,
    author = excluded.author, digest = excluded.digest, size = excluded.size, media = excluded.media,
    text = excluded.text, text_digest = excluded.text_digest,
    kept = CASE WHEN excluded.kept = {Kept.AUTOSAVE} AND {SAME}
        AND (leaf.kept = {Kept.YES} OR leaf.author <> excluded.author) THEN {Kept.YES} ELSE excluded.kept END,
    since = CASE WHEN {SAME} OR leaf.kept = {Kept.AUTOSAVE} AND leaf.author = excluded.author
        AND leaf.since > :lately THEN coalesce(leaf.since, leaf.last_modified) ELSE excluded.since END
RETURNING revision"""
PUT = f"{INTO} VALUES ({CELLS}) {OVER}"
# The bytes of the present content, if it is replaced and does not become a version.
PRESENT = {
    dialect: f"""(
    SELECT coalesce(size, 0) + coalesce({octets}, 0) FROM leaf WHERE item = :item AND rel = :rel
        AND (kept = 0 OR coalesce(digest, text_digest) = :content))"""
    for dialect, octets in OCTETS.items()
}
# A single statement, as each costs a round trip to the server. A write that adds no bytes skips the quota.
PUT_WITHIN = {
    dialect: f"""
{INTO} SELECT {CELLS} WHERE :bytes <= coalesce({present}, -1)
    OR {fits(f":bytes - coalesce({present}, {-ROW})")} {OVER}"""
    for dialect, present in PRESENT.items()
}
# A text that a run wrote has several authors, separated by blanks.
FORMER = "SELECT text, author FROM leaf WHERE item = :item AND rel = :rel AND author LIKE '% %'"
# An emptied leaf is removed: the trigger has kept its content, with the time.
EMPTY = f"""
UPDATE leaf SET digest = NULL, size = NULL, text = NULL, text_digest = NULL, last_modified = :now, since = ''
WHERE {TREE} AND kept > 0"""
CLEAR = f"DELETE FROM leaf WHERE {TREE}"
UNDER = f"SELECT {MARK} FROM leaf WHERE {INSIDE} ORDER BY rel"
TEXTS = f"SELECT {LEAF} FROM leaf WHERE {INSIDE} ORDER BY rel"
TEXTS_BELOW = f"""
SELECT item, {LEAF} FROM leaf WHERE item IN (:items) AND rel >= :first AND rel < :last ORDER BY item, rel"""
SHORT_TEXTS = TEXTS.replace("text", "CASE WHEN substr(text, :beyond, 1) = '' THEN text END", 1)
MOVE = f"UPDATE leaf SET rel = :new || substr(rel, :cut) WHERE {TREE}"

GATHER = "SELECT item, rel, text FROM leaf WHERE text IS NOT NULL AND item IN (:items) AND rel IN (:rels)"
DIGESTS = """
SELECT item, rel, coalesce(digest, text_digest) FROM leaf
WHERE item IN (:items) AND (rel IN (:rels) OR (rel || '' >= :first AND rel || '' < :last))"""
# The expression `rel || ''` keeps SQLite from using the index for it, which would take longer than reading
# the rows.

SIGNATURE = "SELECT coalesce(digest, text_digest), author FROM leaf WHERE item = :item AND rel = :rel"
CONTENT = ("digest", "size", "media", "text", "text_digest")

COUNTED = {
    "tags": QuotaName.TAGS,
    "notifications": QuotaName.TAGS,
    "vars": QuotaName.VARIABLES,
}
"""Folders whose leaves are counted, by name."""

# Sorts after every path: it is longer than any name, and has the highest character.
LAST = "\U0010ffff" * 256


def below(folder: str) -> tuple[str, str]:
    """Return the range of the paths below a folder, without its end; "" is the whole item."""
    return (f"{folder}/", f"{folder}0") if folder else ("", LAST)  # "0" is the character after "/"


def inside(item: int, folder: str) -> dict[str, object]:
    """Return the parameters of INSIDE."""
    first, last = below(folder)
    return {"item": item, "first": first, "last": last}


def tree(item: int, rel: str) -> dict[str, object]:
    """Return the parameters of TREE."""
    return {"rel": rel, **inside(item, rel)}


class StoredLeaves:
    """Stores the small files of items in the database (vfs.ports.leaves.Leaves)."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        quotas: StoredQuotas | None = None,
        names: Mapping[str, Names] = MappingProxyType({}),
    ) -> None:
        self._database = database
        self._clock = clock
        self._quotas = quotas
        self._put_within = PUT_WITHIN[database.dialect]
        self.versions = StoredVersions(database)
        self._index = SearchIndex(database)
        self._references = ReferenceRows(database, names)

    def get(self, item: int, rel: str) -> Leaf | None:
        return self._database.one(LEAF, GET, item=item, rel=rel)

    def put(
        self, item: int, rel: str, content: str | Ref, author: str | None, *, whole: bool = False,
        kept: Kept = Kept.NEVER,
    ) -> bool:  # fmt: skip
        """Write the whole leaf, even if its content is equal. Return True if it is new.

        Raises NotFound if its item is gone, TooLarge beyond the owner's quota, QuotaReached if there are too
        many of its kind. Writes of the service (without author) are not limited.
        """
        quotas = self._quotas if author is not None else None
        put = partial(self._put, item, rel, content, kept=kept if author is not None else Kept.NEVER)
        words = content if isinstance(content, str) else ""
        if self._references.has(rel):
            with self._database.atomic():
                if author is not None and not whole:
                    author = self._with_former(item, rel, content, author)
                is_new = put(author, quotas)
                self._references.put(item, rel, words)
            return is_new
        if rel in FIELDS:
            with self._database.atomic():
                is_new = put(author, quotas)
                self._index.put(item, rel, words)
            return is_new
        name = COUNTED.get(rel.partition("/")[0])
        if name is None or quotas is None:
            return put(author, quotas)
        marker = marker_of(rel)
        with self._database.atomic():
            is_new = put(author, quotas if marker is None else None)
            if is_new:
                _admit_made(quotas, item, marker, name)
        return is_new

    def _with_former(self, item: int, rel: str, content: str | Ref, author: str) -> str:
        """Return the author of a text, with the previous authors if both texts name a common item."""
        row = self._database.row(FORMER, item=item, rel=rel)
        if row is None or not isinstance(content, str):
            return author
        text, former = row
        kept = self._references.names_in(rel, text or "") & self._references.names_in(rel, content)
        return " ".join(sorted({author, *former.split()})) if kept else author

    def _put(
        self, item: int, rel: str, content: str | Ref, author: str | None, quotas: StoredQuotas | None,
        *, kept: Kept,
    ) -> bool:  # fmt: skip
        now = self._clock.now()
        values = {"item": item, "rel": rel, "author": author, "kept": kept.value, "now": stamp(now)}
        values |= {"lately": stamp(now - AUTOSAVES), **_columns(content)}
        if quotas is None:
            return self._write(PUT, values) == 1
        size = content.size if isinstance(content, Ref) else len(content.encode())
        values |= {"bytes": size, "limit": quotas.storage_limit}
        values["content"] = values["digest"] or values["text_digest"]
        revision = self._write(self._put_within, values)
        if revision is None:
            revision = self._put_into_room(item, values, quotas)
        return revision == 1

    def _put_into_room(self, item: int, values: Mapping[str, Any], quotas: StoredQuotas) -> int:
        """Write where the quota leaves no room: versions of the item make room, the oldest first."""
        payer = quotas.payer_of(item)
        if payer is None:
            raise _absence()
        with self._database.atomic():
            self.versions.end_oldest(item, quotas.excess(item, values["bytes"] + ROW))
            revision = self._write(self._put_within, values)
            if revision is None:
                raise over_storage(payer[0])
        return revision

    def _write(self, sql: str, values: Mapping[str, Any]) -> int | None:
        """Return the revision of the leaf, or None if the quota leaves no room."""
        try:
            revision: int | None = self._database.value(sql, **values)
        except peewee.IntegrityError:
            raise _absence() from None
        return revision

    def clear(self, item: int, rel: str) -> bool:
        where = tree(item, rel)
        with self._database.atomic():
            if rel in FIELDS:
                self._index.put(item, rel, "")
            self._database.run(EMPTY, now=stamp(self._clock.now()), **where)
            return self._database.run(CLEAR, **where) > 0

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        return self._database.all(MARK, UNDER, **inside(item, prefix))

    def texts(self, item: int, prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        where = inside(item, prefix)
        if largest is None:
            return self._database.all(LEAF, TEXTS, **where)
        return self._database.all(LEAF, SHORT_TEXTS, beyond=largest + 1, **where)

    def texts_below(self, items: Sequence[int], prefix: str) -> Mapping[int, Sequence[Leaf]]:
        found: dict[int, list[Leaf]] = {}
        first, last = below(prefix)
        for sql, params in batches(TEXTS_BELOW, items=items):
            for item, *cells in self._database.rows(sql, **params, first=first, last=last):
                found.setdefault(item, []).append(LEAF.read(tuple(cells)))
        return found

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        found: dict[int, dict[str, str]] = {}
        for sql, params in batches(GATHER, items=items, rels=rels):
            for item, rel, text in self._database.rows(sql, **params):
                found.setdefault(item, {})[rel] = text
        return found

    def digests_of(
        self, items: Sequence[int], rels: Sequence[str], folder: str
    ) -> Mapping[int, Mapping[str, str]]:
        found: dict[int, dict[str, str]] = {}
        first, last = below(folder)
        for sql, params in batches(DIGESTS, items=items, rels=rels):
            for item, rel, digest in self._database.rows(sql, **params, first=first, last=last):
                found.setdefault(item, {})[rel] = digest
        return found

    def signature(self, item: int, rel: str) -> Signature | None:
        row = self._database.row(SIGNATURE, item=item, rel=rel)
        return Signature(*row) if row is not None else None

    def move(self, item: int, old: str, new: str) -> None:
        """Move the leaf `old` and all below it to `new`. Raises Conflict if something is there."""
        try:
            with self._database.atomic():
                self._database.run(MOVE, new=new, cut=len(old) + 1, **tree(item, old))
        except peewee.IntegrityError:
            raise Conflict(f"{new} is there already; remove it first or choose another name.") from None


def _admit_made(quotas: StoredQuotas, item: int, marker: str | None, name: QuotaName) -> None:
    """Raise if a new leaf exceeds the quotas of its account: `marker` for its own mark, else the owner."""
    if marker is not None:
        quotas.admit_words(marker, 0)
        quotas.admit_made(marker, name)
    elif payer := quotas.payer_of(item):
        quotas.admit_made(payer[0], name)


def _absence() -> NotFound:
    return NotFound("The resource no longer exists, so nothing was stored.")


def _columns(content: str | Ref) -> dict[str, str | int | None]:
    """Return the columns of a content. Raises Invalid for text that PostgreSQL cannot store."""
    columns: dict[str, str | int | None] = dict.fromkeys(CONTENT)
    if isinstance(content, Ref):
        return {**columns, "digest": content.digest, "size": content.size, "media": content.media}
    if "\0" in content:
        raise Invalid("A text cannot contain the character NUL; send it as a binary file instead.")
    return {**columns, "text": content, "text_digest": digest_of(content)}
