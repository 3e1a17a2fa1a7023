"""The caller's second factors: an app that shows codes, passkeys, and recovery codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from handlers.identity.passkeys import asker_at
from handlers.services.accounts import account_of
from handlers.services.mailboxes import mail_factor_change
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.facets.declared_files import LARGEST, document_action
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
    "a session of the last 15 minutes: POST /v1/auth with the password, and the code of a second factor",
)
OWN = SIGNED_IN & FIRST_HAND
FIELDS: Mapping[str, object] = {
    "name": {"type": "string", "pattern": f"^{FACTOR_NAME.pattern}$"},
    "secret": {"type": "string", "description": "of an app: base32, at least 16 random bytes"},
    "code": {"type": "string", "description": "what the app shows now"},
    "passkey": {"type": "string", "description": "what a browser made for the page of second factors"},
    "browser": {"type": "string", "description": "the cookie of that page"},
}
SCHEMA: Mapping[str, object] = {"type": "object", "properties": FIELDS, "required": ["name"]}


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
    _mail(context, f"The second factor {name} was removed")
    return f"removed {name}; {said}\n"


def add(context: Context[World], _: Body) -> Reply:
    """Add an app, proved by a code of it, or a passkey; with the first factor, return recovery codes."""
    world, sent = context.world, context.call.fields(LARGEST, FIELDS)
    name, secret, code, passkey, browser = (str(sent.get(field, "")) for field in FIELDS)
    if FACTOR_NAME.fullmatch(name) is None:
        raise Invalid("name: the name of a second factor is 1 to 64 of a-z, 0-9, _ and -")
    second, session = world.people.second, context.caller.token
    with world.atomic():
        is_first = not second.are_on(context.me)
        if passkey:
            asker, user = asker_at(hints_of(context.call).origin, browser), account_of(world, context.me)
            world.people.passkeys.add(user, name, passkey, asker, session)
        else:
            second.add_app(context.me, name, secret, code, session)
        codes = second.renew_codes(context.me) if is_first else ()
    _mail(context, f"The second factor {name} was added")
    facts = {"name": name, "recovery_codes": list(codes)}
    return Reply(Data(facts), Outcome.CREATED, location=f"/v1/admin/second_factor/factors/{name}")


def renew(context: Context[World], _: str) -> Reply:
    """Replace the recovery codes; only this answer has them."""
    if not context.world.people.second.are_on(context.me):
        raise Invalid("there is no second factor yet: recovery codes are made with the first one")
    codes = context.world.people.second.renew_codes(context.me)
    _mail(context, "New recovery codes replace the former ones")
    return Reply(
        Data({"recovery_codes": list(codes)}, lambda facts: "\n".join([*facts["recovery_codes"], ""]))
    )


def _mail(context: Context[World], what: str) -> None:
    mail_factor_change(context.world, context.me, what, hints_of(context.call).address)


FACTORS = Each(
    FACTOR,
    value(lambda context: context[FACTOR].kind.value, about="app or passkey; DELETE removes it"),
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
        "add": document_action(
            add,
            needs=OWN & FRESH,
            schema=SCHEMA,
            about="add an app by a code of it, or a passkey by its page",
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
