"""The caller's own tokens: their list, cards and logs, and their revocation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from handlers.rules.scopes import ALL
from handlers.services.token_scopes import scopes_of
from handlers.services.world import World
from handlers.words.tables import pairs
from vfs.access import Verb, Via
from vfs.call import Data
from vfs.context import Context
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import TOKEN_NAME
from vfs.ports.clock import stamp
from vfs.ports.people import Token
from vfs.rules import FIRST_HAND, SIGNED_IN

TOKEN: Param[Token] = Param("token")


def list_tokens(context: Context[World]) -> Iterator[Named]:
    """Yield tokens and sessions that were not revoked, expired ones too (interface, Token)."""
    for token in context.world.people.tokens.of(context.me):
        extra = {
            "token_name": token.name,
            "expires_on": token.expires_on,
            "token_description": token.description,
            "kind": token.via,
            "last_used_on": token.last_used_on,
            "expired": _is_over(context, token),
            **scopes_of(context.world, token),
        }
        yield Named(token.name, token.created_on, token.last_used_on or token.created_on, token, extra=extra)


def find_token(context: Context[World], name: str) -> Token | None:
    """Return the caller's token of that name, revoked or not.

    For a credential that may not list tokens, every name exists, so that all are refused in the same way.
    """
    if not FIRST_HAND.test(context):
        return cast(Token, name)  # never read: the rules refuse first
    token = context.world.people.tokens.by_name(context.me, name) if context.me else None
    return token if token is not None and token.run is None else None


def revoke(context: Context[World]) -> str:
    """Revoke a token at once, in every worker."""
    token = context[TOKEN]
    if not context.world.people.tokens.revoke(token.id):
        raise NotFound(f"the token {token.name} was revoked before")
    return f"revoked {token.name}\n"


def card(context: Context[World]) -> Data:
    """Return all fields of a token except its value."""
    token = context[TOKEN]
    said = {
        "token_name": token.name,
        "token_description": token.description,
        "kind": token.via,
        "created_on": token.created_on,
        "expires_on": token.expires_on,
        "last_used_on": token.last_used_on,
        "active": token.revoked_on is None,
        **({"scope": token.claim or ALL} if token.via is Via.APPLICATION else {}),
        **scopes_of(context.world, token),
        "expired": _is_over(context, token),
    }
    return Data(said, _card)


def activity(context: Context[World]) -> Data:
    """Return the uses of the token, oldest first."""
    token = context[TOKEN]
    rows = [
        {"log_time": at, "severity": "info", "message": what}
        for at, what in context.world.people.tokens.log(token.id)
    ]
    return Data(rows, lambda rows: "".join(f"{row['log_time']}  {row['message']}\n" for row in rows))


def _is_over(context: Context[World], token: Token) -> bool:
    return token.expires_on is not None and token.expires_on <= stamp(context.world.service.deadlines.now())


def _card(said: dict[str, object]) -> str:
    return pairs(
        {
            "Name": said["token_name"],
            "Description": said["token_description"],
            "Created": said["created_on"],
            "Expires": said["expires_on"] or "never",
            "Last used": said["last_used_on"] or "never",
            "Active": _word(bool(said["active"])),
            "Expired": _word(bool(said["expired"])),
            **({"Scope": said["scope"]} if "scope" in said else {}),
            **({"Scopes": " ".join(cast("list[str]", said["scopes"]))} if "scopes" in said else {}),
        }
    )


def _word(true: bool) -> str:
    return "Yes" if true else "No"


TOKENS = Each(
    TOKEN,
    Dir(
        {
            "info": value(card, about="name, times, and whether it is active or expired"),
            "log": value(activity, about="what it was used for"),
        },
        about="a token; DELETE revokes it",
    ),
    names=list_tokens,
    has=find_token,
    remove=revoke,
    name=TOKEN_NAME,
    rules={Verb.READ: SIGNED_IN & FIRST_HAND, Verb.REMOVE: SIGNED_IN & FIRST_HAND},
    about="the caller's tokens and sessions",
)
