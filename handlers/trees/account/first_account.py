"""The first account: made in a browser with the key that `curlew serve` prints while no account exists."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple

from handlers.identity.credentials import digest, fresh, is_credential
from handlers.rules.accounts import checked_fields, email, password, username
from handlers.rules.hosts import network
from handlers.services.accounts import FOUNDER
from handlers.services.mailboxes import HOUR
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.account.session import begin_session
from handlers.trees.facets.declared_files import LARGEST, document_action
from vfs.access import Credential
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import NotFound, TooMany
from vfs.ports.clock import stamp
from vfs.ports.people import Account, Limit
from vfs.rules import ANYONE, Rule

LIFE = timedelta(minutes=30)
MOST_GUESSES = 20
"""Most wrong keys from one address within an hour. It never refuses the right key, which has 256 bits."""
FIELDS: Mapping[str, object] = {
    "key": {"type": "string"},
    "username": {"type": "string"},
    "password": {"type": "string"},
    "email": {"type": ["string", "null"], "description": "for a forgotten password; may be left out"},
}
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": FIELDS,
    "required": ["key", "username", "password"],
}


CHECKS: Mapping[str, Callable[[object], object]] = {
    "username": username,
    "password": password,
    "email": lambda sent: email(sent) if sent else None,
}


class FirstAccount(NamedTuple):
    """The requested user name, password and optional e-mail address."""

    username: str
    password: str
    email: str | None


def renew_key(world: World) -> str | None:
    """Return a new setup key, which voids the last one; None where an account exists or setup is off."""
    if world.service.settings.setup_from == "nowhere":
        return None
    key = fresh()
    until = stamp(world.service.deadlines.now() + LIFE)
    return key if world.people.setup.renew(digest(key), until) else None


def _waits(context: Context[World]) -> bool:
    """Return whether this caller may make a first account."""
    world = context.world
    near = hints_of(context.call).local or world.service.settings.setup_from == "anywhere"
    return near and world.people.setup.current(_now(world)) is not None


WAITS = Rule(
    "waits",
    _waits,
    "no account to be there, and an address that curlew serve printed within the last 30 minutes, opened on "
    "the host of this service (setup_from changes that); curlew user add NAME makes an account at any time",
    candid=True,
)


def claim(context: Context[World], _: Body) -> Reply:
    """Make the first account with the key, once, and begin its session.

    Its address counts as verified without a mail: the key shows that the caller runs this service, and there
    is no other account that could have verified it.
    """
    world, sent = context.world, context.call.fields(LARGEST, FIELDS)
    key = _key(context, sent.get("key"))
    requested = FirstAccount(**checked_fields(sent, CHECKS))
    secret = world.people.passwords.digest(requested.password)
    with world.atomic():
        if not world.people.setup.spend(key, _now(world)):
            raise _unknown()  # another request used the key first
        user = world.people.users.add(
            requested.username, secret, Account.REGULAR, requested.email, public=False
        )
        world.leaves.put(user.item, FOUNDER, "yes", user.name)
        if user.email is not None:
            world.people.users.change(user.name, verified=True)
        session = begin_session(context, user.name)
    hints_of(context.call).notes.account = user.name
    said = {
        "username": user.name,
        "email": user.email,
        "verified": user.email is not None,
        "token": session.value,
        "expires_on": session.expires_on,
    }
    return Reply(Data(said), Outcome.CREATED, location=f"/v1/users/{user.name}", session=session.value)


def _key(context: Context[World], sent: object) -> str:
    """Return the digest of the key that was sent, if it is the current one. Raises NotFound, TooMany."""
    world, where = context.world, network(hints_of(context.call).source)
    held = world.people.setup.current(_now(world)) or ""
    given = digest(sent) if isinstance(sent, str) and is_credential(sent) else ""
    if not given or not hmac.compare_digest(held, given):
        if wait := world.people.rates.take([Limit(f"setup keys from {where}", MOST_GUESSES, HOUR)]):
            raise TooMany(f"too many wrong keys: wait {wait} s, then try again", retry_after=wait)
        raise _unknown()
    return given


def _unknown() -> NotFound:
    return NotFound(
        "the key is unknown, was used, or is older than 30 minutes: start the service again, and open the "
        "address that it prints"
    )


def _now(world: World) -> str:
    return stamp(world.service.deadlines.now())


SETUP = document_action(
    claim,
    needs=ANYONE & WAITS,
    schema=SCHEMA,
    credential=Credential.NONE,
    about="make the first account, by the key that curlew serve prints",
)
