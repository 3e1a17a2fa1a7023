"""Search conditions on an item `i`: that the caller may see it, and that it matches."""

from __future__ import annotations

from collections.abc import Mapping

from storage.tree.search_index import SUMMARY
from vfs.ports.search import Question, Whose

TO_PUBLIC = """
s.target = 'public' AND EXISTS (SELECT 1 FROM account a WHERE a.name = i.owner AND a.public)"""
TO_CALLER = """
(s.target = :mine OR s.target IN (SELECT c.group_ref FROM member c WHERE c.name = :me AND NOT c.pending)
    AND EXISTS (SELECT 1 FROM member o
        WHERE o.group_ref = s.target AND o.name = i.owner AND NOT o.pending))"""


def _reach_test(by: str, letters: str = "") -> str:
    return f"(SELECT TRUE FROM share s WHERE s.item = i.id AND ({by}){letters} LIMIT 1)"


# Tests are scalar subqueries, which PostgreSQL runs item by item; joins would read all rows of a word. For a
# truth value PostgreSQL expects that every other item passes. For a comparison, hardly any: it reads all.
TO_ANY = f"{TO_CALLER} OR {TO_PUBLIC}"
IS_OPEN: Mapping[Whose, str] = {
    Whose.ALL: f"(i.owner = :me OR {_reach_test(TO_ANY)})",
    Whose.MINE: "i.owner = :me",
    Whose.SHARED: f"i.owner <> :me AND {_reach_test(TO_CALLER)}",
    Whose.PUBLIC: _reach_test(TO_PUBLIC),
}
IS_READABLE = f"""
(i.owner = :me OR {_reach_test(TO_ANY, " AND s.letters <> replace(s.letters, 'r', '')")})
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
