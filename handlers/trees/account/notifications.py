"""The caller's inbox: a notice an entry, newest first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.nodes import Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.permission import absent
from vfs.place import Place
from vfs.ports.people import Notice
from vfs.rules import IN_PERSON, SIGNED_IN

NAME = re.compile(r"[0-9]{8}-[0-9]{6}-([1-9][0-9]{0,17})")

NOTICE: Param[Notice] = Param("notice")


def list_notices(place: Place[World]) -> Iterator[Named]:
    """The caller's notices, newest first."""
    for notice in place.world.social.notices.of(place.me):
        since = notice.created_on
        yield Named(notice_name(notice), since, since, notice, extra=_fields(notice))


def find_notice(place: Place[World], asked: str) -> Notice | None:
    """The caller's notice of that name."""
    match = NAME.fullmatch(asked)
    if match is None or not place.me:
        return None
    notice = place.world.social.notices.find(place.me, int(match[1]))
    return notice if notice is not None and notice_name(notice) == asked else None


def notice_name(notice: Notice) -> str:
    """The name of a notice's entry: `<YYYYMMDD>-<HHMMSS>-<number>`."""
    digits = re.sub("[^0-9]", "", notice.created_on)
    return f"{digits[:8]}-{digits[8:14]}-{notice.id}"


def notice_data(place: Place[World]) -> Data:
    """A notice: its text, or all that is known of it."""
    notice = place[NOTICE]
    said = {"name": notice_name(notice), "created_on": notice.created_on, **_fields(notice)}
    return Data(said, lambda _: f"{notice.text}\n")


def _fields(notice: Notice) -> dict[str, str]:
    return {"kind": notice.kind, "level": notice.level, "subject": notice.path, "text": notice.text}


def remove(place: Place[World]) -> str:
    """Take a notice out of the inbox."""
    notice = place[NOTICE]
    if not place.world.social.notices.remove(notice.user, notice.id):
        raise absent(place)
    return f"removed {place.name}\n"


NOTIFICATIONS = Each(
    NOTICE,
    value(notice_data, about="what happened, and the path of what it happened to; DELETE removes it"),
    names=list_notices,
    has=find_notice,
    remove=remove,
    name=NAME,
    rules={Verb.READ: SIGNED_IN & IN_PERSON, Verb.REMOVE: SIGNED_IN & IN_PERSON},
    about="the caller's inbox",
)
