"""The caller's ties to other users: connections, followed users, followers and ignored users."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from handlers.services.connecting import are_connected, ask, find_request
from handlers.services.world import World
from handlers.trees.account.links import ACCEPT, LINKS
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.permission import absent
from vfs.ports.groups import Tie, TieKind
from vfs.rules import IN_PERSON, SIGNED_IN, Rule, hide_unless

PERSON = SIGNED_IN & IN_PERSON
OF_A_RUN = Rule("of a run", lambda p: not IN_PERSON.test(p), "a run's credential")
OTHER: Param[Tie] = Param("other")
PENDING = "I-"
OTHER_NAME = re.compile(f"(?:{PENDING})?{NAME.pattern}")


def _list_connections(context: Context[World]) -> Iterator[Named]:
    """Yield accepted connections, and those that the caller asked for, with `I-` before their names."""
    ties = context.world.people.ties
    asked = (*ties.of(TieKind.CONNECTION, context.me), *ties.of(TieKind.DECLINED, context.me))
    rows = [_tie_row(tie, tie.other, PENDING) for tie in asked]
    rows += [_tie_row(tie, tie.name) for tie in ties.to(TieKind.CONNECTION, context.me) if not tie.pending]
    yield from sorted(rows, key=lambda row: row.name.removeprefix(PENDING))


def _find_connection(context: Context[World], name: str) -> Tie | None:
    ties, other = context.world.people.ties, name.removeprefix(PENDING)
    if not context.me:
        return None
    if (request := find_request(context.world, context.me, other)) is not None:
        return request
    if name.startswith(PENDING):
        return None
    begun = (ties.find(TieKind.CONNECTION, *names) for names in ((context.me, other), (other, context.me)))
    return next((tie for tie in begun if tie is not None and not tie.pending), None)


def _connect(context: Context[World]) -> Reply | str:
    """Ask a user for a connection, or accept the user's own request."""
    other = _other(context)
    asked = None if context.get(OTHER) is not None else ask(context.world, context.me, other)
    if asked is None or not asked.is_new:
        connected = are_connected(context.world, context.me, other)
        said = f"you are connected with @{other}" if connected else f"you have asked @{other} already"
        return Reply(f"{said}\n")
    if asked.is_connected:
        return f"you are connected with @{other} now\n"
    return f"asked @{other} to be connected\n"


def _disconnect(context: Context[World]) -> str:
    """End a connection, or take back a request together with the shares that wait for its acceptance."""
    tie, other = _drop(context), _other(context)
    context.world.people.pending_shares.take(context.me, other, "")
    if tie.pending:
        return f"you do not ask @{other} to be connected any more\n"
    return f"you are not connected with @{other} any more\n"


def _list_ties(kind: TieKind, context: Context[World]) -> Iterator[Named]:
    for tie in context.world.people.ties.of(kind, context.me):
        yield _tie_row(tie, tie.other)


def _list_followers(context: Context[World]) -> Iterator[Named]:
    for tie in context.world.people.ties.to(TieKind.FOLLOWING, context.me):
        yield _tie_row(tie, tie.name)


def _find_tie(kind: TieKind, context: Context[World], name: str) -> Tie | None:
    return context.world.people.ties.find(kind, context.me, name)


def _find_follower(context: Context[World], name: str) -> Tie | None:
    return context.world.people.ties.find(TieKind.FOLLOWING, name, context.me)


def _begin(kind: TieKind, context: Context[World]) -> Reply | str:
    said = f"{context.requested} is set\n"
    return said if context.world.people.ties.put(kind, context.me, _other(context)) else Reply(said)


def _drop(context: Context[World]) -> Tie:
    """Remove the tie and return it. Raises an error if another request removed it first."""
    tie = context[OTHER]
    if not context.world.people.ties.drop(tie.kind, tie.name, tie.other):
        raise absent(context)
    return tie


def _end(context: Context[World]) -> str:
    _drop(context)
    return f"removed {context.requested}\n"


def _other(context: Context[World]) -> str:
    return context.name.removeprefix(PENDING)


def _is_another(context: Context[World]) -> bool:
    """Return whether the name is not the caller's; whether such an account exists is never shown."""
    return context.caller.name not in (None, _other(context))


def _is_seen(context: Context[World]) -> bool:
    """Return whether the name is that of another user whom the caller may see."""
    other = _other(context)
    return context.caller.name not in (None, other) and bool(
        context.world.people.users.sees(context.me, other)
    )


def _tie_row(tie: Tie, name: str, sign: str = "") -> Named:
    shown = f"{sign if tie.pending else ''}{name}"
    return Named(shown, tie.created_on, tie.created_on, tie, target=f"/v1/users/{name}")


def _tie_data(context: Context[World]) -> Data:
    tie = context[OTHER]
    said = {"name": context.name.removeprefix(PENDING), "pending": tie.pending, "since": tie.created_on}
    return Data(said, lambda facts: "invited" if facts["pending"] else "yes")


def _folder(
    *,
    about: str,
    names: Callable[[Context[World]], Iterator[Named]],
    has: Callable[[Context[World], str], Tie | None],
    create: Callable[[Context[World]], Reply | str] | None = None,
    remove: Callable[[Context[World]], str] | None = None,
    other: Callable[[Context[World]], bool] = _is_another,
) -> Each[Tie]:
    """Return a folder of ties; `other` decides which names may be added to it."""
    return Each(
        OTHER,
        value(_tie_data, about="a user"),
        names=names,
        has=hide_unless(PERSON, has),
        create=create,
        remove=remove,
        name=OTHER_NAME,
        name_rule="a user's name",
        again=create is not None,
        candid=OF_A_RUN,
        fixed=create is None,
        rules={
            Verb.READ: PERSON,
            Verb.CREATE: Rule("of another", other, "another user") & IN_PERSON,
            Verb.REMOVE: PERSON,
        },
        about=about,
    )


def _own_folder(kind: TieKind, about: str, other: Callable[[Context[World]], bool]) -> Each[Tie]:
    """Return a folder of ties that the caller begins and ends without the other user."""
    return _folder(
        about=about,
        names=partial(_list_ties, kind),
        has=partial(_find_tie, kind),
        create=partial(_begin, kind),
        remove=_end,
        other=other,
    )


SOCIAL = Dir(
    {
        "accept": ACCEPT,
        "connections": _folder(
            about="users connected with the caller, who see each other; PUT asks, I- marks pending ones",
            names=_list_connections,
            has=_find_connection,
            create=_connect,
            remove=_disconnect,
        ),
        "followers": _folder(about="users who follow the caller", names=_list_followers, has=_find_follower),
        "links": LINKS,
        "following": _own_folder(TieKind.FOLLOWING, "users that the caller follows", _is_seen),
        "ignore": _own_folder(
            TieKind.IGNORE, "users whose requests to connect are hidden from the caller", _is_another
        ),
    },
    rules={Verb.READ: PERSON},
    about="the caller's connections and followed users",
)
