"""Users of steps: whom a step's image names, and the host's ids that a container's ids stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

_NUMBERS = re.compile(r"([0-9]{1,5})(?::([0-9]{1,5}))?")


class Extent(NamedTuple):
    """Ids of a container in a row: the first of them inside, the one on the host that it is, how many."""

    inside: int
    host: int
    size: int


@dataclass(frozen=True, slots=True)
class StepUser:
    """A user and its group inside of a container."""

    user: int
    group: int


def user_of(image: Mapping[str, Any], ids: int) -> StepUser | None:
    """The user whom an image names, as Podman describes it; None for root and where no numbers are.

    Builds write numbers down, of the group too; a user alone has root's.
    """
    found = _NUMBERS.fullmatch(str((image.get("Config") or {}).get("User") or ""))
    if not found:
        return None
    user, group = int(found[1]), int(found[2] or 0)
    return StepUser(user, group) if 0 < user < ids and group < ids else None


def extents(first: int, ids: int, inside: int, owner: int) -> list[Extent]:
    """Ids from 0 as the host's from `first`, but that `inside` and `owner` have changed places.

    Whichever user a step runs as, its files are the same user's on the host.
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
