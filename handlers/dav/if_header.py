"""The `If` header (RFC 4918, section 10.4): lists of lock tokens and ETags, read in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from vfs.errors import Invalid

_ONE = r"(?:Not[ \t]*+)?+(?:<[^<> ]++>|\[[^\[\]]++\])"
_LIST = re.compile(rf"[ \t]*+(?:<([^<> ]++)>[ \t]*+)?+\(((?:[ \t]*+{_ONE})++)[ \t]*+\)", re.IGNORECASE)
_CONDITION = re.compile(r"(Not[ \t]*+)?+(?:<([^<> ]++)>|\[([^\[\]]++)\])", re.IGNORECASE)


MOST = 32
"""Conditions in a header: each may ask the database."""


class Condition(NamedTuple):
    """A lock token or an ETag that has to be there, or (`negated`) must not."""

    negated: bool
    token: str | None
    tag: str | None


class ConditionList(NamedTuple):
    """Conditions that hold together, for an address (None: that of the request)."""

    address: str | None
    conditions: tuple[Condition, ...]


Holds = Callable[[str | None, Condition], bool]


class IfHeader:
    """The lists of an `If` header; one of them has to hold."""

    def __init__(self, header: str | None) -> None:
        """Parse the header. Raises Invalid."""
        self.lists = _lists(header) if header is not None else None

    @property
    def tokens(self) -> frozenset[str]:
        """The lock tokens that were sent."""
        found = (one.token for each in self.lists or () for one in each.conditions)
        return frozenset(token for token in found if token is not None)

    def is_met(self, holds: Holds) -> bool:
        """Return whether a list holds, by a function that tells it of an address and a condition."""
        return self.lists is None or any(
            all(holds(each.address, one) != one.negated for one in each.conditions) for each in self.lists
        )


def _lists(header: str) -> list[ConditionList]:
    lists: list[ConditionList] = []
    address: str | None = None
    at, end = 0, len(header.rstrip())
    while found := _LIST.match(header, at):
        at, address = found.end(), found[1] or address
        conditions = (Condition(bool(negated), token, tag) for negated, token, tag in _conditions(found[2]))
        lists.append(ConditionList(address, tuple(conditions)))
    if at < end or not lists or sum(len(one.conditions) for one in lists) > MOST:
        raise Invalid(f'the If header is malformed: it is like  (<token> ["etag"]), {MOST} in all')
    return lists


def _conditions(content: str) -> list[tuple[str | None, str | None, str | None]]:
    return [(one[1], one[2], one[3]) for one in _CONDITION.finditer(content)]
