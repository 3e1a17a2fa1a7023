"""The caller's second factors: an app that shows codes, passkeys, and recovery codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from handlers.services.accounts import account_of
from handlers.services.factor_notices import tell_factor
from handlers.services.hints import asker_of, hints_of
from handlers.services.world import World
from handlers.trees.account.documents import LARGEST, document_action
from vfs.access import Verb
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Invalid, NotFound
from vfs.nodes import Dir, Each, File, Named
from vfs.param import Param
from vfs.parts import value
from vfs.ports.factors import Factor
from vfs.rules import FIRST_HAND, SIGNED_IN, Rule, hide_unless

FACTOR: Param[Factor] = Param("factor")
FACTOR_NAME = re.compile(r"[a-z0-9_-]{1,64}")
FRESH = Rule(
    "fresh",
    lambda context: context.world.people.proofs.is_fresh(context.caller),
    "a session of the last 10 minutes: POST /v1/auth with the password, and the code of a second factor",
)
OWN = SIGNED_IN & FIRST_HAND
NEVER = "never"
APP_FIELDS: Mapping[str, object] = {
    "name": {"type": "string", "pattern": f"^{FACTOR_NAME.pattern}$"},
    "secret": {"type": "string", "description": "base32, at least 16 random bytes"},
    "code": {"type": "string", "description": "what the app shows now"},
}
APP_WISH: Mapping[str, object] = {
    "type": "object",
    "properties": APP_FIELDS,
    "required": ["name", "secret", "code"],
}

PASSKEY_FIELDS: Mapping[str, object] = {
    "name": APP_FIELDS["name"],
    "passkey": {"type": "string", "description": "what the browser made for the page of second factors"},
    "browser": {"type": "string", "description": "the cookie of that page"},
}
PASSKEY_WISH: Mapping[str, object] = {
    "type": "object",
    "properties": PASSKEY_FIELDS,
    "required": list(PASSKEY_FIELDS),
}


def list_factors(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's second factors."""
    for one in context.world.people.factors.of(context.me):
        extra = {"kind": one.kind.value, "last_used_on": one.last_used_on}
        yield Named(one.name, one.created_on, one.created_on, one, extra=extra)


def find_factor(context: Context[World], name: str) -> Factor | None:
    """Return the caller's second factor of that name."""
    found = context.world.people.factors.of(context.me) if context.me else ()
    return next((one for one in found if one.name == name), None)


def remove(context: Context[World]) -> str:
    """Remove a second factor; without the last one the password is enough again."""
    world, name = context.world, context[FACTOR].name
    if not world.people.factors.remove(context.me, name):
        raise NotFound(f"the second factor {name} was removed before")
    left = world.people.second.are_on(context.me)
    said = "other second factors stay" if left else "there is none left: the password alone signs in"
    _tell(context, f"The second factor {name} was removed")
    return f"removed {name}; {said}\n"


def add_app(context: Context[World], _: Body) -> Reply:
    """Add an app, proved by a code of it; with the first second factor, return recovery codes."""
    world, sent = context.world, context.call.fields(LARGEST, APP_FIELDS)
    name, secret, code = factor_name(sent.get("name")), str(sent.get("secret")), str(sent.get("code"))
    with world.atomic():
        is_first = not world.people.second.are_on(context.me)
        world.people.second.add_app(context.me, name, secret, code, context.caller.token)
        codes = world.people.second.renew_codes(context.me) if is_first else ()
    return added(context, name, codes)


def add_passkey(context: Context[World], _: Body) -> Reply:
    """Add a passkey that a browser made; with the first second factor, return recovery codes."""
    world, sent = context.world, context.call.fields(LARGEST, PASSKEY_FIELDS)
    name, user = factor_name(sent.get("name")), account_of(world, context.me)
    asker = asker_of(hints_of(context.call).origin, str(sent.get("browser")))
    with world.atomic():
        is_first = not world.people.second.are_on(context.me)
        world.people.passkeys.add(user, name, str(sent.get("passkey")), asker, context.caller.token)
        codes = world.people.second.renew_codes(context.me) if is_first else ()
    return added(context, name, codes)


def added(context: Context[World], name: str, codes: Sequence[str]) -> Reply:
    """Tell the account of a new second factor, and return the reply with its recovery codes, if any."""
    _tell(context, f"The second factor {name} was added")
    facts = {"name": name, "recovery_codes": list(codes)}
    return Reply(Data(facts), Outcome.CREATED, location=f"/v1/admin/second_factor/factors/{name}")


def renew(context: Context[World], _: str) -> Reply:
    """Replace the recovery codes; only this answer has them."""
    if not context.world.people.second.are_on(context.me):
        raise Invalid("there is no second factor yet: recovery codes are made with the first one")
    codes = context.world.people.second.renew_codes(context.me)
    _tell(context, "New recovery codes replace the former ones")
    return Reply(
        Data({"recovery_codes": list(codes)}, lambda facts: "\n".join([*facts["recovery_codes"], ""]))
    )


def factor_name(sent: object) -> str:
    """Return the name of a new second factor. Raises Invalid."""
    if not isinstance(sent, str) or FACTOR_NAME.fullmatch(sent) is None:
        raise Invalid("name: the name of a second factor is 1 to 64 of a-z, 0-9, _ and -")
    return sent


def _tell(context: Context[World], what: str) -> None:
    tell_factor(context.world, context.me, what, hints_of(context.call).address)


FACTORS = Each(
    FACTOR,
    Dir(
        {
            "kind": value(lambda context: context[FACTOR].kind.value, about="app or passkey"),
            "created_on": value(lambda context: context[FACTOR].created_on, about="when it was added"),
            "last_use": value(
                lambda context: context[FACTOR].last_used_on or NEVER, about="when it was last used, or never"
            ),
        },
        about="a second factor; DELETE removes it",
    ),
    names=list_factors,
    has=hide_unless(OWN, find_factor),
    remove=remove,
    name=FACTOR_NAME,
    name_rule="1 to 64 of a-z, 0-9, _ and -",
    rules={Verb.READ: OWN, Verb.REMOVE: OWN & FRESH},
    about="the caller's second factors",
)
SECOND_FACTOR = Dir(
    {
        "factors": FACTORS,
        "app": document_action(
            add_app, needs=OWN & FRESH, schema=APP_WISH, about="add an app that shows codes, by a code of it"
        ),
        "passkey": document_action(
            add_passkey, needs=OWN & FRESH, schema=PASSKEY_WISH, about="add a passkey; a page of it does this"
        ),
        "recovery_codes": File(
            lambda context: str(context.world.people.factors.codes_left(context.me)),
            renew,
            clear=False,
            rules={Verb.READ: OWN, Verb.WRITE: OWN & FRESH},
            about="how many recovery codes are left; POST makes new ones",
        ),
    },
    rules={Verb.READ: OWN},
    about="what is asked for besides the password",
)
