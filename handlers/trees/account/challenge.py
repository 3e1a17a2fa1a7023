"""The challenge that verifies an e-mail address: a mail with a code, and its answer."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import timedelta

from handlers.identity.credentials import digest
from handlers.services.mailboxes import public_origin, to_mailbox, try_send
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.facets.declared_files import LARGEST, document_action
from vfs.access import Credential
from vfs.body import Body
from vfs.context import Context
from vfs.errors import NotFound
from vfs.ports.clock import stamp
from vfs.ports.people import User
from vfs.rules import ANYONE

CHALLENGE_LIFE = timedelta(hours=24)
MOST_TRIES = 5
UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
FIELDS = {"uid": {"type": "string"}, "code": {"type": "string"}}
PROOF = {
    "type": "object",
    "properties": FIELDS,
    "required": ["uid", "code"],
}

LETTER = """{opening}

To show that this address is yours, answer within 24 hours{link}:

  curl -X POST {origin}/v1/admin/challenge \\
    -H 'Content-Type: application/json' \\
    -d '{{"uid": "{uid}", "code": "{code}"}}'
{where}
{unasked}
"""
LINK = """. Open

  {origin}/verify?uid={uid}&code={code}

or send its code"""
WHERE = """
Write the address at which you reach Curlew in place of CURLEW.
"""
PLACEHOLDER = "CURLEW"
FURTHER = """Your Curlew account {name} has a further verified address: {address}.

If that was not you, change your password and revoke your tokens, then remove the address.
"""


def challenge_letter(context: Context[World], name: str, address: str, opening: str, unasked: str) -> str:
    """Return the mail by which user `name` verifies an address; earlier codes for it become void."""
    uid, code = secrets.token_urlsafe(16), f"{secrets.randbelow(900_000) + 100_000}"
    until = stamp(context.world.service.deadlines.now() + CHALLENGE_LIFE)
    context.world.people.challenges.add(name, address, uid, _seal(uid, code), until)
    origin = public_origin(context.world.service.settings, hints_of(context.call).origin)
    return LETTER.format(
        opening=opening,
        unasked=unasked,
        origin=origin or PLACEHOLDER,
        uid=uid,
        code=code,
        where="" if origin else WHERE,
        link=LINK.format(origin=origin, uid=uid, code=code) if origin else "",
    )


def answer(context: Context[World], _: Body) -> str:
    """Verify an e-mail address by the uid and the code that were mailed to it (decisions 14).

    Each try is counted before the code is compared, so that parallel tries count too.
    """
    sent, world = context.call.fields(LARGEST, FIELDS), context.world
    uid, code = str(sent.get("uid")), str(sent.get("code"))
    if UID.fullmatch(uid):
        world.people.challenges.count_try(uid)
        pending = world.people.challenges.find(uid)
        if (
            pending is not None
            and pending.tries <= MOST_TRIES
            and pending.expires_on > stamp(world.service.deadlines.now())
            and hmac.compare_digest(pending.code, _seal(uid, code))
        ):
            hints_of(context.call).notes.account = pending.user
            if _verify(world, uid, pending.user, pending.email):
                return f"{pending.email} is verified\n"
    raise NotFound(
        f"there is no such challenge, or the code is wrong: it is valid for 24 hours and {MOST_TRIES} tries"
    )


def _verify(world: World, uid: str, name: str, address: str) -> bool:
    """Spend the challenge and verify the address; return False if it was spent or removed meanwhile."""
    with world.atomic():
        verified = world.people.challenges.spend(uid) and world.people.addresses.verify(name, address)
        user = world.people.users.find(name)
        if verified and user is not None:
            _notify_primary(world, user, address)
    return verified


def _notify_primary(world: World, user: User, address: str) -> None:
    """Notify the account's primary address that another address was verified."""
    primary = user.email if user.verified else None
    if primary is None or primary.lower() == address.lower():
        return
    if not world.people.rates.take([to_mailbox(world.service.settings, primary, "further addresses")]):
        letter = FURTHER.format(name=user.name, address=address)
        try_send(world, primary, "Your account has a further address", letter)


def _seal(uid: str, code: str) -> str:
    return digest(f"{uid} {code}")


CHALLENGE = document_action(
    answer,
    needs=ANYONE,
    schema=PROOF,
    credential=Credential.NONE,
    about="verify an e-mail address by its code",
)
