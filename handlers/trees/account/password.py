"""The change of the caller's own password: it needs the present one, and is reported by mail."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.identity.second_factors import CodeNeeded
from handlers.rules.accounts import LONGEST_PASSWORD, given_password, password, truth
from handlers.services.accounts import account_of
from handlers.services.mailboxes import to_mailbox, try_send
from handlers.services.viewer import hints_of, sender_of
from handlers.services.world import World
from handlers.trees.facets.declared_files import JSON, LARGEST, document_action
from vfs.access import Credential, Via
from vfs.body import Body
from vfs.context import Context
from vfs.errors import Denied, Invalid, Unauthenticated
from vfs.ports.clock import stamp
from vfs.ports.people import User
from vfs.rules import FIRST_HAND, IN_PERSON, OWNER, W

MASTER = OWNER & W & IN_PERSON
HOLDER = OWNER & W & FIRST_HAND
TEXT = "text/plain"
HOW = (
    "a new password needs the present one: send JSON "
    '{"password": "<the present one>", "new_password": "<the new one>"}, or the new one as text with the '
    "present one by basic authentication (curl -u NAME)"
)
FIELDS: Mapping[str, object] = {
    "password": {"type": "string"},
    "code": {"type": ["string", "null"], "description": "of the second factor, if there is one"},
    "new_password": {"type": "string"},
    "revoke_tokens": {"type": ["boolean", "string", "null"], "description": "end all tokens too"},
}
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "description": "the present password, unless it is sent by basic authentication, and the new one",
    "properties": FIELDS,
    "required": ["new_password"],
}
LETTER = """The password of your Curlew account {name} was changed on {now}, from {address}.

{ended}

If that was not you, ask the operator of the service to lock the account, and to set a new password.
"""


def change(context: Context[World], _: Body) -> str:
    """Set the password, end all sessions and, if requested, all tokens (decisions 18)."""
    world, sent = context.world, _fields(context)
    word = new_password(sent.get("new_password"), context.me)
    every = truth(sent.get("revoke_tokens"), "revoke_tokens")
    _hold_present(context, sent)
    user = account_of(world, context.me)
    secret = world.people.passwords.digest(word)
    with world.atomic():
        world.people.users.change(user.name, password=secret)
        ended = end_credentials(world, user.name, every=every)
    return f"the password was changed; {ended}{notify_owner(context, user, ended)}\n"


def _fields(context: Context[World]) -> Mapping[str, object]:
    """Return the fields of the document that was sent; plain text is the new password alone."""
    if context.call.body.media == JSON:
        return context.call.fields(LARGEST, FIELDS)
    word = context.call.line(LONGEST_PASSWORD + 2, FIELDS)
    if context.caller.via is not Via.PASSWORD:
        raise Denied(HOW)
    return {"new_password": word}


def _hold_present(context: Context[World], sent: Mapping[str, object]) -> None:
    """Raise Denied unless the present password was sent; a wrong one counts as a failed sign-in."""
    if context.caller.via is Via.PASSWORD:
        return
    shown = sent.get("password")
    if not isinstance(shown, str):
        raise Denied(HOW)
    word, code, proofs = given_password(shown), str(sent.get("code") or ""), context.world.people.proofs
    fresh = proofs.is_fresh(context.caller)
    try:
        proofs.by_password(context.me, word, code, sender_of(context.call), fresh=fresh)
    except CodeNeeded as needed:
        raise Denied(f"the password was not changed: {needed.detail}", **needed.members) from None
    except Unauthenticated:
        raise Denied("the password was not changed: the present one is wrong") from None


def new_password(sent: object, name: str | None = None) -> str:
    """Return a password that fits its rules. Raises Invalid, in which it is `new_password`."""
    try:
        return password(sent, name)
    except Invalid as wrong:
        raise Invalid(f"the password was not changed: new_password: {wrong.detail}") from None


def end_credentials(world: World, user: str, *, every: bool) -> str:
    """End the sessions, and all tokens if `every` is true; return a sentence about what ended."""
    living, now = 0, stamp(world.service.deadlines.now())
    for token in world.people.tokens.of(user):
        if every or token.via is Via.SESSION:
            world.people.tokens.revoke(token.id)
        else:
            living += token.expires_on is None or token.expires_on > now
    if every:
        return "all sessions and all tokens have ended"
    if not living:
        return "all sessions have ended; there are no tokens"
    tokens = "1 token stays valid" if living == 1 else f"{living} tokens stay valid"
    return (
        f"all sessions have ended; {tokens}: DELETE /v1/admin/tokens/<token> revokes one, and a change with "
        '"revoke_tokens": true all'
    )


def notify_owner(context: Context[World], user: User, ended: str) -> str:
    """Notify the account's address; return a clause that says whether the mail was sent."""
    if user.email is None:
        return ""
    world = context.world
    letter = LETTER.format(
        name=user.name,
        now=stamp(world.clock.now()),
        address=hints_of(context.call).address or "here",
        ended=ended,
    )
    wait = world.people.rates.take([to_mailbox(world.service.settings, user.email, "password changes")])
    if not wait and try_send(world, user.email, "Your password was changed", letter) == "mailed":
        return f"; {user.email} is notified by mail"
    return f"; {user.email} could not be notified by mail"


PASSWORD = document_action(
    change,
    needs=HOLDER,
    media=(JSON, TEXT),
    schema=SCHEMA,
    credential=Credential.EITHER,
    about="set a new password by the present one; ends all sessions",
)
