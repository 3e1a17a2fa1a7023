"""Statements of searches: conditions on an item `i`, and sources of items, each with all results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.tree.search_index import SUMMARY
from vfs.ports.search import Question, Whose

SHARED_TO_PUBLIC = """
s.target = 'public' AND EXISTS (SELECT 1 FROM account a WHERE a.name = i.owner AND a.public)"""
SHARED_TO_CALLER = """
(s.target = :mine OR s.target IN (SELECT c.group_ref FROM member c WHERE c.name = :me AND NOT c.pending)
    AND EXISTS (SELECT 1 FROM member o
        WHERE o.group_ref = s.target AND o.name = i.owner AND NOT o.pending))"""


def _reach_test(by: str, letters: str = "") -> str:
    return f"(SELECT TRUE FROM share s WHERE s.item = i.id AND ({by}){letters} LIMIT 1)"


# Tests are scalar subqueries, which PostgreSQL runs item by item; joins would read all rows of a word. For a
# truth value PostgreSQL expects that every other item passes. For a comparison, hardly any: it reads all.
SHARED_TO_ANY = f"{SHARED_TO_CALLER} OR {SHARED_TO_PUBLIC}"
IS_OPEN: Mapping[Whose, str] = {
    Whose.ALL: f"(i.owner = :me OR {_reach_test(SHARED_TO_ANY)})",
    Whose.MINE: "i.owner = :me",
    Whose.SHARED: f"i.owner <> :me AND {_reach_test(SHARED_TO_CALLER)}",
    Whose.PUBLIC: _reach_test(SHARED_TO_PUBLIC),
}
IS_READABLE = f"""
(i.owner = :me OR {_reach_test(SHARED_TO_ANY, " AND s.letters <> replace(s.letters, 'r', '')")})
    AND (i.kind IN (:readable) OR i.id IN (:single_readable))"""
IS_SINGLE = "(i.kind NOT IN (:single_kinds) OR i.id IN (:single_seen))"
IN_ROWS = """
(SELECT TRUE FROM search_word w WHERE w.item = i.id AND w.word >= :from{n} AND w.word < :upto{n}{field}
    LIMIT 1)"""
OPENLY = f" AND w.field <> '{SUMMARY}'"
# The words of nearly all items are in the item's row, next to each order. Others are looked up (IN_ROWS).
HAS_WORDS = "CASE WHEN i.sought = '' THEN TRUE {lacks} ELSE TRUE END"
LACKS_WORD = {
    "sqlite": "WHEN instr(i.sought, :begin{n}) = 0 THEN FALSE",
    "postgresql": "WHEN strpos(i.sought, :begin{n}) = 0 THEN FALSE",
}
HAS_TAG = "EXISTS (SELECT 1 FROM leaf t WHERE t.item = i.id AND t.rel = :tag)"
IS_NAMED = "n.letter = :letter{n} AND n.owner = :of{n} AND n.name = :named{n}"
HAS_NAME = f"(SELECT TRUE FROM item_reference n WHERE {IS_NAMED} AND n.item = i.id LIMIT 1)"


def plain_conditions(question: Question, dialect: str) -> list[str]:
    """Return conditions on the row of an item that most rows fail: words, and the owner."""
    numbers = range(len(question.words or ()))
    lacks = " ".join(LACKS_WORD[dialect].format(n=number) for number in numbers)
    asked = ((lacks, HAS_WORDS.format(lacks=lacks)), (question.owner, "i.owner = :owner"))
    return [condition for is_asked, condition in asked if is_asked] or ["TRUE"]


def further_conditions(question: Question) -> list[str]:
    """Return conditions on the kind (most rows pass), and on words, tags, names and permissions."""
    numbers = range(len(question.words or ()))
    conditions = ["i.kind IN (:kinds)"]
    if numbers:
        in_rows = " AND ".join(IN_ROWS.format(n=number, field="") for number in numbers)
        conditions.append(f"(i.sought <> '' OR {in_rows})")
    if question.single is not None:
        conditions.append(IS_SINGLE)
    if question.tag:
        conditions.append(HAS_TAG)
    if question.naming:
        named = (HAS_NAME.format(n=number) for number in range(len(question.naming)))
        conditions += [f"({' OR '.join(named)})", IS_READABLE]
    conditions.append(IS_OPEN[question.whose])
    if numbers:
        openly = " AND ".join(IN_ROWS.format(n=number, field=OPENLY) for number in numbers)
        conditions.append(f"({IS_READABLE} OR {openly})")
    return conditions


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
