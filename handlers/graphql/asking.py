"""Ask: one query of one caller, with the results of its look-ups so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache
from typing import Any, TypeVar

from handlers.graphql.bounds import MOST_ROWS, MOST_VALUES, SECONDS
from handlers.graphql.selection import Row, Selection, weight
from handlers.graphql.sight import Sight
from handlers.rules.kinds import ResourceKind
from handlers.rules.scopes import USER
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.found_rows import may_see
from vfs.access import Access, Caller
from vfs.call import Call
from vfs.errors import TooLarge, Unavailable
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.ports.items import Found
from vfs.ports.people import User

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loaders:
    """Functions that make many rows of a kind at once. Rows of each kind refer to those of the others."""

    items: Callable[[Ask, ResourceKind, Sequence[Found], Selection], list[Row]]
    images: Callable[[Ask, Sequence[Found], Selection], list[Row]]
    people: Callable[[Ask, Sequence[str], Selection], Mapping[str, Row]]
    groups: Callable[[Ask, Sequence[GroupRelation], Selection], list[Row]]


@dataclass(slots=True)
class Ask:
    """A query in progress, with the results of its look-ups."""

    call: Call[World]
    sight: Sight
    load: Loaders
    began: float = field(default_factory=time.monotonic)
    _known: dict[tuple[object, ...], Any] = field(default_factory=dict)
    _values: int = 0
    _rows: int = 0

    @property
    def world(self) -> World:
        """The world that is queried."""
        return self.call.world

    @property
    def caller(self) -> Caller:
        """The caller of the query."""
        return self.call.caller

    @property
    def me(self) -> str | None:
        """The caller's name, or None for the public."""
        return self.call.caller.name

    def once(self, key: tuple[object, ...], look_up: Callable[[], T]) -> T:
        """Return the result of a look-up, which is made only once per key."""
        if key not in self._known:
            self._known[key] = look_up()
        found: T = self._known[key]
        return found

    def admit(self, rows: int) -> None:
        """Count rows before they are made. Raises TooLarge above the limit, Unavailable after the time."""
        self._rows += rows
        if self._rows > MOST_ROWS:
            raise TooLarge(f"the query looks up more than {MOST_ROWS} things: ask for fewer at once")
        if time.monotonic() - self.began > SECONDS:
            raise Unavailable("the query takes too long: ask for less at once", retry_after=1)

    def visible(self, kind: str, owner: str | None) -> list[Found]:
        """Return the items of a kind, of one owner or all, to which the caller has any access."""

        def look_up() -> list[Found]:
            found = self.world.items.visible(kind, owner, self.me)
            return [one for one in found if item_access(self.world, one, self.caller)]

        return self.once(("visible", kind, owner), look_up)

    def through(self, kind: str, refs: Sequence[str]) -> list[tuple[Found, list[str]]]:
        """Return the items that members share with these groups, each with its groups."""
        found = self.world.items.through(kind, refs, self.me)
        seen = [one for one in found if item_access(self.world, one, self.caller)]
        own = self.world.grants.targets([one.item.id for one in seen if one.item.owner == self.me])
        wanted = set(refs)
        return [
            (
                one,
                sorted(
                    wanted.intersection(
                        own.get(one.item.id)
                        or {effective_grant.target for effective_grant in one.effective_grants}
                    )
                ),
            )
            for one in seen
        ]

    def relations(self) -> Sequence[GroupRelation]:
        """Return the caller's own groups, including those with only an invitation."""
        me = self.me
        if me is None or not self.sees_groups:
            return ()
        return self.once(("own groups",), lambda: self.world.people.groups.of(me))

    @property
    def sees_groups(self) -> bool:
        """Whether the caller sees groups, which a credential for single items does not show."""
        return may_see(self.caller, GroupKind.USER_GROUP, Access.INFO)

    def people(self) -> Mapping[str, User]:
        """Return the users that the caller sees, by name."""

        def look_up() -> dict[str, User]:
            if self.me is None or not self.sight.may_read(self.sight.at("/v1/users")):
                return {}
            seen = self.world.people.users.visible(self.me)
            sees_all = may_see(self.caller, USER, Access.INFO)
            return {user.name: user for user in seen if sees_all or user.name == self.me}

        return self.once(("people",), look_up)

    def spend(self, rows: list[Row], wanted: Selection) -> list[Row]:
        """Return the rows and count their values. Raise TooLarge if the whole response has too many."""
        self.spend_values(weight(rows, wanted, {}))
        return rows

    def spend_values(self, number: int) -> None:
        """Count values of the response. Raise TooLarge if the whole response has too many."""
        self._values += number
        if self._values > MOST_VALUES:
            raise TooLarge(f"the answer would have more than {MOST_VALUES} values: ask for fewer at once")


@lru_cache(4096)
def date(stamp: str) -> str:
    """Return a stamp in the format of the published clients: `Thu, 17 Mar 2022 12:19:02 GMT`."""
    return format_datetime(datetime.fromisoformat(stamp), usegmt=True)
