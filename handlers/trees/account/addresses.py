"""The caller's e-mail addresses: add, verify by mail, make primary and remove."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.rules.accounts import EMAIL_ADDRESS, email
from handlers.services.accounts import account_of
from handlers.services.mailboxes import HOUR, NO_RELAY, to_mailbox, try_send
from handlers.services.world import World
from handlers.trees.account.challenge import challenge_letter
from handlers.trees.account.password import HOLDER
from handlers.trees.facets.declared_files import YES_NO
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Conflict, Invalid, QuotaReached, TooMany, Unmet
from vfs.nodes import KIB, Dir, Each, File, Named
from vfs.param import Param
from vfs.parts import boolean, value
from vfs.ports.people import MOST_ADDRESSES, EmailAddress, Limit
from vfs.rules import IN_PERSON, IN_SESSION, R, hide_unless

EMAIL: Param[EmailAddress] = Param("email")
CHALLENGES = 20
"""Most codes that are mailed for one account within an hour, for all addresses together."""
OPENING = "The Curlew account {name} adds this address."
UNASKED = "If you did not ask for this, ignore this mail: the address is not used before it is verified."
MOVED = """The primary address of your Curlew account {name} was changed from {old} to {new}.

If that was not you, ask the operator of the service to lock the account, and to set a new password.
"""
GONE = """This address was removed from the Curlew account {name}.

If that was not you, change your password and revoke your tokens, then add the address again.
"""


def list_addresses(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's addresses, the primary one first."""
    for one in context.world.people.addresses.of(context.me):
        changed = max(filter(None, (one.added_on, one.verified_on, one.primary_on)))
        extra = {"status": status_of(one), "primary": one.primary}
        yield Named(one.address, one.added_on, changed, one, extra=extra)


def find_address(context: Context[World], name: str) -> EmailAddress | None:
    """Return the caller's address of that name, ignoring case."""
    return context.world.people.addresses.find(context.me, name) if context.me else None


def add(context: Context[World]) -> Reply | str:
    """Add an address and mail it a code; mail another code to an address that is not verified yet.

    An address that belongs to another account is answered like any other until its code is sent.
    """
    world = context.world
    kept = find_address(context, context.name)
    if kept is not None and kept.verified_on is not None:
        return Reply(f"{kept.address} is verified\n")
    address = _read_address(context.name) if kept is None else kept.address
    _count_challenge(context, address)
    if kept is None and not world.people.addresses.add(context.me, address):
        raise QuotaReached(f"an account has at most {MOST_ADDRESSES} addresses: remove one first")
    letter = challenge_letter(context, context.me, address, OPENING.format(name=context.me), UNASKED)
    if try_send(world, address, "Verify your e-mail address", letter) == "mailed":
        said = f"{address} is to be verified: a mail with a code is on its way\n"
    else:
        why = "no mail could be sent: PUT it again later" if world.service.settings.sends_mail else NO_RELAY
        said = f"{address} is to be verified, but {why}\n"
    return said if kept is None else Reply(said)


def remove(context: Context[World]) -> str:
    """Remove an address. The primary one cannot be removed: make another one primary first."""
    one, world = context[EMAIL], context.world
    if not world.people.addresses.remove(context.me, one.address):
        raise Conflict(
            f"{one.address} is the primary address: make another one primary first "
            "(POST yes to its file primary)"
        )
    if one.verified_on is not None:
        _mail(context, one.address, "An address was removed", GONE.format(name=context.me))
    return f"removed {one.address}\n"


def make_primary(context: Context[World], sent: str) -> str:
    """Make the address the primary one, and notify the previous primary address."""
    one, world = context[EMAIL], context.world
    if not boolean(sent):
        raise Invalid("an account has one primary address: POST yes to the one that takes its place")
    if one.primary:
        return "yes"
    before = account_of(world, context.me)
    if not world.people.addresses.make_primary(context.me, one.address):
        raise Unmet(f"{one.address} is not verified: send the code that was mailed to it first")
    if before.email is not None and before.verified:
        letter = MOVED.format(name=context.me, old=before.email, new=one.address)
        _mail(context, before.email, "Your primary address was changed", letter)
    return "yes"


def status_of(one: EmailAddress) -> str:
    """Return the status of an address: verified, or pending until its code is sent."""
    return "pending" if one.verified_on is None else "verified"


def activity(context: Context[World]) -> Data:
    """Return the events of an address, oldest first."""
    one = context[EMAIL]
    events = ((one.added_on, "added"), (one.verified_on, "verified"), (one.primary_on, "made primary"))
    rows = [{"log_time": at, "severity": "info", "message": said} for at, said in events if at is not None]
    rows.sort(key=lambda row: row["log_time"])
    return Data(rows, lambda rows: "".join(f"{row['log_time']}  {row['message']}\n" for row in rows))


def _read_address(name: str) -> str:
    try:
        return email(name)
    except Invalid as wrong:
        raise Invalid(f"{name[:80]} is no e-mail address: {wrong.detail}") from None


def _count_challenge(context: Context[World], address: str) -> None:
    world = context.world
    limits = [
        Limit(f"challenges of {context.me}", CHALLENGES, HOUR),
        to_mailbox(world.service.settings, address, "challenges"),
    ]
    if wait := world.people.rates.take(limits):
        raise TooMany(
            f"too many mails were asked for within an hour: wait {wait} s, then try again", retry_after=wait
        )


def _mail(context: Context[World], address: str, subject: str, letter: str) -> None:
    world = context.world
    if not world.people.rates.take([to_mailbox(world.service.settings, address, "address changes")]):
        try_send(world, address, subject, letter)


ADDRESSES = Each(
    EMAIL,
    Dir(
        {
            "address": value(lambda context: context[EMAIL].address, about="the address"),
            "status": value(lambda context: status_of(context[EMAIL]), about="verified, or pending"),
            "primary": File(
                lambda context: YES_NO[0] if context[EMAIL].primary else YES_NO[1],
                make_primary,
                values=YES_NO,
                clear=False,
                largest=KIB,
                rules={Verb.WRITE: HOLDER & IN_SESSION},
                about="whether mails to the caller go there; write yes to make a verified one primary",
            ),
            "log": value(activity, about="when it was added, verified and made primary"),
        },
        about="an address; DELETE removes it",
    ),
    names=list_addresses,
    has=hide_unless(IN_PERSON, find_address),
    create=add,
    remove=remove,
    name=EMAIL_ADDRESS,
    name_rule="an e-mail address such as ann@example.org",
    again=True,
    rules={Verb.READ: R & IN_PERSON, Verb.CREATE: HOLDER, Verb.REMOVE: HOLDER},
    about="the caller's e-mail addresses; PUT adds one, and mails it a code",
)
