"""The `If` header (RFC 4918, section 10.4): lists of lock tokens and ETags, read in linear time."""

from __future__ import annotations

import re
from typing import NamedTuple

from vfs.errors import Invalid

_ONE = r"(?:Not[ \t]*+)?+(?:<[^<> ]++>|\[[^\[\]]++\])"
_LIST = re.compile(rf"[ \t]*+(?:<([^<> ]++)>[ \t]*+)?+\(((?:[ \t]*+{_ONE})++)[ \t]*+\)", re.IGNORECASE)
_CONDITION = re.compile(r"(Not[ \t]*+)?+(?:<([^<> ]++)>|\[([^\[\]]++)\])", re.IGNORECASE)
MOST = 32
"""Conditions in a header: each may ask the database."""


class Condition(NamedTuple):
    """A lock token or an ETag that an address (None: that of the request) has, or (`negated`) has not."""

    address: str | None
    negated: bool
    token: str | None
    tag: str | None


def condition_lists(header: str | None) -> list[list[Condition]]:
    """Return the lists of an `If` header: one has to hold. Without it there are none. Raises Invalid."""
    lists: list[list[Condition]] = []
    if header is None:
        return lists
    address, at = None, 0
    while found := _LIST.match(header, at):
        at, address = found.end(), found[1] or address
        each = _CONDITION.finditer(found[2])
        lists.append([Condition(address, bool(one[1]), one[2], one[3]) for one in each])
    if header[at:].strip() or not lists or sum(map(len, lists)) > MOST:
        raise Invalid(f'the If header is malformed: it is like  (<token> ["etag"]), {MOST} in all')
    return lists
