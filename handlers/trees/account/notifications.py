"""The caller's inbox: a notice an entry, holds that wait first; dismissed one by one or together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from handlers.services.world import World
from handlers.trees.account.inbox import open_notices, shown_notices
from vfs.access import Verb
from vfs.call import Data
from vfs.errors import Invalid
from vfs.nodes import KIB, Each, Named
from vfs.param import Param
from vfs.parts import action, value
from vfs.permission import absent
from vfs.place import Place
from vfs.ports.people import Notice
from vfs.rules import IN_PERSON, SIGNED_IN, hide_unless

NAME = re.compile(r"[0-9]{8}-[0-9]{6}-([1-9][0-9]{0,17})")

NOTICE: Param[Notice] = Param("notice")


def list_notices(place: Place[World]) -> Iterator[Named]:
    """The caller's notices: holds that wait, then all others, each newest first."""
    for notice in shown_notices(place):
        since = notice.created_on
        yield Named(notice_name(notice), since, since, notice, extra=_fields(notice))


def find_notice(place: Place[World], asked: str) -> Notice | None:
    """The caller's notice of that name."""
    match = NAME.fullmatch(asked)
    if match is None or not place.me:
        return None
    notice = place.world.social.notices.find(place.me, int(match[1]))
    if notice is None or notice_name(notice) != asked:
        return None
    return notice if open_notices(place, [notice]) else None


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


def dismiss(place: Place[World], sent: str) -> str:
    """Take notices out of the inbox: `all`, or those that the lines name, by a name or by a subject.

    One that is gone already is passed over. Raises Invalid for a line that is neither.
    """
    inbox = place.world.social.notices.of(place.me)
    lines = {line.strip() for line in sent.splitlines() if line.strip()}
    names = {line for line in lines if NAME.fullmatch(line)}
    subjects = {line.rstrip("/") for line in lines - names if line.startswith("/")}
    odd = sorted(line for line in lines - names if not line.startswith("/"))
    if lines != {"all"} and (odd or not lines):
        said = f', not "{odd[0][:80]}"' if odd else ""
        raise Invalid(f"send all, or a line for each notice: its name, or the path that it is about{said}")
    doomed = [one.id for one in inbox if lines == {"all"} or _is_among(one, names, subjects)]
    count = place.world.social.notices.dismiss(place.me, doomed)
    return f"dismissed {count} notice{'' if count == 1 else 's'}\n"


def _is_among(notice: Notice, names: Collection[str], subjects: Collection[str]) -> bool:
    """Whether a notice is named by one of the names, or about one of the subjects or what is below it."""
    above = notice.path.split("/")
    tops = {"/".join(above[:count]) for count in range(2, len(above) + 1)}
    return notice_name(notice) in names or not tops.isdisjoint(subjects)


DISMISS = action(
    dismiss,
    needs=SIGNED_IN & IN_PERSON,
    largest=256 * KIB,
    about="takes notices out of the inbox: all, or names and subjects of notices, a line each",
)
NOTIFICATIONS = Each(
    NOTICE,
    value(notice_data, about="what happened, and the path of what it happened to; DELETE removes it"),
    names=list_notices,
    has=hide_unless(IN_PERSON, find_notice),
    remove=remove,
    name=NAME,
    rules={Verb.READ: SIGNED_IN & IN_PERSON, Verb.REMOVE: SIGNED_IN & IN_PERSON},
    about="the caller's inbox: holds that wait for an answer first, then the newest",
)
