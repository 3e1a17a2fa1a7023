"""The users of steps: the user of an image, and the map from a container's ids to the host's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

_NUMBERS = re.compile(r"([0-9]{1,5})(?::([0-9]{1,5}))?")


class Extent(NamedTuple):
    """A range of a container's ids: the first id inside, the host's id for it, and the number of ids."""

    inside: int
    host: int
    size: int


@dataclass(frozen=True, slots=True)
class StepUser:
    """A user and its group inside a container."""

    user: int
    group: int


def user_of(image: Mapping[str, Any], ids: int) -> StepUser | None:
    """Return the user of an image from Podman's inspection; None for root and for names.

    Builds write numbers, for the group too. A user without a group has root's group.
    """
    found = _NUMBERS.fullmatch(str((image.get("Config") or {}).get("User") or ""))
    if not found:
        return None
    user, group = int(found[1]), int(found[2] or 0)
    return StepUser(user, group) if 0 < user < ids and group < ids else None


def extents(first: int, ids: int, inside: int, owner: int) -> list[Extent]:
    """Return ids from 0 mapped to the host's ids from `first`, with `inside` and `owner` swapped.

    So a step's files belong to the same user on the host, whichever user it runs as.
    """
    return list(_extents(first, ids, *sorted((inside, owner))))


def _extents(first: int, ids: int, low: int, high: int) -> Iterator[Extent]:
    if low == high:
        yield Extent(0, first, ids)
        return
    if low:
        yield Extent(0, first, low)
    yield Extent(low, first + high, 1)
    if high - low > 1:
        yield Extent(low + 1, first + low + 1, high - low - 1)
    yield Extent(high, first + low, 1)
    if high + 1 < ids:
        yield Extent(high + 1, first + high + 1, ids - high - 1)
