"""Lines of YAML as keys and texts: neither its types, tags and anchors nor anything deep is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml
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
"""Signs that no form of a document can hold."""


class Value(NamedTuple):
    """The text of a parameter, or its texts; `offset` is where its key stands."""

    texts: tuple[str, ...]
    offset: int

    @property
    def text(self) -> str:
        """The value as one text."""
        return ", ".join(self.texts)


Pairs = tuple[tuple[str, Value], ...]


def read_yaml(lines: str) -> Pairs | None:
    """The keys and values of a mapping, None for anything else."""
    try:
        events = iter(yaml.parse(lines, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        next(events), next(events)
        if not isinstance(event := next(events), MappingStartEvent):
            return None
        return tuple(_pairs(events, event, 1))
    except (yaml.YAMLError, _NotPlainError, StopIteration, ValueError):
        return None


class _NotPlainError(Exception):
    """Raised for what is more than keys and texts."""


def _pairs(events: Iterator[Event], opening: Event, depth: int) -> Iterator[tuple[str, Value]]:
    _check(opening, depth)
    while not isinstance(event := next(events, None), MappingEndEvent):
        if not isinstance(event, ScalarEvent):
            raise _NotPlainError
        _check(event, depth)
        value = Value(tuple(_texts(events, next(events), depth + 1)), event.start_mark.index)
        yield " ".join(str(event.value).lower().split()), value


def _texts(events: Iterator[Event], event: Event, depth: int) -> Iterator[str]:
    """The texts of a value: one, those of a list, or `key: text` of a mapping."""
    _check(event, depth)
    if isinstance(event, MappingStartEvent):
        yield from (f"{key}: {value.text}" for key, value in _pairs(events, event, depth))
    elif isinstance(event, SequenceStartEvent):
        while not isinstance(inner := next(events), SequenceEndEvent):
            yield from _texts(events, inner, depth + 1)
    elif isinstance(event, ScalarEvent):
        text = UNWRITABLE.sub("\ufffd", str(event.value).strip())
        yield from [text] if text else []
    else:
        raise _NotPlainError


def _check(event: Event, depth: int) -> None:
    if depth > DEEPEST or getattr(event, "anchor", None) or getattr(event, "tag", None):
        raise _NotPlainError
