"""Registration: accounts made by their future owners."""

from __future__ import annotations

from handlers.rules.accounts import FIELDS, SCHEMA, Registration, registration
from handlers.rules.hosts import loopback, network
from handlers.services.mailboxes import HOUR, to_mailbox, try_send
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.account.challenge import challenge_letter
from handlers.trees.account.links import require_link, spend_link
from handlers.trees.facets.declared_files import JSON, LARGEST, document_action
from vfs.access import Credential, Verb
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, TooMany
from vfs.nodes import File
from vfs.ports.invitations import InvitationLink
from vfs.ports.people import Limit, User
from vfs.rules import ANYONE, IN_PERSON, Rule

SUBJECT = "Verify your e-mail address"
OPENING = "Welcome to Curlew, {name}."
UNASKED = "If you did not register, ignore this mail."

# Clients without a known address share one count, which is high enough not to refuse real users.
STRANGERS = 10
# A user of this machine could add accounts by command; a web page that sends forms to it could not.
AT_HOME = 50


def _open(context: Context[World]) -> bool:
    """Return whether this caller may register (decisions 14)."""
    settings = context.world.service.settings
    return settings.password_sign_in and (settings.registration == "open" or _at_home(context))


def _at_home(context: Context[World]) -> bool:
    """Return whether `registration` is unset and the caller is on this machine, where commands work too."""
    settings = context.world.service.settings
    return not settings.registration and hints_of(context.call).local and loopback(settings.address[0])


def _open_to_invited(context: Context[World]) -> bool:
    """Return whether this caller may register with an invitation link."""
    settings = context.world.service.settings
    return (settings.password_sign_in and settings.registration == "invited") or _open(context)


ASK_OPERATOR = "registration to be open to you: ask the operator for an account (curlew user add NAME)"
OPEN = Rule("open", _open, ASK_OPERATOR, candid=True)
OPEN_TO_INVITED = Rule("open to invited", _open_to_invited, ASK_OPERATOR, candid=True)


def register(context: Context[World], _: Body) -> Reply:
    """Make an account, which works at once; a mail lets its owner verify the address (decisions 14)."""
    return _register(context, registration(context.call.fields(LARGEST, FIELDS)))


def show_invitation(context: Context[World]) -> Data:
    """Return who made a link, when it ends, and whether the caller may register with it."""
    link = require_link(context, context.call.query.get("key"))
    may = OPEN_TO_INVITED.test(context)
    said = {"from": link.account, "expires_on": link.expires_on, "registers": may}
    return Data(said, lambda said: f"@{said['from']} invites you; the link ends on {said['expires_on']}\n")


def register_invited(context: Context[World], _: Body) -> Reply:
    """Make an account by an invitation link, connected with the maker of the link."""
    sent = dict(context.call.fields(LARGEST, (*FIELDS, "key")))
    key = sent.pop("key", None)
    link = require_link(context, key)
    return _register(context, registration(sent), (str(key), link))


def _register(
    context: Context[World], requested: Registration, by: tuple[str, InvitationLink] | None = None
) -> Reply:
    world = context.world
    _count(world, _newcomers(context), "accounts were asked for from here")
    # Operators have their rights by name, so nobody may register one of these names.
    is_kept = requested.username in world.service.settings.operators.split()
    if is_kept or world.people.users.find(requested.username) is not None:
        raise Conflict(f'the user name "{requested.username}" is taken: choose another')
    user, letter = _create(context, requested, by)
    hints_of(context.call).notes.account = user.name
    said = {
        "username": user.name,
        "account_type": user.account,
        "email": user.email,
        "verified": user.verified,
        "public": user.public,
        "created_on": user.created_on,
        "challenge": try_send(world, requested.email, SUBJECT, letter) if letter else "not mailed",
    }
    return Reply(Data(said), Outcome.CREATED, location=f"/v1/users/{user.name}")


def _create(
    context: Context[World], requested: Registration, by: tuple[str, InvitationLink] | None
) -> tuple[User, str]:
    """Return the new account, and the mail by which its owner verifies the address.

    The mail is empty where the mailbox has reached its hourly limit; the account works without it. A link is
    used up together with the creation, or not at all.
    """
    world = context.world
    is_full = world.people.rates.take([to_mailbox(world.service.settings, requested.email, "challenges")])
    secret = world.people.passwords.digest(requested.password)
    with world.atomic():
        user = world.people.users.add(
            requested.username, secret, requested.account_type, requested.email, public=requested.public
        )
        if requested.name:
            world.leaves.put(user.item, "name", requested.name, user.name)
        if by is not None:
            spend_link(context, *by, user.name)
        if is_full:
            return user, ""
        return user, challenge_letter(
            context, user.name, requested.email, OPENING.format(name=user.name), UNASKED
        )


def _newcomers(context: Context[World]) -> Limit:
    """Return the hourly limit of accounts from one address; higher at home and for unknown addresses."""
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
INVITED = File(
    show_invitation,
    register_invited,
    wants="raw",
    media=(JSON,),
    largest=LARGEST,
    long=True,
    clear=False,
    schema={
        **SCHEMA,
        "properties": {**SCHEMA["properties"], "key": {"type": "string"}},
        "required": [*SCHEMA["required"], "key"],
    },
    credential=Credential.NONE,
    query={"key": "the key of the link"},
    rules={Verb.READ: ANYONE, Verb.WRITE: IN_PERSON & OPEN_TO_INVITED},
    about="an invitation link: who made it; POST makes an account that is connected with its maker",
)
