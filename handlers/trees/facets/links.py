"""Links of a visual: keys with which people without an account read it, made and ended by its owner."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.identity.credentials import digest, fresh_key
from handlers.rules.addresses import LINK as FOLDER
from handlers.rules.expiry import MOST_USES, NAME, NAME_RULE, link_end, link_password
from handlers.services.snapshots import snapshots_of
from handlers.services.viewer import hints_of
from handlers.services.world import World
from vfs.access import Grant, Holding, Verb, public_holding
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, Invalid
from vfs.nodes import KIB, Check, Dir, Each, File, Named, Write
from vfs.param import Param
from vfs.parts import TRUE, number, value
from vfs.ports.clock import stamp
from vfs.ports.links import ItemLink
from vfs.rules import FIRST_HAND, OWNER

MASTER = OWNER & FIRST_HAND
LINK: Param[ItemLink] = Param("shared_link")
MOST_LINKS = 100
LETTERS = "r"
"""The permission letters of every link."""
OFF = "the operator of this server has switched off links without an account (setting links)"


def list_links(context: Context[World]) -> Iterator[Named]:
    """Yield the links of an item, by name, to people who make them."""
    if MASTER.test(context):
        yield from map(_named, context.world.social.links.of(context.here.id))


def _named(link: ItemLink) -> Named:
    extra = {
        "count": link.used,
        "last_use": link.last_use,
        "expires": link.expires_on,
        "uses": link.uses,
        "password": link.password is not None,
        "pinned": link.pinned,
    }
    return Named(link.name, link.created_on, link.created_on, link, extra=extra)


def find_link(context: Context[World], name: str) -> ItemLink | None:
    """Return the link of that name."""
    return next((named.fact for named in list_links(context) if named.name == name), None)


def make_link(context: Context[World]) -> Reply | str:
    """Make a link and return its address, which is shown only here: only a digest of its key is stored."""
    world, item, name = context.world, context.here, context.name
    noun = world.service.kinds[item.kind].noun
    if not world.service.settings.links:
        raise Denied(OFF)
    if context.get(LINK) is not None:
        return f"{name} is there already; its address was shown once: if it is lost, make another\n"
    links = world.social.links
    if len(links.of(item.id)) >= MOST_LINKS:
        raise Conflict(f"the {noun} has {MOST_LINKS} links: DELETE one of them first")
    key = fresh_key()
    if not links.add(item.id, ItemLink(digest(key), name, stamp(world.clock.now()))):
        raise Conflict(f'there is already something named "{name}" here')
    lost = f"It is not shown again. If it is lost, make another link, and DELETE {context.requested}."
    address = f"{hints_of(context.call).origin}/{FOLDER}/{key}"
    shown = Data(
        {"name": name, "address": address, "if_lost": lost},
        lambda said: (
            f"{said['address']}\nAnybody who has this address can read the {noun} {item.name}.\n{lost}\n"
        ),
    )
    return Reply(shown, Outcome.CREATED, location=str(context.requested))


def end_link(context: Context[World]) -> str:
    """End a link: its address is unknown from now on."""
    context.world.social.links.drop(context.here.id, context.name)
    return f"{context.name} is ended\n"


def holding_of(context: Context[World], link: ItemLink) -> Holding:
    """Return the access of people who have a link: none once it has ended."""
    effective = is_open(context.world, link)
    return public_holding(Grant(link.name, LETTERS, link.name), context.confers, effective=effective)


def is_open(world: World, link: ItemLink) -> bool:
    """Return whether a link opens its item now."""
    is_over = link.is_over(stamp(world.service.deadlines.now()))
    return world.service.settings.links and not is_over and not link.is_used_up()


def _change(context: Context[World], field: str, sent: str | int | None) -> None:
    context.world.social.links.change(context[LINK].digest, field, sent)


def _set_end(context: Context[World], sent: str) -> None:
    _change(context, "expires_on", link_end(sent, context.world.service.deadlines.now()))


def _set_password(context: Context[World], sent: str) -> str:
    _change(context, "password", context.world.people.passwords.digest(sent))
    return "the password is set, and never shown\n"


def _pin(context: Context[World], sent: str) -> None:
    """Pin a snapshot by its name, or the newest one. Raises Invalid if there is none."""
    name = sent.strip()
    found = [one.name for one in snapshots_of(context.world, context.here)]
    if name in TRUE and name not in found:
        name = found[0] if found else name
    if name not in found:
        missing = f'no snapshot "{name[:80]}"' if found else "no snapshot of it yet"
        raise Invalid(f"there is {missing}: make a snapshot of the document or grid first")
    _change(context, "pinned", name)


def _field(field: str, write: Write, about: str, check: Check | None = None) -> File:
    """Return the file of a field of a link; DELETE sets it to None."""
    return File(
        lambda context: str(getattr(context[LINK], field) or ""),
        write,
        check=check,
        clear=lambda context: _change(context, field, None),
        largest=KIB,
        hidden=True,
        about=about,
    )


FILES = {
    "expires": _field("expires_on", _set_end, "when it ends: days, a date or a time; DELETE for never"),
    "password": File(
        write=_set_password,
        check=link_password,
        clear=lambda context: _change(context, "password", None),
        silent=True,
        long=True,
        largest=KIB,
        hidden=True,
        about="the password that readers have to send; written, never read",
    ),
    "uses": _field(
        "uses",
        lambda context, sent: _change(context, "uses", int(sent)),
        "after how many uses it ends; DELETE for any number",
        number(1, MOST_USES),
    ),
    "pinned": _field(
        "pinned",
        _pin,
        "the snapshot that it shows instead of the present item: a name, or yes for the newest",
    ),
    "count": value(lambda context: str(context[LINK].used), hidden=True, about="how often it was used"),
    "last_use": value(
        lambda context: context[LINK].last_use or "", hidden=True, about="when it was used last"
    ),
}
LINKS = Each(
    LINK,
    Dir(
        FILES,
        shown=lambda context: _named(context[LINK]),
        hidden=True,
        about="a link without an account; DELETE ends it",
    ),
    names=list_links,
    has=find_link,
    create=make_link,
    remove=end_link,
    name=NAME,
    name_rule=NAME_RULE,
    again=True,
    hidden=True,
    rules=dict.fromkeys((Verb.READ, Verb.WRITE, Verb.CREATE, Verb.REMOVE), MASTER),
    still=True,
    about="links that open it without an account",
)
