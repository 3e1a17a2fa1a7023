"""Mails received by a group, and why each runs jobs or does not, for managers of the group."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from handlers.rules.plain_lines import one_line
from handlers.services.world import World
from handlers.trees.people.group_relation import MANAGES, here
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Conflict
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.ports.inbound import InboundMail, InboundState

NAME = re.compile(r"[0-9]{8}-[0-9]{6}-([1-9][0-9]{0,17})")
MAIL: Param[InboundMail] = Param("inbound")
MOST_LISTED = 3_000
STATUS = {InboundState.NEW: "waiting", InboundState.KEPT: "kept", InboundState.STARTED: "accepted"}
RFC822 = "message/rfc822"


def list_mails(context: Context[World]) -> Iterator[Named]:
    """Yield the mails, newest first."""
    for mail in context.world.social.inbound.of(here(context).group.item.id, MOST_LISTED):
        extra = {"status": STATUS[mail.state], "verdict": verdict_of(mail), "size": mail.message.size}
        changed = mail.settled_on or mail.received_on
        yield Named(inbound_name(mail), mail.received_on, changed, mail, extra=extra)


def find_mail(context: Context[World], requested: str) -> InboundMail | None:
    """Return the mail of that name."""
    match = NAME.fullmatch(requested)
    if match is None:
        return None
    mail = context.world.social.inbound.find(here(context).group.item.id, int(match[1]))
    return mail if mail is not None and inbound_name(mail) == requested else None


def inbound_name(mail: InboundMail) -> str:
    """Return the name of a mail's entry: `<YYYYMMDD>-<HHMMSS>-<number>`."""
    digits = re.sub("[^0-9]", "", mail.received_on)
    return f"{digits[:8]}-{digits[8:14]}-{mail.id}"


def verdict_of(mail: InboundMail) -> str:
    """Return the reason for a mail's state in one line, because strangers wrote parts of it."""
    return one_line(mail.note) or "it waits to be looked at"


def remove(context: Context[World]) -> str:
    """Remove a mail whose processing has ended."""
    if not context.world.social.inbound.remove(context[MAIL]):
        raise Conflict("it waits, or its runs are not answered yet: remove it when they are")
    return f"removed {context.name}\n"


def activity(context: Context[World]) -> Data:
    """Return the events of a mail, oldest first."""
    mail = context[MAIL]
    came = json.loads(mail.envelope)
    peer = came.get("peer") or "a program here"
    first = f"from {peer} ({came.get('hello') or 'no name'}), envelope sender <{came.get('sender', '')}>"
    rows = [_row(mail.received_on, first)]
    if mail.state is InboundState.NEW and mail.note:
        rows.append(_row(mail.received_on, f"tried {mail.tries} times: {mail.note}"))
    if mail.settled_on is not None:
        rows.append(_row(mail.settled_on, f"{STATUS[mail.state]}: {verdict_of(mail)}"))
    if mail.state is InboundState.STARTED:
        started, answered = context.world.social.inbound.run_counts(mail)
        at = mail.settled_on or mail.received_on
        rows.append(_row(at, f"{started} {'run' if started == 1 else 'runs'}, {answered} answered"))
    return Data(rows, lambda rows: "".join(f"{row['log_time']}  {row['message']}\n" for row in rows))


def _row(at: str, message: str) -> dict[str, str]:
    return {"log_time": at, "severity": "info", "message": one_line(message)}


INBOUND = Each(
    MAIL,
    Dir(
        {
            "message.eml": value(
                lambda context: Reply(context[MAIL].message, filename=f"{context[MAIL].id}.eml"),
                media=(RFC822,),
                about="the original message, for download only",
            ),
            "status": value(
                lambda context: STATUS[context[MAIL].state],
                values=tuple(STATUS.values()),
                about="waiting, kept (it triggers nothing), or accepted",
            ),
            "verdict": value(
                lambda context: verdict_of(context[MAIL]), about="the reason, and how its sender was verified"
            ),
            "log": value(activity, about="when and from where it arrived, and its result"),
        },
        about="an incoming mail; DELETE removes it",
    ),
    names=list_mails,
    has=find_mail,
    remove=remove,
    name=NAME,
    rules={Verb.READ: MANAGES, Verb.REMOVE: MANAGES},
    listed=MANAGES,
    about="incoming mails of the group, newest first; for its admins and founders",
)
