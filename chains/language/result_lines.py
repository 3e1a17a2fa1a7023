"""The language of config/results: lines with the target of each output of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from chains.language.mistake import Mistake

MOST_LINES = 50
EXAMPLE = "chart.csv => /p/sales"
_FORMS = '"/p/<plot>", "/d/<document>", "/m/<mail>", "/s/<space>/<path>", or "/<letter>/<name>/v/<variable>"'


class ResultFault(StrEnum):
    """The kinds of mistakes in the text of config/results."""

    BAD_LINE = "bad_line"
    BAD_TARGET = "bad_target"
    WRONG_OWNER = "wrong_owner"
    TWICE = "twice"
    TOO_MANY = "too_many"


class ResultTarget(NamedTuple):
    """The target of an output: an item by its letter and name, and a path in it.

    `owner` is None for the job's own owner. `rest` is the path after the name.
    """

    owner: str | None
    letter: str
    name: str
    rest: tuple[str, ...] = ()

    def __str__(self) -> str:
        whose = ("u", self.owner) if self.owner is not None else ()
        return "/" + "/".join((*whose, self.letter, self.name, *self.rest))


class ResultLine(NamedTuple):
    """A line: the path of an output, its target, and the target's line and column, counted from 1.

    `sends`: the target is sent afterwards. `snapshot` is the name of the snapshot that is then made of it (""
    for the date, None for no snapshot).
    """

    output: str
    target: ResultTarget
    line: int
    column: int
    sends: bool = False
    snapshot: str | None = None

    def __str__(self) -> str:
        return f"{self.output} => {self.target}"


@lru_cache(32)
def parse_results(text: str) -> tuple[ResultLine, ...]:
    """Return the lines of a text without empty lines and comments. Raise Mistake."""
    lines: list[ResultLine] = []
    for output, said, *ends in _pairs(text):
        found = _pattern("TARGET").fullmatch(said)
        assert found is not None
        rest = tuple((found["rest"] or "").split("/")[1:])
        target = ResultTarget(found["owner"], found["letter"], found["name"], rest)
        place, sends = (said.line or 0, said.column or 0), any(one.type == "SEND" for one in ends)
        line = ResultLine(output.strip('"'), target, *place, sends, _snapshot(ends))
        if len(lines) >= MOST_LINES:
            reason = f"there are more than {MOST_LINES} lines: have the run make one file of several"
            raise Mistake.at(ResultFault.TOO_MANY, reason, text, line.line, line.column)
        lines.append(line)
    return tuple(lines)


def with_name(text: str, owner: str, letter: str, was: str, name: str) -> str:
    """Return the owner's text after an item was renamed, otherwise unchanged to the byte.

    Raises Mistake as `parse_results` does.
    """
    for _, said, *_ in reversed(list(_pairs(text))):
        found = _pattern("TARGET").fullmatch(said)
        assert found is not None
        if (found["owner"] or owner, found["letter"], found["name"]) == (owner, letter, was):
            begins = said.start_pos or 0
            text = text[: begins + found.start("name")] + name + text[begins + found.end("name") :]
    return text


@cache
def _grammar() -> Lark:
    return Lark.open_from_package("chains.language", "results.lark", ["grammar"], parser="lalr")


@cache
def _pattern(terminal: str) -> re.Pattern[str]:
    return re.compile(_grammar().get_terminal(terminal).pattern.to_regexp())


def _snapshot(ends: Sequence[Token]) -> str | None:
    """Return the name of the snapshot that the end of a line requests; "" for the date, None for none."""
    found = next((_pattern(one.type).fullmatch(one) for one in ends if one.type == "SNAPSHOT"), None)
    return found["snapshot"] or "" if found is not None else None


def _pairs(text: str) -> Iterator[list[Token]]:
    """Yield the output and the target of each line, and the actions that follow. Raise Mistake."""
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as wrong:
        raise _mistake(text, wrong) from None
    for line in tree.find_data("line"):
        yield [token for token in line.children if isinstance(token, Token)]


def _mistake(text: str, wrong: UnexpectedInput) -> Mistake:
    """Return the mistake at the position where the parser stopped."""
    place, expected = wrong.pos_in_stream or 0, frozenset[str]()
    if isinstance(wrong, UnexpectedToken):
        expected = frozenset(wrong.accepts)
        # At the end of the text, Lark gives the position of the token before it.
        place = len(text) if wrong.token.type == "$END" else place
    if isinstance(wrong, UnexpectedCharacters):
        expected = frozenset(wrong.allowed)
    before = text[:place]
    line, column = before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1
    if "_NL" in expected and "OUTPUT" not in expected:  # the line is complete
        reason = (
            'end the line there: a mail or a document may have ", send" behind it, a document or a grid '
            '", snapshot <name>"'
        )
        return Mistake.at(ResultFault.BAD_LINE, reason, text, line, column)
    if "TARGET" in expected:
        reason = f"name the target: {_FORMS}"
        return Mistake.at(ResultFault.BAD_TARGET, reason, text, line, column)
    reason = f'write "{EXAMPLE}": an output, in quotes if it has blanks, and its target'
    return Mistake.at(ResultFault.BAD_LINE, reason, text, line, column)
