"""The caller's inbox: notices, waiting holds first; dismissed one by one or together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from handlers.services.notices import INVITE, ShownNotice, visible_notices
from handlers.services.run_notices import WAITING
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, Each, Named
from vfs.param import Param
from vfs.parts import action, value
from vfs.permission import absent
from vfs.ports.notices import Notice
from vfs.rules import IN_PERSON, SIGNED_IN, hide_unless


def shown_notices(context: Context[World]) -> list[ShownNotice]:
    """Return the caller's notices, newest first, those of waiting holds before all others.

    Each has the present state of its subject. Notices whose subject the caller may not see are left out.
    """
    shown = visible_notices(context.world, context.world.social.notices.of(context.me), context.caller)
    return sorted(shown, key=lambda one: one.notice.kind != WAITING)


def shown_notice(context: Context[World], id: int) -> ShownNotice | None:
    """Return the caller's notice of that number, if the caller may see its subject."""
    found = context.world.social.notices.find(context.me, id)
    shown = visible_notices(context.world, [found] if found is not None else [], context.caller)
    return shown[0] if shown else None


NAME = re.compile(r"[0-9]{8}-[0-9]{6}-([1-9][0-9]{0,17})")

UP_TO = re.compile(rf"all\s+{NAME.pattern}")

NOTICE: Param[ShownNotice] = Param("notice")


def list_notices(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's notices: waiting holds, then all others, each newest first."""
    for shown in shown_notices(context):
        since = shown.notice.created_on
        yield Named(notice_name(shown.notice), since, since, shown, extra=_fields(shown))


def find_notice(context: Context[World], requested: str) -> ShownNotice | None:
    """Return the caller's notice of that name."""
    match = NAME.fullmatch(requested)
    if match is None or not context.me:
        return None
    shown = shown_notice(context, int(match[1]))
    return shown if shown is not None and notice_name(shown.notice) == requested else None


def notice_name(notice: Notice) -> str:
    """Return the name of a notice's entry: `<YYYYMMDD>-<HHMMSS>-<number>`."""
    digits = re.sub("[^0-9]", "", notice.created_on)
    return f"{digits[:8]}-{digits[8:14]}-{notice.id}"


def notice_data(context: Context[World]) -> Data:
    """Return a notice: its text, or all its fields as JSON."""
    shown = context[NOTICE]
    said = {"name": notice_name(shown.notice), "created_on": shown.notice.created_on, **_fields(shown)}
    advice = f"POST yes or no to {shown.path}/accept\n" if shown.notice.kind == INVITE else ""
    return Data(said, lambda _: f"{shown.text}\n{advice}")


def _fields(shown: ShownNotice) -> dict[str, str]:
    notice = shown.notice
    return {"kind": notice.kind, "level": notice.level, "subject": shown.path, "text": shown.text}


def remove(context: Context[World]) -> str:
    """Remove a notice from the inbox."""
    notice = context[NOTICE].notice
    if not context.world.social.notices.remove(notice.user, notice.id):
        raise absent(context)
    return f"removed {context.name}\n"


def dismiss(context: Context[World], sent: str) -> str:
    """Remove notices: `all`, all up to one, or those whose name or subject is on a line.

    Notices that the caller may not see are kept; those already removed are ignored. Raises Invalid for any
    other line.
    """
    inbox = shown_notices(context)
    lines = {line.strip() for line in sent.splitlines() if line.strip()}
    newest = UP_TO.fullmatch(sent.strip())
    if newest is not None:
        return _dismiss(context, [one for one in inbox if one.notice.id <= int(newest[1])])
    names = {line for line in lines if NAME.fullmatch(line)}
    subjects = {line.rstrip("/") for line in lines - names if line.startswith("/")}
    odd = sorted(line for line in lines - names if not line.startswith("/"))
    if lines != {"all"} and (odd or not lines):
        said = f', not "{odd[0][:80]}"' if odd else ""
        raise Invalid(
            "send all, all and the name of the newest notice that you saw, or a line for each notice: its "
            f"name, or the path that it is about{said}"
        )
    return _dismiss(context, [one for one in inbox if lines == {"all"} or _is_among(one, names, subjects)])


def _dismiss(context: Context[World], doomed: Sequence[ShownNotice]) -> str:
    count = context.world.social.notices.dismiss(context.me, [one.notice.id for one in doomed])
    return f"dismissed {count} notice{'' if count == 1 else 's'}\n"


def _is_among(shown: ShownNotice, names: Collection[str], subjects: Collection[str]) -> bool:
    """Return whether a notice has one of the names, or one of the subjects, or a subject below one."""
    above = shown.path.split("/")
    tops = {"/".join(above[:count]) for count in range(2, len(above) + 1)}
    return notice_name(shown.notice) in names or not tops.isdisjoint(subjects)


DISMISS = action(
    dismiss,
    needs=SIGNED_IN & IN_PERSON,
    largest=256 * KIB,
    about="dismisses notices: all, all up to one (`all NAME`), or names and subjects in lines",
)
NOTIFICATIONS = Each(
    NOTICE,
    value(notice_data, about="the event and the path of its subject; DELETE removes it"),
    names=list_notices,
    has=hide_unless(IN_PERSON, find_notice),
    remove=remove,
    name=NAME,
    rules={Verb.READ: SIGNED_IN & IN_PERSON, Verb.REMOVE: SIGNED_IN & IN_PERSON},
    about="the caller's inbox: holds that wait for an answer first, then the newest",
)
