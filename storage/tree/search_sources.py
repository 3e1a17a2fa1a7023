"""Places to gather items from in searches: each has more than what is found, and is read along an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.tree.search_conditions import IS_NAMED
from vfs.ports.search import Question, Whose

# CROSS JOIN keeps SQLite's planner to the order that is written. {item} is what is asked of each row.
OWN = "SELECT {item} FROM item i WHERE i.owner = :me AND i.kind IN (:kinds)"
DIRECT = "SELECT {item} FROM share s WHERE s.target = :mine AND s.kind IN (:kinds)"
PUBLIC = """
SELECT {item} FROM share s CROSS JOIN account a
WHERE s.target = 'public' AND s.kind IN (:kinds) AND a.name = s.owner AND a.public"""
GROUPS = """
SELECT {item} FROM member m CROSS JOIN share s CROSS JOIN member o
WHERE m.name = :me AND NOT m.pending AND s.target = m.group_ref AND s.kind IN (:kinds)
    AND o.group_ref = s.target AND o.name = s.owner AND NOT o.pending"""
OPEN: Mapping[Whose, tuple[str, ...]] = {
    Whose.ALL: (OWN, DIRECT, PUBLIC, GROUPS),
    Whose.MINE: (OWN,),
    Whose.SHARED: (DIRECT, GROUPS),
    Whose.PUBLIC: (PUBLIC,),
}
# Each name is looked up by itself, along its index.
WITH_NAME = f"SELECT n.item FROM item_reference n WHERE {IS_NAMED}"
# PostgreSQL takes words for spread evenly, and would read the whole table to its first ones without an order.
WITH_WORD = """
SELECT f.item FROM (SELECT w.item FROM search_word w
    WHERE w.word >= :from{n} AND w.word < :upto{n} ORDER BY w.word) f"""
# Written out where the index has it, so that the planners see that it serves.
WITH_TAG = "SELECT t.item FROM leaf t WHERE t.rel = :tag AND t.rel >= 'tags/' AND t.rel < 'tags0'"


def sources(question: Question, *, counted: bool = False) -> Sequence[str]:
    """The places, those that are soon counted first; each item that is found stands in all of them.

    Where they are to be `counted`, indexes tell enough.
    """
    found = []
    if question.naming:
        named = (WITH_NAME.format(n=number) for number in range(len(question.naming)))
        found.append(" UNION ALL ".join(named))
    if question.tag:
        found.append(WITH_TAG)
    found += [WITH_WORD.format(n=number) for number in range(len(question.words or ()))]
    return (*found, " UNION ALL ".join(_open(question, source, counted) for source in OPEN[question.whose]))


def _open(question: Question, source: str, counted: bool) -> str:
    column, owner = ("i.id AS item", "i.owner") if source is OWN else ("s.item", "s.owner")
    rows = source.format(item="1 AS item" if counted else column)
    return f"{rows} AND {owner} = :owner" if question.owner else rows


def shortest(question: Question) -> str:
    """The statement that tells which source has few (less than `:gathered`); -1 where all have many.

    It ends at the first, and counts no further than that.
    """
    counts = (
        f"WHEN (SELECT count(*) FROM ({source} LIMIT :gathered) c{number}) < :gathered THEN {number}"
        for number, source in enumerate(sources(question, counted=True))
    )
    return f"SELECT CASE {' '.join(counts)} ELSE -1 END"
