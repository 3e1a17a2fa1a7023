"""Search for items of all kinds by words, among those that a caller may see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from storage.database.bulk import spread
from storage.database.database import Database
from storage.tree.item_rows import AT_IDS, all_found, principal
from storage.tree.leaves import below
from storage.tree.search_sources import further_conditions, plain_conditions, shortest, sources
from vfs.ports.items import Found, ItemName
from vfs.ports.search import Hits, KindOfOwner, NamedItem, NamingLeaf, PageKey, Question, SearchOrder
from vfs.ports.social import CATEGORY

# If some source has few items, these are checked. If all have many, items are read in the requested order
# until a page is full: a row takes less time than a look-up of an item, but all rows may be read.
GATHERED = 2_000
NAMED_GATHERED = 20_000
"""The same limit for searches by names in texts, which no index has in the requested order."""


class _Sorting(NamedTuple):
    """An order in SQL: the column before the number (none: only the number), and its direction.

    `past`: the condition to come after a position. `along`: tells SQLite which index has the order.
    """

    column: str
    way: str
    past: str
    along: str

    @property
    def by(self) -> str:
        """The columns to order by."""
        columns = (self.column, "i.id") if self.column else ("i.id",)
        return ", ".join(f"{column} {self.way}" for column in columns)

    @property
    def place(self) -> str:
        """The column that a page key contains besides the number."""
        return self.column or "''"


SORTINGS: Mapping[SearchOrder, _Sorting] = {
    SearchOrder.CHANGED: _Sorting(
        "i.last_modified", "DESC", "(i.last_modified, i.id) < (:past, :past_item)", "INDEXED BY item_changed"
    ),
    SearchOrder.CREATED: _Sorting("", "DESC", "i.id < :past_item", "NOT INDEXED"),
    SearchOrder.NAME: _Sorting(
        "i.label", "ASC", "(i.label, i.id) > (:past, :past_item)", "INDEXED BY item_label"
    ),
}
# CROSS JOIN makes SQLite keep the written order.
FEW = "(SELECT DISTINCT item FROM ({source}) s) few CROSS JOIN item i WHERE i.id = few.item"
AMONG = """
SELECT i.id, {place} FROM {few} AND {conditions} ORDER BY {by} LIMIT :page"""
# PostgreSQL cannot estimate how many rows pass the outer conditions. OFFSET keeps it from moving them inside,
# so that it reads along the index. The inner order is the order of the result; an outer ORDER BY would sort
# again.
WALK = {
    "sqlite": """
SELECT i.id, {place} FROM item i {along} WHERE {plain} AND {further} ORDER BY {by} LIMIT :page""",
    "postgresql": """
SELECT i.id, {place} FROM (
    SELECT i.* FROM item i WHERE {plain} ORDER BY {by} OFFSET 0) i
WHERE {further} LIMIT :page""",
}
COUNT = """
SELECT i.kind, i.owner, count(*) FROM {few} AND {conditions} GROUP BY i.kind, i.owner"""
# Starts at the items, however few have tags; their tags are a range of the key of leaves.
COUNT_TAGS = """
SELECT t.rel, count(*) AS carriers FROM (SELECT i.id FROM {few} AND {conditions}) found CROSS JOIN leaf t
WHERE t.item = found.id AND (t.rel >= :own AND t.rel < :own_end OR t.rel >= :all AND t.rel < :all_end)
GROUP BY t.rel ORDER BY carriers DESC, t.rel LIMIT :page"""
NAMING = """
SELECT i.kind, i.name, n.rel FROM item_reference n JOIN item i ON i.id = n.item
WHERE n.letter = :letter AND n.owner = :of AND n.name = :name AND i.owner = :owner
ORDER BY i.kind, i.name, n.rel LIMIT :most"""
COUNT_NAMING = """
SELECT n.owner, n.name, count(DISTINCT n.item) FROM item_reference n JOIN item i ON i.id = n.item
WHERE n.letter = :letter AND n.owner IN (:owners) AND n.name IN (:names) AND i.owner = :owner
GROUP BY n.owner, n.name"""
# A shared plan of PostgreSQL cannot know how rare a word is, and takes seconds for a common one.
EACH_TIME: Mapping[str, str] = {"sqlite": "", "postgresql": "/* planned for each question */"}


class StoredSearch:
    """vfs.ports.search.Search over a database."""

    def __init__(self, database: Database, gathered: int = GATHERED, named: int = NAMED_GATHERED) -> None:
        self._database = database
        self._named = named
        self._gathered = gathered

    def find(self, question: Question) -> Hits:
        """Return the items that a search finds, among those that the caller may see; three statements."""
        if not question.kinds or question.words == ():
            return Hits((), None)
        rows = self._rows(question, page(question, self._source(question), self._database.dialect))
        shown = rows[: question.most]
        found = self._items([item for item, _ in shown], question.caller)
        last = shown[-1] if len(rows) > question.most else None
        return Hits(found, PageKey(last[1], last[0]) if last else None)

    def _items(self, ids: Sequence[int], caller: str | None) -> Sequence[Found]:
        """Return items in the order of `ids`, if they still exist and are open to the caller."""
        if not ids:
            return ()
        sql, params = spread(AT_IDS, ids=ids)
        rows = self._database.rows(sql, **params, **principal(caller))
        found = {
            one.item.id: one for one in all_found(rows) if one.effective_grants or one.item.owner == caller
        }
        return [found[item] for item in ids if item in found]

    def count(self, question: Question) -> Mapping[KindOfOwner, int] | None:
        found = self._count_by(question, COUNT)
        return None if found is None else {KindOfOwner(*one): number for *one, number in found}

    def count_tags(self, question: Question, most: int) -> Mapping[str, int] | None:
        (own, own_end), (all, all_end) = (
            below(f"tags/{whose}") for whose in (f"@{question.caller}", CATEGORY)
        )
        ends = {"own": own, "own_end": own_end, "all": all, "all_end": all_end}
        found = self._count_by(replace(question, most=most), COUNT_TAGS, **ends)
        return None if found is None else dict(found[:most])

    def _count_by(self, question: Question, counting: str, **more: str) -> list[tuple[Any, ...]] | None:
        """Return the rows of a statement that counts all results; None if there are too many."""
        if not question.kinds or question.words == ():
            return []
        whole, dialect = replace(question, after=None), self._database.dialect
        source = self._source(whole)
        if source is None:
            return None
        conditions = " AND ".join(plain_conditions(whole, dialect) + further_conditions(whole))
        return self._rows(
            whole, counting.format(few=FEW.format(source=source), conditions=conditions), **more
        )

    def naming_leaves(self, owner: str, named: ItemName, most: int) -> Sequence[NamingLeaf]:
        of = {"letter": named.letter, "of": named.owner, "name": named.name}
        return [NamingLeaf(*row) for row in self._database.rows(NAMING, **of, owner=owner, most=most)]

    def count_naming(self, owner: str, letter: str, named: Collection[NamedItem]) -> Mapping[NamedItem, int]:
        if not named:
            return {}
        owners, names = (sorted(set(column)) for column in zip(*named, strict=True))
        sql, params = spread(COUNT_NAMING, owners=owners, names=names)
        rows = self._database.rows(sql, **params, letter=letter, owner=owner)
        return {one: number for *about, number in rows if (one := NamedItem(*about)) in named}

    def _source(self, question: Question) -> str | None:
        """Return a source with few items, or None if all have many."""
        dialect = self._database.dialect
        ((number,),) = self._rows(question, shortest(question, dialect))
        return None if number < 0 else sources(question, dialect)[number]

    def _rows(self, question: Question, sql: str, **more: str) -> list[tuple[Any, ...]]:
        kinds, seen, legible = question.single or ((), (), ())
        wide, params = spread(
            EACH_TIME[self._database.dialect] + sql,
            kinds=question.kinds,
            readable=question.readable or ("",),
            single_kinds=kinds or ("",),
            single_seen=seen or (0,),
            single_readable=legible or (0,),
        )
        gathered = self._named if question.naming else self._gathered
        values = {**params, **_values(question), **more, "gathered": gathered}
        return self._database.rows(wide, **values)


def _values(question: Question) -> dict[str, object]:
    values: dict[str, object] = {**principal(question.caller), "page": question.most + 1}
    for number, word in enumerate(question.words or ()):
        values |= {f"from{number}": word, f"upto{number}": f"{word}\U0010ffff", f"begin{number}": f" {word}"}
    for number, name in enumerate(question.naming):
        values |= {f"letter{number}": name.letter, f"of{number}": name.owner, f"named{number}": name.name}
    if question.after is not None:
        values |= {"past": question.after.value, "past_item": question.after.item}
    return values | {name: text for name, text in (("owner", question.owner), ("tag", question.tag)) if text}


def page(question: Question, source: str | None, dialect: str) -> str:
    """Return the statement for a page of results: from a source, or (None) along the order.

    Its list parameters are not expanded yet.
    """
    sorting = SORTINGS[question.order]
    plain, further = plain_conditions(question, dialect), further_conditions(question)
    if question.after is not None:
        plain.append(sorting.past)
    if source is None:
        return WALK[dialect].format(
            place=sorting.place, along=sorting.along, plain=" AND ".join(plain),
            further=" AND ".join(further), by=sorting.by,
        )  # fmt: skip
    conditions = " AND ".join(plain + further)
    return AMONG.format(
        place=sorting.place, few=FEW.format(source=source), conditions=conditions, by=sorting.by
    )
