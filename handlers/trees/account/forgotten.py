"""Forgotten passwords: a code is mailed to an account's verified address, and sets a new password."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from handlers.identity.credentials import digest, fresh, is_credential
from handlers.rules.accounts import email as email_address
from handlers.rules.accounts import truth
from handlers.rules.hosts import network
from handlers.services.accounts import account_of
from handlers.services.mailboxes import HOUR, NO_RELAY, public_origin, send_later, to_mailbox
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.account.password import end_credentials, new_password, notify_owner
from handlers.trees.account.session import PASSWORDS
from handlers.trees.facets.declared_files import LARGEST, document_action
from vfs.access import Credential
from vfs.body import Body
from vfs.context import Context
from vfs.errors import Invalid, NotFound, TooMany, VfsError
from vfs.ports.clock import stamp
from vfs.ports.people import Limit
from vfs.rules import ANYONE

CODE_LIFE = timedelta(minutes=30)
REQUESTS, STRANGERS = 10, 10
"""Requests from one network address within an hour, and the factor for callers without a known address."""
MOST_FIRST = 20_000
"""Most first requests within a code's life by callers without a known address: each stores a row."""
FIRSTS = "first requests for forgotten passwords of anybody"
ASKS: Mapping[str, object] = {"email": {"type": "string"}}
FORGOTTEN_SCHEMA: Mapping[str, object] = {"type": "object", "properties": ASKS, "required": ["email"]}
SETS: Mapping[str, object] = {
    "code": {"type": "string"},
    "new_password": {"type": "string"},
    "revoke_tokens": {"type": ["boolean", "string", "null"], "description": "end all tokens too"},
}
RESET_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": SETS,
    "required": ["code", "new_password"],
}
LETTER = """A new password was asked for, for your Curlew account {name}.

To set one within 30 minutes, {link}send it in place of NEW:

  curl -X POST {origin}/v1/admin/reset \\
    -H 'Content-Type: application/json' \\
    -d '{{"code": "{code}", "new_password": "NEW"}}'

If you did not ask for it, ignore this mail: your password stays as it is.
"""
SAME = "if an account has verified this address, a mail with the next step is on its way\n"
KEPT = f"no mail is on its way: {NO_RELAY}, and sets passwords until then (curlew user passwd)\n"


def forget(context: Context[World], _: Body) -> str:
    """Mail a code to the account with an address; the answer does not show whether there is one."""
    world, sent = context.world, context.call.fields(LARGEST, ASKS)
    try:
        address = email_address(sent.get("email"))
    except Invalid as wrong:
        raise Invalid(f"email: {wrong.detail}") from None
    counted = _count(context, address)
    found, code = world.people.resets.account_of(address), fresh()
    now = world.service.deadlines.now()
    # Do the same work where there is no such account: a code without a user sets nothing.
    user, email = found or ("", address)
    world.people.resets.add(
        digest(code), user, email, asker=_asker(context), now=stamp(now), expires_on=stamp(now + CODE_LIFE)
    )
    if user:
        origin = public_origin(world.service.settings, hints_of(context.call).origin)
        letter = LETTER.format(name=user, origin=origin or "CURLEW", code=code, link=_link(origin, code))
        if not send_later(world, email, "Set a new password", letter):
            world.people.rates.give_back([limit.subject for limit in counted])
    return SAME if world.service.settings.sends_mail else KEPT


def reset(context: Context[World], _: Body) -> str:
    """Set a new password by a code, once; end all sessions and, if requested, all tokens."""
    world, sent = context.world, context.call.fields(LARGEST, SETS)
    word, every = new_password(sent.get("new_password")), truth(sent.get("revoke_tokens"), "revoke_tokens")
    code = digest(str(sent.get("code"))) if is_credential(str(sent.get("code"))) else ""
    name = world.people.resets.find(code, _now(world))
    if name is None:
        raise _unknown(context)
    new_password(word, name)  # checked first: a refused password does not spend the code
    secret = world.people.passwords.digest(word)
    with world.atomic():
        if world.people.resets.spend(code, _now(world)) is None:
            raise _unknown(context)  # another request used the code first
        world.people.users.change(name, password=secret)
        ended = end_credentials(world, name, every=every)
    hints_of(context.call).notes.account = name
    return f"the password was changed; {ended}{notify_owner(context, account_of(world, name), ended)}\n"


def _count(context: Context[World], address: str) -> Sequence[Limit]:
    """Count a request and return the limits that counted it. Raises TooMany.

    The first request for an address from each network is accepted within that network's limit, and another
    one after CODE_LIFE, even if strangers asked for the same address. Callers without a known network share a
    limit of MOST_FIRST. So a caller refused by another limit still has a valid code.
    """
    world, asker, life = context.world, _asker(context), int(CODE_LIFE.total_seconds())
    first = Limit(f"forgotten password of {address.lower()} from {asker}", 1, life)
    all_of_asker = _asking(context)
    firsts = all_of_asker if asker else Limit(FIRSTS, MOST_FIRST, life)
    to_one = to_mailbox(world.service.settings, address, "forgotten passwords")
    if not world.people.rates.take([first, firsts]):
        return [first] if world.people.rates.take([to_one]) else [first, to_one]
    if wait := world.people.rates.take([all_of_asker, to_one]):
        raise TooMany(f"too many requests: wait {wait} s, then try again", retry_after=wait)
    return [to_one]


def _unknown(context: Context[World]) -> VfsError:
    """Return the refusal of a wrong code, and count it: the limit never refuses a right code."""
    if wait := context.world.people.rates.take([_asking(context)]):
        return TooMany(f"too many requests: wait {wait} s, then try again", retry_after=wait)
    return NotFound(
        "the code is unknown, was used, is older than 30 minutes, or is void as the password or the address "
        "was changed: ask for another"
    )


def _link(origin: str, code: str) -> str:
    """Return the start of a sentence with the page's address; empty if the service's origin is unknown."""
    return f"open\n\n  {origin}/reset?code={code}\n\nor " if origin else ""


def _asker(context: Context[World]) -> str:
    """Return the network that a request came from; empty where it is unknown."""
    return network(hints_of(context.call).source)


def _asking(context: Context[World]) -> Limit:
    asker = _asker(context)
    return Limit(f"forgotten passwords from {asker}", REQUESTS * (1 if asker else STRANGERS), HOUR)


def _now(world: World) -> str:
    return stamp(world.service.deadlines.now())


FORGOTTEN = document_action(
    forget,
    needs=ANYONE & PASSWORDS,
    schema=FORGOTTEN_SCHEMA,
    credential=Credential.NONE,
    about="mail a code for a forgotten password",
)
RESET = document_action(
    reset,
    needs=ANYONE & PASSWORDS,
    schema=RESET_SCHEMA,
    credential=Credential.NONE,
    about="set a new password by a mailed code",
)
