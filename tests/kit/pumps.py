"""Texts that make a regular expression with more than linear work slow, made from the pattern itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from re import _constants as ops
from re import _parser
from typing import Any, NamedTuple

SIGNS = "".join(map(chr, range(1, 127))) + "\x85\xa0\u200b\u200d\u2028éß→٣\U0001f600"
MOST_LETTERS = 9
MOST_PAIRS = 5
MOST_WORDS = 14
MOST_REPEATS = 8
FEW = 32
Atoms = list[tuple[Any, Any]]


class Pump(NamedTuple):
    """A text of any length: a beginning, a word as often as it takes, and an end."""

    before: str
    word: str
    after: str

    def text(self, length: int) -> str:
        """The text with this number of letters or words, or with half as many words where they are many."""
        times = length if len(self.word) == 1 or length <= FEW else length // 2
        return self.before + self.word * times + self.after


class Alphabet(NamedTuple):
    """Letters of a pattern, one for each set of parts that take it, and one that none takes."""

    letters: str
    other: str


def pumps(pattern: re.Pattern[Any]) -> Iterator[Pump]:
    """Texts for a pattern: runs of its letters and words, after each beginning of it, and ends."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    parsed = list(_parser.parse(source, flags))
    known = alphabet(parsed, pattern.flags, is_bytes=isinstance(pattern.pattern, bytes))
    rare = known.letters[-1:]
    pairs = ["".join(pair) for pair in combinations(known.letters[:MOST_PAIRS], 2)]
    found = list(dict.fromkeys(words(parsed, known)))[: 2 * MOST_WORDS]
    inner = [word for _, word in found]
    starts = [start for start, _ in found]
    lines = [f"{word}\n" for word in starts] if pattern.flags & re.MULTILINE else []
    repeated = list(dict.fromkeys(word for word in (*known.letters, *pairs, *inner, *starts, *lines) if word))
    for word in repeated[: MOST_LETTERS + MOST_WORDS * 2]:
        for before in ("", known.other, rare):
            for after in ("", known.other, "\n" + known.other, rare):
                yield Pump(before, word, after)
    for start in list(dict.fromkeys(starts))[:MOST_WORDS]:
        for word in dict.fromkeys(
            (*(one for begin, one in found if begin == start), *known.letters[:MOST_PAIRS])
        ):
            for more in ("", *known.letters[:MOST_PAIRS]):
                yield Pump(start + more, word, known.other)
                yield Pump(start + more, word, "")


def alphabet(parsed: Atoms, flags: int, *, is_bytes: bool) -> Alphabet:
    """The letters of a pattern, those first that most of its parts take."""
    takes = [taken(atom, flags) for atom in atoms(parsed)]
    kinds: dict[tuple[bool, ...], str] = {}
    signs = [sign for sign in SIGNS if not is_bytes or ord(sign) < 256]
    for sign in sorted(signs, key=lambda sign: (sign not in " \t\nax0-.,", not sign.isalnum())):
        kinds.setdefault((*(sign in some for some in takes), sign == "\n"), sign)
    none = (False,) * len(takes)
    other = kinds.pop((*none, False), "\x01")
    kinds.pop((*none, True), None)
    ranked = sorted(kinds, key=lambda kind: (-sum(kind), kind[::-1]))
    return Alphabet("".join(kinds[kind] for kind in ranked[:MOST_LETTERS]), other)


def atoms(parsed: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The parts of a pattern that take one letter each."""
    for op, value in parsed:
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
            yield op, value
        for inner in _inner(op, value):
            yield from atoms(inner)


def taken(atom: tuple[Any, Any], flags: int) -> frozenset[str]:
    """The letters of SIGNS that a part takes."""
    op, value = atom
    members = {
        ops.LITERAL: lambda sign: ord(sign) == value,
        ops.NOT_LITERAL: lambda sign: ord(sign) != value,
        ops.ANY: lambda sign: sign != "\n" or bool(flags & re.DOTALL),
        ops.IN: lambda sign: _is_in(value, sign),
    }[op]
    fold = bool(flags & re.IGNORECASE)
    both = {sign: (sign, sign.swapcase()) if fold and sign.isascii() else (sign,) for sign in SIGNS}
    return frozenset(sign for sign, forms in both.items() if any(map(members, forms)))


CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}


def _is_in(items: Sequence[tuple[Any, Any]], sign: str) -> bool:
    negated, found = False, False
    for op, value in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            found = found or ord(sign) == value
        elif op is ops.RANGE:
            found = found or value[0] <= ord(sign) <= value[1]
        else:
            found = found or bool(re.match(CATEGORIES[value], sign))
    return found is not negated


def words(parsed: Atoms, known: Alphabet) -> Iterator[tuple[str, str]]:
    """What begins a pattern up to each of its repeats, and what is repeated there."""
    yield from _words(parsed, known, "")


def _words(parsed: Iterable[tuple[Any, Any]], known: Alphabet, start: str) -> Iterator[tuple[str, str]]:
    for op, value in parsed:
        if op in REPEATS:
            body = witness(value[2], known)
            if body:
                yield start, body
        for inner in _inner(op, value):
            yield from _words(inner, known, start)
        start += witness([(op, value)], known)
    if start:
        yield "", start


REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)


def witness(parsed: Iterable[tuple[Any, Any]], known: Alphabet) -> str:
    """A short text that a pattern takes, as far as can be said at sight; a repeat is taken once at least."""
    text = ""
    for op, value in parsed:
        if op is ops.LITERAL:
            text += chr(value)
        elif op in (ops.IN, ops.ANY, ops.NOT_LITERAL):
            some = taken((op, value), 0)
            text += next((sign for sign in known.letters if sign in some), "") or next(iter(sorted(some)), "")
        elif op in REPEATS:
            text += witness(value[2], known) * min(max(value[0], 1), MOST_REPEATS)
        elif op is not ops.ASSERT and op is not ops.ASSERT_NOT:
            text += next((witness(inner, known) for inner in _inner(op, value)), "")
    return text


def _inner(op: Any, value: Any) -> list[Any]:
    """The patterns inside of a part of one."""
    if op in REPEATS:
        return [value[2]]
    if op is ops.SUBPATTERN:
        return [value[3]]
    if op is ops.BRANCH:
        return list(value[1])
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [value[1]]
    if op is ops.ATOMIC_GROUP:
        return [value]
    if op is ops.GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    return []
