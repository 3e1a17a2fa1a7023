"""The caller's ties to other users: connections, whom it follows, who follows it, and whom it ignores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from handlers.services.accounts import account_of
from handlers.services.notices import INVITE
from handlers.services.notify import person_source
from handlers.services.posting import Message, post
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.permission import absent
from vfs.place import Place
from vfs.ports.groups import Tie, TieKind
from vfs.ports.notices import NoticeSubject
from vfs.rules import IN_PERSON, SIGNED_IN, Rule, hide_unless

PERSON = SIGNED_IN & IN_PERSON
OF_A_RUN = Rule("of a run", lambda p: not IN_PERSON.test(p), "a run's credential")
OTHER: Param[Tie] = Param("other")
PENDING = "I-"
OTHER_NAME = re.compile(f"(?:{PENDING})?{NAME.pattern}")


def _list_connections(place: Place[World]) -> Iterator[Named]:
    """Accepted connections from either side, and those that the caller asked for, `I-` before their names."""
    ties = place.world.people.ties
    rows = [_tie_row(tie, tie.other, PENDING) for tie in ties.of(TieKind.CONNECTION, place.me)]
    rows += [_tie_row(tie, tie.name) for tie in ties.to(TieKind.CONNECTION, place.me) if not tie.pending]
    yield from sorted(rows, key=lambda row: row.name.removeprefix(PENDING))


def _find_connection(place: Place[World], name: str) -> Tie | None:
    ties, other = place.world.people.ties, name.removeprefix(PENDING)
    if not place.me:
        return None
    asked = ties.find(TieKind.CONNECTION, place.me, other)
    if asked is not None:
        return asked if asked.pending or not name.startswith(PENDING) else None
    told = ties.find(TieKind.CONNECTION, other, place.me)
    return told if told is not None and not told.pending and not name.startswith(PENDING) else None


def _connect(place: Place[World]) -> Reply | str:
    """Ask a user to be connected, or accept when it has asked."""
    other, ties, me = _other(place), place.world.people.ties, place.me
    if ties.accept(TieKind.CONNECTION, other, me):
        return tell_connected(place, other)
    if not ties.put(TieKind.CONNECTION, me, other, pending=True):
        return Reply(f"you have asked @{other} already\n")
    if ties.find(TieKind.IGNORE, other, me) is None:
        _tell(place, other, INVITE, f"@{me} asks to be connected with you.")
    return f"asked @{other} to be connected\n"


def tell_connected(place: Place[World], other: str) -> str:
    """Tell a user that it is connected with the caller, and the caller the same."""
    _tell(place, other, "connected", f"@{place.me} is connected with you now.")
    return f"you are connected with @{other} now\n"


def _tell(place: Place[World], other: str, kind: str, text: str) -> None:
    """Tell another user something about the caller."""
    about = NoticeSubject(account_of(place.world, place.me).item)
    post(place.world, Message(kind, about, text, person_source(place.me)), other)


def _disconnect(place: Place[World]) -> str:
    tie = _drop(place)
    return f"you are not connected with @{tie.other if tie.name == place.me else tie.name} any more\n"


def _list_ties(kind: TieKind, place: Place[World]) -> Iterator[Named]:
    for tie in place.world.people.ties.of(kind, place.me):
        yield _tie_row(tie, tie.other)


def _list_followers(place: Place[World]) -> Iterator[Named]:
    for tie in place.world.people.ties.to(TieKind.FOLLOWING, place.me):
        yield _tie_row(tie, tie.name)


def _find_tie(kind: TieKind, place: Place[World], name: str) -> Tie | None:
    return place.world.people.ties.find(kind, place.me, name)


def _find_follower(place: Place[World], name: str) -> Tie | None:
    return place.world.people.ties.find(TieKind.FOLLOWING, name, place.me)


def _begin(kind: TieKind, place: Place[World]) -> Reply | str:
    said = f"{place.asked} is set\n"
    return said if place.world.people.ties.put(kind, place.me, _other(place)) else Reply(said)


def _drop(place: Place[World]) -> Tie:
    """The tie, which this call ended and no other at the same moment."""
    tie = place[OTHER]
    if not place.world.people.ties.drop(tie.kind, tie.name, tie.other):
        raise absent(place)
    return tie


def _end(place: Place[World]) -> str:
    _drop(place)
    return f"removed {place.asked}\n"


def _other(place: Place[World]) -> str:
    return place.name.removeprefix(PENDING)


def _is_another(place: Place[World]) -> bool:
    """Whether the name is another user's."""
    other = _other(place)
    return place.caller.name not in (None, other) and place.world.people.users.find(other) is not None


def _is_seen(place: Place[World]) -> bool:
    """Whether the name is that of another user whom the caller sees."""
    other = _other(place)
    return place.caller.name not in (None, other) and bool(place.world.people.users.sees(place.me, other))


def _tie_row(tie: Tie, name: str, sign: str = "") -> Named:
    shown = f"{sign if tie.pending else ''}{name}"
    return Named(shown, tie.created_on, tie.created_on, tie, target=f"/v1/users/{name}")


def _tie_data(place: Place[World]) -> Data:
    tie = place[OTHER]
    said = {"name": place.name.removeprefix(PENDING), "pending": tie.pending, "since": tie.created_on}
    return Data(said, lambda told: "invited" if told["pending"] else "yes")


def _folder(
    *,
    about: str,
    names: Callable[[Place[World]], Iterator[Named]],
    has: Callable[[Place[World], str], Tie | None],
    create: Callable[[Place[World]], Reply | str] | None = None,
    remove: Callable[[Place[World]], str] | None = None,
    other: Callable[[Place[World]], bool] = _is_another,
) -> Each[Tie]:
    """A folder of ties; `other` decides which names may be put there."""
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


def _own_folder(kind: TieKind, about: str, other: Callable[[Place[World]], bool]) -> Each[Tie]:
    """A folder of ties that the caller alone begins and ends."""
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
        "connections": _folder(
            about="users connected with the caller, who see each other; PUT asks, I- marks who was asked",
            names=_list_connections,
            has=_find_connection,
            create=_connect,
            remove=_disconnect,
        ),
        "followers": _folder(about="users who follow the caller", names=_list_followers, has=_find_follower),
        "following": _own_folder(TieKind.FOLLOWING, "users that the caller follows", _is_seen),
        "ignore": _own_folder(
            TieKind.IGNORE, "users whose requests to connect are not told to the caller", _is_another
        ),
    },
    rules={Verb.READ: PERSON},
    about="the caller's ties to other users",
)
