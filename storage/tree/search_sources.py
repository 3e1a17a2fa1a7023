"""Sources of items for searches: each contains all results (and more), and is read along an index."""

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
"""Targets of the shares by which items of other users are visible."""
# Whether a share is effective is tested later, on the results. Each target is looked up in the index: CROSS
# JOIN makes SQLite keep that order, and the limit makes PostgreSQL do so, which would read all shares
# otherwise.
SHARED = {
    "sqlite": """
SELECT {item} FROM ({targets}) t CROSS JOIN share s WHERE s.target = t.target AND s.kind IN (:kinds){more}""",
    "postgresql": """
SELECT s.item FROM ({targets}) t CROSS JOIN LATERAL (
    SELECT {item} AS item FROM share s
    WHERE s.target = t.target AND s.kind IN (:kinds){more} LIMIT :gathered) s""",
}
# Each name is looked up separately, along its index.
SINGLE = "SELECT i.id AS item FROM item i WHERE i.id IN (:single_seen)"
WITH_NAME = f"SELECT n.item FROM item_reference n WHERE {IS_NAMED}"
# PostgreSQL assumes that words are evenly distributed. Without ORDER BY it would read the whole table up to
# the first matches.
WITH_WORD = """
SELECT f.item FROM (SELECT w.item FROM search_word w
    WHERE w.word >= :from{n} AND w.word < :upto{n} ORDER BY w.word) f"""
# The condition of the partial index is repeated, so that the planners use the index.
WITH_TAG = "SELECT t.item FROM leaf t WHERE t.rel = :tag AND t.rel >= 'tags/' AND t.rel < 'tags0'"


def sources(question: Question, dialect: str, *, counted: bool = False) -> Sequence[str]:
    """Return the sources, those that are quickest to count first. Each contains all results.

    If they are only `counted`, the indexes alone are read.
    """
    found = []
    if question.naming:
        named = (WITH_NAME.format(n=number) for number in range(len(question.naming)))
        found.append(" UNION ALL ".join(named))
    if question.single is not None and set(question.kinds) <= set(question.single.kinds):
        found.append(SINGLE)
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
    """Return the statement for the number of a source with less than `:gathered` rows; -1 if there is none.

    It stops at the first such source, and counts no further than `:gathered`.
    """
    counts = (
        f"WHEN (SELECT count(*) FROM ({source} LIMIT :gathered) c{number}) < :gathered THEN {number}"
        for number, source in enumerate(sources(question, dialect, counted=True))
    )
    return f"SELECT CASE {' '.join(counts)} ELSE -1 END"
