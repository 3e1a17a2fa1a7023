"""Items found by their words in one statement, whatever they are, among those that a caller may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from storage.database.bulk import spread
from storage.database.database import Database
from storage.tree.effective_grants import with_reaches
from storage.tree.item_rows import all_found, principal
from storage.tree.search_index import SUMMARY
from vfs.ports.items import Item, ItemName
from vfs.ports.search import Hits, NamingLeaf, PageKey, Question, SearchOrder, Whose

# Three ways lead to what is found, and the shortest is taken. Few that the caller may see: each is looked at.
# Few that have all words: each of them is. Many of both: items are walked along in their order until a
# page is full, which is soon. Counting ends at so many, as many as are walked along in the same time.
GATHERED = 2_000
NAMED_GATHERED = 20_000
"""The same where names in texts are asked for: these are not in any order that is walked along."""

TO_PUBLIC = """
s.target = 'public' AND EXISTS (SELECT 1 FROM account a WHERE a.name = i.owner AND a.public)"""
TO_CALLER = """
(s.target = :mine OR s.target IN (SELECT c.group_ref FROM member c WHERE c.name = :me AND NOT c.pending)
    AND EXISTS (SELECT 1 FROM member o
        WHERE o.group_ref = s.target AND o.name = i.owner AND NOT o.pending))"""


def _reach_test(by: str, letters: str = "") -> str:
    return f"(SELECT 1 FROM share s WHERE s.item = i.id AND ({by}){letters} LIMIT 1) = 1"


# Tests are scalars, which PostgreSQL asks of one item after the other: joins would look at all of a word.
TO_ANY = f"{TO_CALLER} OR {TO_PUBLIC}"
IS_OPEN: Mapping[Whose, str] = {
    Whose.ALL: f"(i.owner = :me OR {_reach_test(TO_ANY)})",
    Whose.MINE: "i.owner = :me",
    Whose.SHARED: f"i.owner <> :me AND {_reach_test(TO_CALLER)}",
    Whose.PUBLIC: _reach_test(TO_PUBLIC),
}
IS_READABLE = f"""
(i.owner = :me OR {_reach_test(TO_ANY, " AND s.letters <> replace(s.letters, 'r', '')")})
    AND i.kind IN (:readable)"""
HAS_WORD = """
(SELECT 1 FROM search_word w WHERE w.item = {item} AND w.word >= :from{n} AND w.word < :upto{n}{field}
    LIMIT 1) = 1"""
OPENLY = f" AND w.field <> '{SUMMARY}'"
HAS_TAG = "EXISTS (SELECT 1 FROM leaf t WHERE t.item = i.id AND t.rel = :tag)"

# CROSS JOIN keeps SQLite's planner to the order that is written.
OWN = "SELECT i.id AS item FROM item i WHERE i.owner = :me AND i.kind IN (:kinds)"
DIRECT = "SELECT s.item FROM share s WHERE s.target = :mine AND s.kind IN (:kinds)"
PUBLIC = """
SELECT s.item FROM share s CROSS JOIN account a
WHERE s.target = 'public' AND s.kind IN (:kinds) AND a.name = s.owner AND a.public"""
GROUPS = """
SELECT s.item FROM member m CROSS JOIN share s CROSS JOIN member o
WHERE m.name = :me AND NOT m.pending AND s.target = m.group_ref AND s.kind IN (:kinds)
    AND o.group_ref = s.target AND o.name = s.owner AND NOT o.pending"""
SOURCES: Mapping[Whose, tuple[str, ...]] = {
    Whose.ALL: (OWN, DIRECT, PUBLIC, GROUPS),
    Whose.MINE: (OWN,),
    Whose.SHARED: (DIRECT, GROUPS),
    Whose.PUBLIC: (PUBLIC,),
}
# Each name is looked up by itself, along its index.
IS_NAMED = "n.letter = :letter{n} AND n.owner = :of{n} AND n.name = :named{n}"
WITH_NAME = f"SELECT n.item FROM item_reference n WHERE {IS_NAMED}"
HAS_NAME = f"(SELECT 1 FROM item_reference n WHERE {IS_NAMED} AND n.item = i.id LIMIT 1) = 1"
WITH_WORD = "SELECT f.item FROM search_word f WHERE f.word >= :from0 AND f.word < :upto0"
# PostgreSQL takes words for spread evenly, and would read the whole table to its first ones.
ALONG_WORDS = "ORDER BY f.word"
# Written out where the index has it, so that the planners see that it serves.
WITH_TAG = "SELECT t.item FROM leaf t WHERE t.rel = :tag AND t.rel >= 'tags/' AND t.rel < 'tags0'"


class _Sorting(NamedTuple):
    """An order as SQL: the column that comes before the number (none: only the number), and its direction."""

    column: str
    way: str
    past: str

    @property
    def by(self) -> str:
        """The columns to order by."""
        columns = (self.column, "i.id") if self.column else ("i.id",)
        return ", ".join(f"{column} {self.way}" for column in columns)


SORTINGS: Mapping[SearchOrder, _Sorting] = {
    SearchOrder.CHANGED: _Sorting("i.last_modified", "DESC", "(i.last_modified, i.id) < (:past, :past_item)"),
    SearchOrder.CREATED: _Sorting("", "DESC", "i.id < :past_item"),
    SearchOrder.NAME: _Sorting("i.label", "ASC", "(i.label, i.id) > (:past, :past_item)"),
}
# Where there is nothing to walk along, SQLite is told by the limit, PostgreSQL by the condition. An
# expression is no key for SQLite, so that it walks in the order that is asked for.
IF_MANY = {
    "sqlite": ("", "(SELECT CASE WHEN {many} THEN :page ELSE 0 END)"),
    "postgresql": ("{many} AND ", ":page"),
}
NAMING = """
SELECT i.kind, i.name, n.rel FROM item_reference n JOIN item i ON i.id = n.item
WHERE n.letter = :letter AND n.owner = :of AND n.name = :name AND i.owner = :owner
ORDER BY i.kind, i.name, n.rel LIMIT :most"""
# A plan of PostgreSQL for all questions cannot know how rare a word is, and takes seconds for a common one.
EACH_TIME: Mapping[str, str] = {"sqlite": "", "postgresql": "/* planned for each question */"}
LABEL = "SELECT label FROM item WHERE id = :item"


class StoredSearch:
    """vfs.ports.search.Search over a database."""

    def __init__(self, database: Database, gathered: int = GATHERED, named: int = NAMED_GATHERED) -> None:
        self._database = database
        self._named = named
        self._gathered = gathered

    def find(self, question: Question) -> Hits:
        """The items that a question asks for, of those that the caller may see; one statement."""
        if not question.kinds or question.words == ():
            return Hits((), None)
        sql, params = spread(
            EACH_TIME[self._database.dialect] + statement(question, self._database.dialect),
            kinds=question.kinds,
            readable=question.readable or ("",),
        )
        gathered = self._named if question.naming else self._gathered
        rows = self._database.rows(sql, **params, **_values(question), gathered=gathered)
        labels = {row[0]: row[-1] for row in rows}
        found = all_found(rows)
        if len(found) <= question.most:
            return Hits(found, None)
        found.pop()
        last = found[-1].item
        return Hits(found, PageKey(_place(question.order, last, labels[last.id]), last.id))

    def count(self, question: Question) -> Mapping[str, int] | None:
        """Count what a question asks for by kinds, wherever its page begins; None for very many."""
        if not question.kinds or question.words == ():
            return {}
        whole = replace(question, after=None)
        sql, params = spread(
            EACH_TIME[self._database.dialect] + counting(whole),
            kinds=question.kinds,
            readable=question.readable or ("",),
        )
        values = _values(whole)
        del values["page"]
        told: dict[str, int] = dict(self._database.rows(sql, **params, **values, gathered=self._gathered))
        return None if "" in told else told

    def naming_leaves(self, owner: str, named: ItemName, most: int) -> Sequence[NamingLeaf]:
        """The leaves of a user's own items that name an item so, in order, at most so many; one statement."""
        of = {"letter": named.letter, "of": named.owner, "name": named.name}
        return [NamingLeaf(*row) for row in self._database.rows(NAMING, **of, owner=owner, most=most)]


def _place(order: SearchOrder, item: Item, label: str) -> str:
    return {SearchOrder.CHANGED: item.last_modified, SearchOrder.NAME: label}.get(order, "")


def _values(question: Question) -> dict[str, object]:
    values: dict[str, object] = {**principal(question.caller), "page": question.most + 1}
    for number, word in enumerate(question.words or ()):
        values |= {f"from{number}": word, f"upto{number}": f"{word}\U0010ffff"}
    for number, name in enumerate(question.naming):
        values |= {f"letter{number}": name.letter, f"of{number}": name.owner, f"named{number}": name.name}
    if question.after is not None:
        values |= {"past": question.after.value, "past_item": question.after.item}
    return values | {name: text for name, text in (("owner", question.owner), ("tag", question.tag)) if text}


def statement(question: Question, dialect: str) -> str:
    """The statement for questions of the form of this one; lists are still to be spread."""
    sorting = SORTINGS[question.order]
    tests = " AND ".join(_tests(question, sorting))
    ctes, many = _gather(question)
    walking = (
        tests if dialect != "sqlite" else tests.replace("i.owner", "+i.owner").replace("i.kind", "+i.kind")
    )
    condition, limit = (part.format(many=many) for part in IF_MANY[dialect])
    return f"""
WITH {ctes},
page AS (
    SELECT * FROM (SELECT i.* FROM few CROSS JOIN item i WHERE i.id = few.item AND {tests}
        ORDER BY {sorting.by} LIMIT :page) gathered
    UNION ALL
    SELECT * FROM (SELECT i.* FROM item i WHERE {condition}{walking}
        ORDER BY {sorting.by} LIMIT {limit}) walked)
{with_reaches("SELECT * FROM page").replace(", m.role", ", m.role, i.label", 1)}
ORDER BY {sorting.by}, i.id, s.target"""


def counting(question: Question) -> str:
    """The statement that counts kinds among the few; a kind "" says that there are no few."""
    ctes, many = _gather(question)
    tests = " AND ".join(_tests(question, SORTINGS[question.order]))
    return f"""
WITH {ctes}
SELECT i.kind, count(*) FROM few CROSS JOIN item i WHERE i.id = few.item AND {tests} GROUP BY i.kind
UNION ALL SELECT '', 0 WHERE {many}"""


def _gather(question: Question) -> tuple[str, str]:
    """The sources of a statement and the few that it looks at, and the condition that all have many."""
    sources = _sources(question)
    counted = ",\n".join(f"c{n} AS ({source} LIMIT :gathered)" for n, source in enumerate(sources))
    many = " AND ".join(f"(SELECT count(*) FROM c{n}) >= :gathered" for n in range(len(sources)))
    return f"{counted},\nfew AS ({' UNION '.join(_few(len(sources)))})", many


def _tests(question: Question, sorting: _Sorting) -> list[str]:
    tests = ["i.kind IN (:kinds)"]
    if question.owner:
        tests.append("i.owner = :owner")
    if question.after is not None:
        tests.append(sorting.past)
    if question.tag:
        tests.append(HAS_TAG)
    if question.naming:
        named = (HAS_NAME.format(n=number) for number in range(len(question.naming)))
        tests += [f"({' OR '.join(named)})", IS_READABLE]
    numbers = range(len(question.words or ()))
    tests += [_has_word(number) for number in numbers]
    tests.append(IS_OPEN[question.whose])
    if numbers:
        tests.append(
            f"({IS_READABLE} OR {' AND '.join(_has_word(number, field=OPENLY) for number in numbers)})"
        )
    return tests


def _has_word(number: int, item: str = "i.id", field: str = "") -> str:
    return HAS_WORD.format(n=number, item=item, field=field)


def _sources(question: Question) -> list[str]:
    """The places to gather items from, each with more than is found."""
    sources = []
    if question.naming:
        named = (WITH_NAME.format(n=number) for number in range(len(question.naming)))
        sources.append(" UNION ALL ".join(named))
    if question.tag:
        sources.append(WITH_TAG)
    own = " AND {}.owner = :owner" if question.owner else ""
    sources.append(
        " UNION ALL ".join(
            source + own.format("i" if source is OWN else "s") for source in SOURCES[question.whose]
        )
    )
    if question.words:
        further = (_has_word(number, "f.item") for number in range(1, len(question.words)))
        sources.append(f"{' AND '.join((WITH_WORD, *further))} {ALONG_WORDS}")
    return sources


def _few(count: int) -> list[str]:
    """The first source that has few, after those that have many."""
    return [
        f"SELECT DISTINCT item FROM c{n} WHERE "
        + "".join(f"(SELECT count(*) FROM c{before}) >= :gathered AND " for before in range(n))
        + f"(SELECT count(*) FROM c{n}) < :gathered"
        for n in range(count)
    ]
