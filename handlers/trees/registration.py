"""Signing up: accounts made by those who will use them, and the challenge that verifies an e-mail address."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import timedelta

from handlers.credentials import digest
from handlers.rules.accounts import SCHEMA, registration
from vfs.access import ANYONE, IN_PERSON
from vfs.errors import Conflict, Denied, Invalid, NotFound, Unavailable
from vfs.nodes import KIB
from vfs.parts import action
from vfs.people import User
from vfs.place import Body, Data, Outcome, Place, Reply
from vfs.world import stamp

LARGEST = 16 * KIB
JSON = ("application/json",)
CHALLENGE_LIFE = timedelta(hours=24)
MOST_TRIES = 5
UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
PROOF = {
    "type": "object",
    "properties": {"uid": {"type": "string"}, "code": {"type": "string"}},
    "required": ["uid", "code"],
}

LETTER = """Welcome to Curlew, {name}.

To show that this address is yours, answer within 24 hours:

  curl -X POST {origin}/v1/admin/challenge \\
    -H 'Content-Type: application/json' \\
    -d '{{"uid": "{uid}", "code": "{code}"}}'

If you did not register, ignore this mail.
"""


def register(place: Place, body: Body) -> Reply:
    """Make an account, which works at once; a mail lets its owner verify the address (decisions 14)."""
    world = place.world
    if not world.settings.open_registration:
        raise Denied("registration is closed here: ask the operator for an account (curlew user add NAME)")
    wish = registration(body.data(LARGEST))
    if world.users.find(wish.username) is not None:
        raise Conflict(f'the user name "{wish.username}" is taken: choose another')
    secret = world.passwords.digest(wish.password)
    with world.atomic():
        user = world.users.add(wish.username, secret, wish.account_type, wish.email, public=wish.public)
        if wish.name:
            world.leaves.put(user.item, "name", wish.name, user.name)
        letter = _challenge(place, user)
    return Reply(
        Data(
            {
                "username": user.name,
                "account_type": user.account,
                "email": user.email,
                "verified": user.verified,
                "public": user.public,
                "created_on": user.created_on,
                "challenge": _mailed(place, wish.email, letter),
            }
        ),
        Outcome.CREATED,
        location=f"/v1/users/{user.name}",
    )


def answer(place: Place, body: Body) -> str:
    """Verify an e-mail address by the uid and the code that were mailed to it (decisions 14).

    Every try is counted before it is compared, so that tries made at once count too.
    """
    sent, world = body.data(LARGEST), place.world
    if not isinstance(sent, dict):
        raise Invalid('send the JSON object of the mail: {"uid": "…", "code": "…"}')
    uid, code = str(sent.get("uid")), str(sent.get("code"))
    if UID.fullmatch(uid):
        world.challenges.tried(uid)
        pending = world.challenges.find(uid)
        if (
            pending is not None
            and pending.tries <= MOST_TRIES
            and pending.expires_on > stamp(world.deadlines.now())
            and hmac.compare_digest(pending.code, _sealed(uid, code))
        ):
            with world.atomic():
                user = world.users.find(pending.user)
                if world.challenges.spend(uid) and user is not None and user.email == pending.email:
                    world.users.change(user.name, verified=True)
                    return f"{pending.email} is verified\n"
    raise NotFound(
        f"there is no such challenge, or the code is wrong: a code holds for 24 hours and {MOST_TRIES} tries"
    )


def _challenge(place: Place, user: User) -> str:
    uid, code = secrets.token_urlsafe(16), f"{secrets.randbelow(900_000) + 100_000}"
    until = stamp(place.world.deadlines.now() + CHALLENGE_LIFE)
    place.world.challenges.add(user.name, user.email or "", uid, _sealed(uid, code), until)
    return LETTER.format(name=user.name, origin=place.call.origin, uid=uid, code=code)


def _sealed(uid: str, code: str) -> str:
    return digest(f"{uid} {code}")


def _mailed(place: Place, to: str, letter: str) -> str:
    """Whether the letter left; the account stands either way."""
    try:
        place.world.post.send(to, "Verify your e-mail address", letter)
    except Unavailable:
        return "not mailed"
    return "mailed"


REGISTER = action(
    register,
    needs=IN_PERSON,
    wants="raw",
    media=JSON,
    schema=SCHEMA,
    largest=LARGEST,
    long=True,
    about="make an account",
)
CHALLENGE = action(
    answer,
    needs=ANYONE,
    wants="raw",
    media=JSON,
    schema=PROOF,
    largest=LARGEST,
    long=True,
    about="verify an e-mail address by its code",
)
