"""Items found by their words, whatever they are, among those that a caller may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from storage.database.bulk import spread
from storage.database.database import Database
from storage.tree.effective_grants import AT_IDS
from storage.tree.item_rows import all_found, principal
from storage.tree.search_conditions import further_conditions, plain_conditions
from storage.tree.search_sources import shortest, sources
from vfs.ports.items import Found, ItemName
from vfs.ports.search import Hits, NamingLeaf, PageKey, Question, SearchOrder

# Where some source has few, these are looked at. Where all have many, items are walked along in their order
# until a page is full: that passes a row in less time than it takes to look an item up, but may pass all.
GATHERED = 2_000
NAMED_GATHERED = 20_000
"""The same where names in texts are asked for: these are not in any order that is walked along."""


class _Sorting(NamedTuple):
    """An order as SQL: the column that comes before the number (none: only the number), and its direction.

    `past`: the condition to come after a place. `along`: how SQLite is told the index that has the order.
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
        """The column that a page key holds beside the number."""
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
# CROSS JOIN keeps SQLite's planner to the order that is written.
FEW = "(SELECT DISTINCT item FROM ({source}) s) few CROSS JOIN item i WHERE i.id = few.item"
AMONG = """
SELECT i.id, {place} FROM {few} AND {conditions} ORDER BY {by} LIMIT :page"""
# PostgreSQL cannot tell how many rows pass the conditions outside. The offset keeps these there, so that it
# walks along the index; the order inside is the order of what comes out, and it must not be asked for again.
WALK = {
    "sqlite": """
SELECT i.id, {place} FROM item i {along} WHERE {plain} AND {further} ORDER BY {by} LIMIT :page""",
    "postgresql": """
SELECT i.id, {place} FROM (
    SELECT i.* FROM item i WHERE {plain} ORDER BY {by} OFFSET 0) i
WHERE {further} LIMIT :page""",
}
NAMING = """
SELECT i.kind, i.name, n.rel FROM item_reference n JOIN item i ON i.id = n.item
WHERE n.letter = :letter AND n.owner = :of AND n.name = :name AND i.owner = :owner
ORDER BY i.kind, i.name, n.rel LIMIT :most"""
# A plan of PostgreSQL for all questions cannot know how rare a word is, and takes seconds for a common one.
EACH_TIME: Mapping[str, str] = {"sqlite": "", "postgresql": "/* planned for each question */"}


class StoredSearch:
    """vfs.ports.search.Search over a database."""

    def __init__(self, database: Database, gathered: int = GATHERED, named: int = NAMED_GATHERED) -> None:
        self._database = database
        self._named = named
        self._gathered = gathered

    def find(self, question: Question) -> Hits:
        """The items that a question asks for, of those that the caller may see; three statements."""
        if not question.kinds or question.words == ():
            return Hits((), None)
        rows = self._rows(question, page(question, self._source(question), self._database.dialect))
        shown = rows[: question.most]
        found = self._items([item for item, _ in shown], question.caller)
        last = shown[-1] if len(rows) > question.most else None
        return Hits(found, PageKey(last[1], last[0]) if last else None)

    def _items(self, ids: Sequence[int], caller: str | None) -> Sequence[Found]:
        """Items in this order, as far as they are still there, and open to the caller."""
        if not ids:
            return ()
        sql, params = spread(AT_IDS, ids=ids)
        rows = self._database.rows(sql, **params, **principal(caller))
        found = {one.item.id: one for one in all_found(rows) if one.reaches or one.item.owner == caller}
        return [found[item] for item in ids if item in found]

    def count(self, question: Question) -> Mapping[str, int] | None:
        """Count what a question asks for by kinds, wherever its page begins; None for very many."""
        if not question.kinds or question.words == ():
            return {}
        whole = replace(question, after=None)
        source = self._source(whole)
        return (
            None
            if source is None
            else dict(self._rows(whole, counting(whole, source, self._database.dialect)))
        )

    def naming_leaves(self, owner: str, named: ItemName, most: int) -> Sequence[NamingLeaf]:
        """The leaves of a user's own items that name an item so, in order, at most so many; one statement."""
        of = {"letter": named.letter, "of": named.owner, "name": named.name}
        return [NamingLeaf(*row) for row in self._database.rows(NAMING, **of, owner=owner, most=most)]

    def _source(self, question: Question) -> str | None:
        """The source that has few, or None where all have many."""
        dialect = self._database.dialect
        ((number,),) = self._rows(question, shortest(question, dialect))
        return None if number < 0 else sources(question, dialect)[number]

    def _rows(self, question: Question, sql: str) -> list[tuple[Any, ...]]:
        wide, params = spread(
            EACH_TIME[self._database.dialect] + sql,
            kinds=question.kinds,
            readable=question.readable or ("",),
        )
        gathered = self._named if question.naming else self._gathered
        values = {**params, **_values(question), "gathered": gathered}
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
    """The statement for a page of what is found: among a source, or along the order (None).

    Its lists are still to be spread.
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


def counting(question: Question, source: str, dialect: str) -> str:
    """The statement that counts what is found among a source, by kinds."""
    conditions = plain_conditions(question, dialect) + further_conditions(question)
    return f"""
SELECT i.kind, count(*) FROM {FEW.format(source=source)} AND {" AND ".join(conditions)} GROUP BY i.kind"""
