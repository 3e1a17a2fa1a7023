"""Places to gather items from in searches: each has more than what is found, and is read along an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.tree.search_conditions import IS_NAMED
from vfs.ports.search import Question, Whose

OWN = "SELECT {item} FROM item i WHERE i.owner = :me AND i.kind IN (:kinds)"
TO_CALLER = "SELECT :mine AS target"
TO_GROUPS = "SELECT m.group_ref AS target FROM member m WHERE m.name = :me AND NOT m.pending"
TO_PUBLIC = "SELECT 'public' AS target"
OPEN: Mapping[Whose, tuple[str, ...]] = {
    Whose.ALL: (TO_CALLER, TO_GROUPS, TO_PUBLIC),
    Whose.MINE: (),
    Whose.SHARED: (TO_CALLER, TO_GROUPS),
    Whose.PUBLIC: (TO_PUBLIC,),
}
"""Targets of the shares by which items of others are open."""
# Whether a share is in force is tested of what is found. Each target is looked up along the index: CROSS JOIN
# keeps SQLite's planner to that order, the limit keeps PostgreSQL's, which would read all shares otherwise.
SHARED = {
    "sqlite": """
SELECT {item} FROM ({targets}) t CROSS JOIN share s WHERE s.target = t.target AND s.kind IN (:kinds){more}""",
    "postgresql": """
SELECT s.item FROM ({targets}) t CROSS JOIN LATERAL (
    SELECT {item} AS item FROM share s
    WHERE s.target = t.target AND s.kind IN (:kinds){more} LIMIT :gathered) s""",
}
# Each name is looked up by itself, along its index.
WITH_NAME = f"SELECT n.item FROM item_reference n WHERE {IS_NAMED}"
# PostgreSQL takes words for spread evenly, and would read the whole table to its first ones without an order.
WITH_WORD = """
SELECT f.item FROM (SELECT w.item FROM search_word w
    WHERE w.word >= :from{n} AND w.word < :upto{n} ORDER BY w.word) f"""
# Written out where the index has it, so that the planners see that it serves.
WITH_TAG = "SELECT t.item FROM leaf t WHERE t.rel = :tag AND t.rel >= 'tags/' AND t.rel < 'tags0'"


def sources(question: Question, dialect: str, *, counted: bool = False) -> Sequence[str]:
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
    return (*found, _open(question, dialect, counted=counted))


def _open(question: Question, dialect: str, *, counted: bool) -> str:
    parts = []
    if question.whose in (Whose.ALL, Whose.MINE):
        own = OWN.format(item="1 AS item" if counted else "i.id AS item")
        parts.append(f"{own} AND i.owner = :owner" if question.owner else own)
    if targets := OPEN[question.whose]:
        more = " AND s.owner = :owner" if question.owner else ""
        item = "1" if counted else "s.item"
        shared = SHARED[dialect].format(targets=" UNION ALL ".join(targets), item=item, more=more)
        parts.append(shared)
    return " UNION ALL ".join(parts)


def shortest(question: Question, dialect: str) -> str:
    """The statement that tells which source has few (less than `:gathered`); -1 where all have many.

    It ends at the first, and counts no further than that.
    """
    counts = (
        f"WHEN (SELECT count(*) FROM ({source} LIMIT :gathered) c{number}) < :gathered THEN {number}"
        for number, source in enumerate(sources(question, dialect, counted=True))
    )
    return f"SELECT CASE {' '.join(counts)} ELSE -1 END"
