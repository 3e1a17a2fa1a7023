"""One-time invitation links: made by a user, opened by one person, who is connected with the maker."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from handlers.identity.credentials import digest, fresh_key
from handlers.rules.hosts import network
from handlers.services.connecting import are_connected, connect, opened_lines
from handlers.services.mailboxes import HOUR
from handlers.services.viewer import hints_of
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, NotFound, TooMany
from vfs.nodes import KIB, Each, Named
from vfs.param import Param
from vfs.parts import action, value
from vfs.ports.clock import stamp
from vfs.ports.groups import TieKind
from vfs.ports.invitations import InvitationLink
from vfs.ports.items import Item
from vfs.ports.people import Limit
from vfs.rules import FIRST_HAND, IN_PERSON, SIGNED_IN, hide_unless

OWN = SIGNED_IN & FIRST_HAND & IN_PERSON
LINK: Param[InvitationLink] = Param("link")
LIFE = timedelta(days=7)
MOST_MADE = 20
"""Most links that an account makes within an hour."""
MOST_OPEN = 100
MOST_WRONG = 20
"""Most wrong keys from one address within an hour. It never refuses a right key, which has 128 bits."""


def list_links(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's links that wait to be used."""
    for link in context.world.people.links.of(context.me, _now(context)):
        yield Named(link.name, link.created_on, link.created_on, link, extra={"expires_on": link.expires_on})


def find_link(context: Context[World], name: str) -> InvitationLink | None:
    """Return the caller's link of that name."""
    return next((named.fact for named in list_links(context) if named.name == name), None)


def make_link(context: Context[World]) -> Reply:
    """Make a link and return its address, which is shown only here: only a digest of its key is stored."""
    people, me, name = context.world.people, context.me, context.name
    if len(people.links.of(me, _now(context))) >= MOST_OPEN:
        raise Conflict(f"you have {MOST_OPEN} links that wait to be used: DELETE some of them first")
    if wait := people.rates.take([Limit(f"invitation links of {me}", MOST_MADE, HOUR)]):
        raise TooMany(f"you made too many links: wait {wait} s, then try again", retry_after=wait)
    key, now = fresh_key(), context.world.service.deadlines.now()
    link = InvitationLink(me, name, stamp(now), stamp(now + LIFE))
    if not people.links.add(digest(key), link):
        raise Conflict(f'there is already something named "{name}" here')
    address = f"{hints_of(context.call).origin}/invited?key={key}"
    said = {"name": name, "link": address, "key": key, "expires_on": link.expires_on}
    answer = Data(said, lambda said: f"{said['link']}\n")
    return Reply(answer, Outcome.CREATED, location=str(context.requested))


def end_link(context: Context[World]) -> str:
    """End a link before it was used."""
    context.world.people.links.drop(context.me, context.name)
    return f"the link {context.name} is ended\n"


def require_link(context: Context[World], key: object) -> InvitationLink:
    """Return the valid link with a key. Raises NotFound and, after many wrong keys, TooMany."""
    world = context.world
    found = world.people.links.find(digest(key), _now(context)) if isinstance(key, str) and key else None
    if found is not None:
        return found
    where = network(hints_of(context.call).source)
    if wait := world.people.rates.take([Limit(f"invitation keys from {where}", MOST_WRONG, HOUR)]):
        raise TooMany(f"too many wrong links: wait {wait} s, then try again", retry_after=wait)
    raise _over()


def spend_link(context: Context[World], key: str, link: InvitationLink, guest: str) -> list[Item]:
    """Use up a link, connect its maker and the guest, and return what is open to the guest from now on.

    Call it in the transaction that needs the link. Raises NotFound if another request was first.
    """
    people = context.world.people
    if not people.links.spend(digest(key), _now(context)):
        raise _over()
    for name, other in ((link.account, guest), (guest, link.account)):
        people.ties.drop(TieKind.CONNECTION, name, other, pending=True)
    people.ties.put(TieKind.CONNECTION, link.account, guest)
    return list(connect(context.world, link.account, guest, f", by your link {link.name}"))


def accept(context: Context[World], key: str) -> str:
    """Connect the caller with the maker of a link, and use the link up."""
    link = require_link(context, key)
    if link.account == context.me:
        raise Conflict("it is your own link: send it to somebody else")
    if are_connected(context.world, context.me, link.account):
        raise Conflict(f"you are connected with @{link.account} already: the link is still open")
    with context.world.atomic():
        opened = spend_link(context, key, link, context.me)
    return f"you are connected with @{link.account} now\n{opened_lines(context.world, opened)}"


def _now(context: Context[World]) -> str:
    return stamp(context.world.service.deadlines.now())


def _over() -> NotFound:
    return NotFound(
        "this link was used, ended or is older than 7 days, or there never was one: ask for another"
    )


# Outside a transaction, so that a wrong key is counted.
ACCEPT = action(
    accept,
    needs=OWN,
    check=str.strip,
    largest=KIB,
    long=True,
    about="the key of a link: connects its maker and the caller",
)
LINKS = Each(
    LINK,
    value(
        lambda context: f"a link that ends on {context[LINK].expires_on}\n",
        about="a link that waits to be used; DELETE ends it",
    ),
    names=list_links,
    has=hide_unless(OWN, find_link),
    create=make_link,
    remove=end_link,
    rules={Verb.READ: OWN, Verb.CREATE: OWN, Verb.REMOVE: OWN},
    about="one-time links that invite a colleague; PUT of a name makes one, and answers its address",
)
