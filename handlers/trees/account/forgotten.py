"""Forgotten passwords: a code goes to the verified address of an account, and sets a new one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from handlers.identity.credentials import digest, fresh, is_credential
from handlers.identity.passwords import network
from handlers.rules.accounts import email as email_address
from handlers.rules.accounts import password, truth
from handlers.services.accounts import account_of
from handlers.services.hints import hints_of
from handlers.services.mailboxes import HOUR, public_origin, send_later, to_mailbox
from handlers.services.world import World
from handlers.trees.account.documents import LARGEST, document_action
from handlers.trees.account.password import end_credentials, tell_owner
from vfs.body import Body
from vfs.errors import Invalid, NotFound, TooMany
from vfs.place import Place
from vfs.ports.people import Limit
from vfs.ports.world import stamp
from vfs.rules import ANYONE

CODE_LIFE = timedelta(minutes=30)
REQUESTS, STRANGERS = 10, 10
"""Requests from one address within an hour, and how many times as many where no address is known."""
FORGOTTEN_WISH: Mapping[str, object] = {
    "type": "object",
    "properties": {"email": {"type": "string"}},
    "required": ["email"],
}
RESET_WISH: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "new_password": {"type": "string"},
        "revoke_tokens": {"type": ["boolean", "string", "null"], "description": "end all tokens too"},
    },
    "required": ["code", "new_password"],
}
LETTER = """A new password was asked for, for your Curlew account {name}.

To set one within 30 minutes, {link}send it in place of NEW:

  curl -X POST {origin}/v1/admin/reset \\
    -H 'Content-Type: application/json' \\
    -d '{{"code": "{code}", "new_password": "NEW"}}'

If you did not ask for it, ignore this mail: your password stays as it is.
"""
SAME = "if an account has verified this address, a mail that tells how to go on is on its way\n"


def forget(place: Place[World], body: Body) -> str:
    """Mail a code to the account with an address; nobody is told whether there is one."""
    world, sent = place.world, _object(body)
    try:
        address = email_address(sent.get("email"))
    except Invalid as wrong:
        raise Invalid(f"email: {wrong.detail}") from None
    limits = [_asking(place), to_mailbox(world.service.settings, address, "forgotten passwords")]
    if wait := world.people.rates.take(limits):
        raise TooMany(f"asked too often: wait {wait} s, then try again", retry_after=wait)
    user, code = world.people.resets.account_of(address), fresh()
    until = stamp(world.service.deadlines.now() + CODE_LIFE)
    # Equal work whether there is such an account: a code of nobody sets nothing.
    world.people.resets.add(digest(code), user or "", address, until)
    if user is not None:
        origin = public_origin(world.service.settings, hints_of(place.call).origin)
        letter = LETTER.format(name=user, origin=origin or "CURLEW", code=code, link=_link(origin, code))
        send_later(world, address, "Set a new password", letter)
    return SAME


def reset(place: Place[World], body: Body) -> str:
    """Set a new password by a code, once; ends all sessions and, where asked for, all tokens."""
    world, sent = place.world, _object(body)
    word, every = _new_password(sent.get("new_password")), truth(sent.get("revoke_tokens"), "revoke_tokens")
    code = str(sent.get("code"))
    if wait := world.people.rates.take([_asking(place)]):
        raise TooMany(f"asked too often: wait {wait} s, then try again", retry_after=wait)
    secret = world.people.passwords.digest(word)
    with world.atomic():
        now = stamp(world.service.deadlines.now())
        name = world.people.resets.spend(digest(code), now) if is_credential(code) else None
        if name is None:
            raise NotFound("the code is unknown, was used, or is older than 30 minutes: ask for another")
        _new_password(word, name)  # refused, the code stays good
        world.people.users.change(name, password=secret)
        ended = end_credentials(world, name, every=every)
    hints_of(place.call).notes.account = name
    return f"the password was changed; {ended}{tell_owner(place, account_of(world, name), ended)}\n"


def _link(origin: str, code: str) -> str:
    """The beginning of a sentence that names the page, where the address of this service is certain."""
    return f"open\n\n  {origin}/reset?code={code}\n\nor " if origin else ""


def _asking(place: Place[World]) -> Limit:
    source = hints_of(place.call).source
    return Limit(f"forgotten passwords from {network(source)}", REQUESTS * (1 if source else STRANGERS), HOUR)


def _new_password(sent: object, name: str | None = None) -> str:
    try:
        return password(sent, name)
    except Invalid as wrong:
        raise Invalid(f"the password was not changed: new_password: {wrong.detail}") from None


def _object(body: Body) -> Mapping[str, object]:
    sent = body.data(LARGEST)
    if not isinstance(sent, Mapping):
        raise Invalid("send a JSON object")
    return sent


FORGOTTEN = document_action(
    forget, needs=ANYONE, schema=FORGOTTEN_WISH, about="mail a code for a forgotten password"
)
RESET = document_action(reset, needs=ANYONE, schema=RESET_WISH, about="set a new password by a mailed code")
