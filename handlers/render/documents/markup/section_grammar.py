"""The syntax of sections and front matter: names, words and parameters, by a grammar or lines of YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import yaml
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

DEEPEST = 3
UNWRITABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff\ufffe\uffff]")
"""Characters that no format of a document can contain."""


class Value(NamedTuple):
    """The text of a parameter, or its texts; `offset` is the position of its key."""

    texts: tuple[str, ...]
    offset: int

    @property
    def text(self) -> str:
        """The value as one text."""
        return ", ".join(self.texts)


Pairs = tuple[tuple[str, Value], ...]


def read_yaml(lines: str) -> Pairs | None:
    """Return the keys and values of a mapping, None for anything else."""
    try:
        events = iter(yaml.parse(lines, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        next(events), next(events)
        if not isinstance(event := next(events), MappingStartEvent):
            return None
        return tuple(_yaml_pairs(events, event, 1))
    except (yaml.YAMLError, _NotPlainError, StopIteration, ValueError):
        return None


class _NotPlainError(Exception):
    """Raised for anything but keys and texts."""


def _yaml_pairs(events: Iterator[Event], opening: Event, depth: int) -> Iterator[tuple[str, Value]]:
    _check(opening, depth)
    while not isinstance(event := next(events, None), MappingEndEvent):
        if not isinstance(event, ScalarEvent):
            raise _NotPlainError
        _check(event, depth)
        value = Value(tuple(_yaml_texts(events, next(events), depth + 1)), event.start_mark.index)
        yield " ".join(str(event.value).lower().split()), value


def _yaml_texts(events: Iterator[Event], event: Event, depth: int) -> Iterator[str]:
    """Yield the texts of a value: one, those of a list, or `key: text` of a mapping."""
    _check(event, depth)
    if isinstance(event, MappingStartEvent):
        yield from (f"{key}: {value.text}" for key, value in _yaml_pairs(events, event, depth))
    elif isinstance(event, SequenceStartEvent):
        while not isinstance(inner := next(events), SequenceEndEvent):
            yield from _yaml_texts(events, inner, depth + 1)
    elif isinstance(event, ScalarEvent):
        text = UNWRITABLE.sub("\ufffd", str(event.value).strip())
        yield from [text] if text else []
    else:
        raise _NotPlainError


def _check(event: Event, depth: int) -> None:
    if depth > DEEPEST or getattr(event, "anchor", None) or getattr(event, "tag", None):
        raise _NotPlainError


LONGEST, LONGEST_YAML = 8_000, 2_000
NAME_LINE = re.compile(r"\s*([A-Za-z][\w-]*)[ \t]*\n")


class Tag(NamedTuple):
    """A section's opening or closing mark."""

    name: str
    word: str = ""
    values: Pairs = ()
    closing: bool = False
    closed: bool = False
    """Whether the tag closes itself."""


NO_TAG = Tag("")
"""Placeholder for an invalid tag."""


@dataclass(frozen=True, slots=True)
class FoundTag:
    """A tag with its place and source, and its meaning or the reason why it is invalid.

    `island` is the raw text between the marks of an `html` section.
    """

    line: int
    column: int
    source: str
    tag: Tag = NO_TAG
    reason: str = ""
    island: str = ""


class BadTag(Exception):
    """Raised for an invalid tag, with the position in it."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


@lru_cache(maxsize=128)
def read_tag(inside: str) -> Tag:
    """Parse the tag between the braces. Raises BadTag."""
    if len(inside) > LONGEST:
        raise BadTag(f"a section has at most {LONGEST:,} characters between its braces", 0)
    bare = inside.rstrip()
    closed = bare.endswith("/") and bare.strip() != "/"
    text = (bare[:-1] if closed else bare).rstrip()
    try:
        tree = _read(text, "section").children[0]
    except BadTag:
        if (tag := _tag_of_yaml(text, closed)) is None:
            raise
        return tag
    assert isinstance(tree, Tree)
    name, *rest = tree.children
    word = str(rest.pop(0)) if rest and isinstance(rest[0], Token) else ""
    return Tag(str(name).lower(), word, tuple(_pairs(rest)), tree.data == "closing", closed)


def _tag_of_yaml(text: str, closed: bool) -> Tag | None:
    """Parse a name and the lines of YAML below it, for which the grammar has no rules."""
    name = NAME_LINE.match(text)
    pairs = read_yaml(text[name.end() :]) if name and len(text) <= LONGEST_YAML else None
    if name is None or pairs is None:
        return None
    moved = ((key, Value(value.texts, value.offset + name.end())) for key, value in pairs)
    return Tag(name[1].lower(), "", tuple(moved), False, closed)


def read_matter(lines: str) -> Pairs:
    """Return the keys and values of a front matter. Raises BadTag."""
    if len(lines) > LONGEST:
        raise BadTag(f"the front matter has at most {LONGEST:,} characters", 0)
    if (pairs := read_yaml(lines)) is not None:
        return pairs
    return tuple(_pairs(_read(lines.rstrip(), "matter").children))


def _read(text: str, start: str) -> Tree[Token]:
    try:
        return _grammar().parse(text, start=start)
    except UnexpectedEOF as error:
        raise BadTag("a section's name is missing", len(text)) from error
    except UnexpectedInput as error:
        offset = len(text) if error.pos_in_stream is None or error.pos_in_stream < 0 else error.pos_in_stream
        raise BadTag(_reason(text, offset, error), offset) from error


def _reason(text: str, offset: int, error: UnexpectedInput) -> str:
    said = text[offset : offset + 20].split("\n", maxsplit=1)[0]
    if isinstance(error, UnexpectedCharacters) and said[:1] in "\"'":
        return f"the quotation mark is not closed: {said}"
    if not said.strip():
        return "something is missing here: write name, then key: value, separated by commas or lines"
    return f'"{said}" is not understood here: write name, then key: value, separated by commas or lines'


def _pairs(trees: list[Token | Tree[Token]]) -> Iterator[tuple[str, Value]]:
    for pair in trees:
        assert isinstance(pair, Tree)
        key, *value = pair.children
        assert isinstance(key, Token)
        texts = tuple(_texts(value[0])) if value else ()
        yield " ".join(str(key).lower().split()), Value(texts, key.start_pos or 0)


def _texts(tree: Token | Tree[Token]) -> Iterator[str]:
    assert isinstance(tree, Tree)
    for token in tree.scan_values(lambda one: isinstance(one, Token)):
        yield _without_quotes(str(token))


def _without_quotes(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


@cache
def _grammar() -> Lark:
    return Lark.open_from_package(
        "handlers.render.documents.markup", "sections.lark", [""], parser="lalr", start=["section", "matter"]
    )
