"""Sign-in, sign-out, new tokens, and the caller's user name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from handlers.identity.credentials import digest, fresh, tail
from handlers.identity.passkeys import asker_at
from handlers.identity.second_factors import CodeNeeded
from handlers.rules.accounts import free_text
from handlers.rules.expiry import expiry
from handlers.services.token_scopes import read_scopes, scopes_of
from handlers.services.viewer import hints_of, sender_of
from handlers.services.world import World
from handlers.trees.facets.declared_files import JSON, LARGEST, document_action
from vfs.access import Caller, Credential, Verb, Via
from vfs.body import Body
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated
from vfs.nodes import KIB, File
from vfs.parts import action, value
from vfs.path import TOKEN_NAME, require_name
from vfs.ports.clock import stamp
from vfs.rules import FIRST_HAND, SIGNED_IN, Rule

PASSWORDS: Rule = Rule(
    "passwords",
    lambda context: context.world.service.settings.password_sign_in,
    "passwords to be switched on: sign in with the provider that the page /login names",
    candid=True,
)
TOKEN_NAME_RULE = "a lowercase letter, then up to 127 more of a-z, 0-9, '.', _ and -"
SESSION_LIFE = timedelta(days=30)
_TEXT = {"type": ["string", "null"]}
PROVES: Mapping[str, object] = {
    "username": {"type": "string"},
    "password": {"type": "string"},
    "code": {"type": ["string", "null"], "description": "of the second factor, if the account has one"},
}
SHOWN: Mapping[str, object] = {
    **PROVES,
    "passkey": {"type": "string", "description": "what a passkey signed for the sign-in page"},
    "ticket": {"type": "string", "description": "of the sign-in page, after the right password"},
    "browser": {"type": "string", "description": "the cookie of the sign-in page, to which that is bound"},
}
CREDENTIALS: Mapping[str, object] = {
    "type": "object",
    "description": "the user name and the password, unless they are sent by basic authentication (with a code"
    " as X-OTP)",
    "properties": SHOWN,
}
TOKEN_FIELDS: Mapping[str, object] = {
    **PROVES,
    "token_name": {"type": ["string", "null"], "pattern": f"^{TOKEN_NAME.pattern}$"},
    "token_description": _TEXT,
    "expires_in": {"type": ["integer", "string", "null"], "examples": [3600, "7 days"]},
    "expires_on": {**_TEXT, "examples": ["2030-01-31T12:00:00Z"]},
    "scopes": {
        "type": ["array", "string"],
        "items": {"type": "string"},
        "examples": ["read", ["jobs:run:/u/ann/j/report"]],
    },
}
SCHEMA: Mapping[str, object] = {**CREDENTIALS, "properties": TOKEN_FIELDS}


def sign_in(context: Context[World], _: Body) -> Reply:
    """Begin a session: a token of 30 days that a browser keeps as a cookie (decisions 17)."""
    name = _authenticate(context, context.call.fields(LARGEST, SHOWN, optional=True))
    began = begin_session(context, name)
    facts = {
        "username": name,
        "token": began.value,
        "token_name": began.name,
        "expires_on": began.expires_on,
    }
    return Reply(Data(facts), session=began.value)


class Session(NamedTuple):
    """A new session: its token's value and name, and when it expires."""

    value: str
    name: str
    expires_on: str


def begin_session(context: Context[World], user: str) -> Session:
    """Return a new session of a user, described by the client of the request."""
    return new_session(context.world, user, hints_of(context.call).client)


def new_session(world: World, user: str, client: str) -> Session:
    """Return a new session of a user, described by a client."""
    value, until = fresh(), stamp(world.service.deadlines.now() + SESSION_LIFE)
    token = world.people.tokens.mint(
        user,
        f"session-{tail()}",
        digest(value),
        description=f"signed in with {client[:200] or 'an unnamed client'}",
        via=Via.SESSION,
        expires_on=until,
    )
    return Session(value, token.name, until)


def mint(context: Context[World], _: Body) -> Reply:
    """Make a token; only this answer has its value (interface, Authentication 2, 4 to 6; decisions 15)."""
    sent = context.call.fields(LARGEST, TOKEN_FIELDS, optional=True)
    is_person = context.caller.via is Via.SESSION and "password" not in sent
    if is_person and is_fresh(context.world, context.caller):
        name = context.me
    else:
        name = _authenticate(context, sent)
    value, world = fresh(), context.world
    token = world.people.tokens.mint(
        name,
        _token_name(sent.get("token_name")),
        digest(value),
        description=_description(sent.get("token_description")),
        claim=read_scopes(world, name, sent["scopes"]) if "scopes" in sent else None,
        expires_on=expiry(world.service.deadlines.now(), sent.get("expires_in"), sent.get("expires_on")),
    )
    return Reply(
        Data(
            {
                "status": "Success",
                "token": value,
                "token_id": token.id,
                "token_name": token.name,
                "token_description": token.description,
                "expires_on": token.expires_on,
                **scopes_of(world, token),
            }
        ),
        Outcome.CREATED,
        location=f"/v1/admin/tokens/{token.name}",
    )


def current(context: Context[World]) -> dict[str, object]:
    """Return the token that this request was signed in with. Raises NotFound for other credentials."""
    number = context.caller.token
    token = context.world.people.tokens.at(number) if number is not None else None
    if token is None:
        raise NotFound("this request was not signed in with a token, so there is none to show")
    return {
        "token_name": token.name,
        "token_id": token.id,
        "expires_on": token.expires_on,
        **scopes_of(context.world, token),
    }


def sign_out(context: Context[World], _: str) -> Reply:
    """End the session or the application's connection of this request; an API token stays valid (R-16)."""
    if context.caller.via not in (Via.SESSION, Via.APPLICATION) or context.caller.token is None:
        said = "signed out; this token stays valid: DELETE /v1/admin/tokens/<token> revokes it\n"
        return Reply(said, session="")
    context.world.people.tokens.revoke(context.caller.token)
    return Reply("signed out; the session has ended\n", session="")


def is_fresh(world: World, caller: Caller) -> bool:
    """Return whether a new session makes a token as a password would.

    It is for people who sign in with a second factor or by a provider, and may have no password or code.
    """
    issuer, people, name = world.service.settings.oidc_issuer, world.people, caller.name
    if name is None or not people.proofs.is_fresh(caller):
        return False
    return people.second.are_on(name) or bool(issuer and people.provider_links.of(issuer, name))


def _authenticate(context: Context[World], sent: Mapping[str, object]) -> str:
    """Return the user who signs in, by basic credentials or by user name and password in the JSON.

    Raises Unauthenticated, TooMany, Unavailable, and Denied if only a code is missing: clients that get 401
    for a document say that the password is wrong.
    """
    if context.caller.via is Via.PASSWORD:
        return context.me
    name, password, code = sent.get("username"), sent.get("password"), str(sent.get("code") or "")
    proofs, sender = context.world.people.proofs, sender_of(context.call)
    ticket, browser = str(sent.get("ticket") or ""), str(sent.get("browser") or "")
    try:
        if "passkey" in sent:
            asker = asker_at(sender.origin, browser)
            return proofs.by_passkey(str(sent["passkey"]), asker, ticket, sender)
        if ticket:
            return proofs.by_ticket(ticket, browser, code, sender)
        if isinstance(name, str) and isinstance(password, str):
            return proofs.by_password(name, password, code, sender)
    except CodeNeeded as needed:
        raise Denied(needed.detail, **needed.members) from None
    raise Unauthenticated(
        "this takes a user name and a password (curl -u NAME, or username and password in the JSON); "
        "a token cannot be used to make another"
    )


def _token_name(sent: object) -> str:
    if sent is None:
        return f"curl-{tail()}"
    if not isinstance(sent, str):
        raise Invalid(f"token_name must be text: a name is {TOKEN_NAME_RULE}")
    return require_name(sent, TOKEN_NAME, TOKEN_NAME_RULE)


def _description(sent: object) -> str:
    try:
        return free_text(sent)
    except Invalid as wrong:
        raise Invalid(f"token_description: {wrong.detail}") from None


AUTH = document_action(
    sign_in,
    needs=FIRST_HAND,
    schema=CREDENTIALS,
    credential=Credential.PASSWORD,
    about="sign in with the password",
)
TOKEN = File(
    current,
    mint,
    wants="raw",
    media=(JSON,),
    schema=SCHEMA,
    largest=LARGEST,
    long=True,
    credential=Credential.PASSWORD,
    clear=False,
    rules={Verb.READ: SIGNED_IN, Verb.WRITE: FIRST_HAND},
    about="the token of this request; POST with the password makes one",
)
LOGOUT = action(sign_out, needs=SIGNED_IN, largest=KIB, about="end this session")
WHOAMI = value(
    lambda context: context.me,
    data=lambda _, name: {"username": name},
    rules={Verb.READ: SIGNED_IN},
    about="the user name of the caller",
)
