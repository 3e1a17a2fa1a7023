"""Signing up: accounts made by those who will use them."""

from __future__ import annotations

from handlers.rules.accounts import FIELDS, SCHEMA, Registration, registration
from handlers.rules.hosts import loopback, network
from handlers.services.hints import hints_of
from handlers.services.mailboxes import HOUR, to_mailbox, try_send
from handlers.services.world import World
from handlers.trees.account.challenge import challenge_letter
from handlers.trees.account.documents import LARGEST, document_action
from vfs.access import Credential
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, TooMany
from vfs.ports.people import Limit, User
from vfs.rules import IN_PERSON, Rule

SUBJECT = "Verify your e-mail address"
OPENING = "Welcome to Curlew, {name}."
UNASKED = "If you did not register, ignore this mail."

# Clients that cannot be told apart share one count, which stops floods and not people.
STRANGERS = 10
# A user of the machine could add accounts by command; a page of the web that sends forms there could not.
AT_HOME = 50


def _open(context: Context[World]) -> bool:
    """Whether this caller may register (decisions 14)."""
    return context.world.service.settings.registration == "open" or _at_home(context)


def _at_home(context: Context[World]) -> bool:
    """Whether nothing is set, and the caller is at the machine, who could add accounts by command as well."""
    settings = context.world.service.settings
    return not settings.registration and hints_of(context.call).local and loopback(settings.address[0])


OPEN = Rule(
    "open",
    _open,
    "registration to be open to you: ask the operator for an account (curlew user add NAME)",
    candid=True,
)


def register(context: Context[World], _: Body) -> Reply:
    """Make an account, which works at once; a mail lets its owner verify the address (decisions 14)."""
    world = context.world
    wish = registration(context.call.fields(LARGEST, FIELDS))
    _count(world, _newcomers(context), "accounts were asked for from here")
    # The rights of an operator hang on the name: the first who asks must not get it.
    is_kept = wish.username in world.service.settings.operators.split()
    if is_kept or world.people.users.find(wish.username) is not None:
        raise Conflict(f'the user name "{wish.username}" is taken: choose another')
    user, letter = _create(context, wish)
    hints_of(context.call).notes.account = user.name
    said = {
        "username": user.name,
        "account_type": user.account,
        "email": user.email,
        "verified": user.verified,
        "public": user.public,
        "created_on": user.created_on,
        "challenge": try_send(world, wish.email, SUBJECT, letter) if letter else "not mailed",
    }
    return Reply(Data(said), Outcome.CREATED, location=f"/v1/users/{user.name}")


def _create(context: Context[World], wish: Registration) -> tuple[User, str]:
    """The new account, and the letter by which its owner verifies the address.

    There is none where the mailbox had its mails of this hour: the account works all the same.
    """
    world = context.world
    is_full = world.people.rates.take([to_mailbox(world.service.settings, wish.email, "challenges")])
    secret = world.people.passwords.digest(wish.password)
    with world.atomic():
        user = world.people.users.add(
            wish.username, secret, wish.account_type, wish.email, public=wish.public
        )
        if wish.name:
            world.leaves.put(user.item, "name", wish.name, user.name)
        if is_full:
            return user, ""
        return user, challenge_letter(context, user.name, wish.email, OPENING.format(name=user.name), UNASKED)


def _newcomers(context: Context[World]) -> Limit:
    """The limit of accounts made from one address in an hour; a multiple at home, and where none is known."""
    most, source = context.world.service.settings.registrations, hints_of(context.call).source
    times = AT_HOME if _at_home(context) else 1 if source else STRANGERS
    return Limit(f"registrations from {network(source)}", most * times, HOUR)


def _count(world: World, limit: Limit, what: str) -> None:
    """Count towards a limit. Raises TooMany when it is reached."""
    if wait := world.people.rates.take([limit]):
        raise TooMany(f"too many {what} within an hour: wait {wait} s, then try again", retry_after=wait)


REGISTER = document_action(
    register,
    needs=IN_PERSON & OPEN,
    schema=SCHEMA,
    credential=Credential.NONE,
    about="make an account",
)
