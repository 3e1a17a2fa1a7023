"""Signing up: accounts made by those who will use them, and the challenge that verifies an e-mail address."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import timedelta

from handlers.identity.credentials import digest
from handlers.identity.passwords import network
from handlers.rules.accounts import SCHEMA, Registration, registration
from handlers.services.hints import hints_of
from handlers.services.mailboxes import HOUR, loopback, public_origin, to_mailbox, try_send
from handlers.services.world import World
from handlers.trees.account.documents import LARGEST, document_action
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.errors import Conflict, Invalid, NotFound, TooMany
from vfs.place import Place
from vfs.ports.people import Limit, User
from vfs.ports.world import stamp
from vfs.rules import ANYONE, IN_PERSON, Rule

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
{where}
If you did not register, ignore this mail.
"""
WHERE = """
Write the address at which you reach Curlew in place of CURLEW.
"""
PLACEHOLDER = "CURLEW"

# Clients that cannot be told apart share one count, which stops floods and not people.
STRANGERS = 10


def _open(place: Place[World]) -> bool:
    """Whether this caller may register (decisions 14)."""
    settings = place.world.service.settings
    if settings.registration:
        return bool(settings.registration == "open")
    return hints_of(place.call).local and loopback(settings.address[0])


OPEN = Rule(
    "open",
    _open,
    "registration to be open to you: ask the operator for an account (curlew user add NAME)",
    candid=True,
)


def register(place: Place[World], body: Body) -> Reply:
    """Make an account, which works at once; a mail lets its owner verify the address (decisions 14)."""
    world = place.world
    wish = registration(body.data(LARGEST))
    _count(world, _newcomers(place), "accounts were asked for from here")
    if world.people.users.find(wish.username) is not None:
        raise Conflict(f'the user name "{wish.username}" is taken: choose another')
    _count(world, to_mailbox(world.service.settings, wish.email, "challenges"), "mails went to this mailbox")
    user, letter = _create(place, wish)
    hints_of(place.call).notes.account = user.name
    said = {
        "username": user.name,
        "account_type": user.account,
        "email": user.email,
        "verified": user.verified,
        "public": user.public,
        "created_on": user.created_on,
        "challenge": try_send(world, wish.email, "Verify your e-mail address", letter),
    }
    return Reply(Data(said), Outcome.CREATED, location=f"/v1/users/{user.name}")


def _create(place: Place[World], wish: Registration) -> tuple[User, str]:
    """The new account, and the letter by which its owner verifies the address."""
    world = place.world
    secret = world.people.passwords.digest(wish.password)
    with world.atomic():
        user = world.people.users.add(
            wish.username, secret, wish.account_type, wish.email, public=wish.public
        )
        if wish.name:
            world.leaves.put(user.item, "name", wish.name, user.name)
        return user, _challenge(place, user)


def answer(place: Place[World], body: Body) -> str:
    """Verify an e-mail address by the uid and the code that were mailed to it (decisions 14).

    Every try is counted before it is compared, so that tries made at once count too.
    """
    sent, world = body.data(LARGEST), place.world
    if not isinstance(sent, dict):
        raise Invalid('send the JSON object of the mail: {"uid": "…", "code": "…"}')
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
            hints_of(place.call).notes.account = pending.user
            with world.atomic():
                user = world.people.users.find(pending.user)
                if world.people.challenges.spend(uid) and user is not None and user.email == pending.email:
                    world.people.users.change(user.name, verified=True)
                    return f"{pending.email} is verified\n"
    raise NotFound(
        f"there is no such challenge, or the code is wrong: a code holds for 24 hours and {MOST_TRIES} tries"
    )


def _challenge(place: Place[World], user: User) -> str:
    uid, code = secrets.token_urlsafe(16), f"{secrets.randbelow(900_000) + 100_000}"
    until = stamp(place.world.service.deadlines.now() + CHALLENGE_LIFE)
    place.world.people.challenges.add(user.name, user.email or "", uid, _seal(uid, code), until)
    origin = public_origin(place.world.service.settings, hints_of(place.call).origin)
    where = "" if origin else WHERE
    return LETTER.format(name=user.name, origin=origin or PLACEHOLDER, uid=uid, code=code, where=where)


def _newcomers(place: Place[World]) -> Limit:
    """The limit of accounts made from one address in an hour; a multiple where no address is known."""
    most, source = place.world.service.settings.registrations, hints_of(place.call).source
    times = 1 if source else STRANGERS
    return Limit(f"registrations from {network(source)}", most * times, HOUR)


def _count(world: World, limit: Limit, what: str) -> None:
    """Count towards a limit. Raises TooMany when it is reached."""
    if wait := world.people.rates.take([limit]):
        raise TooMany(f"too many {what} within an hour: wait {wait} s, then try again", retry_after=wait)


def _seal(uid: str, code: str) -> str:
    return digest(f"{uid} {code}")


REGISTER = document_action(register, needs=IN_PERSON & OPEN, schema=SCHEMA, about="make an account")
CHALLENGE = document_action(answer, needs=ANYONE, schema=PROOF, about="verify an e-mail address by its code")
