"""The page of the account's tokens, for curl and programs, and of its keys, for git over SSH."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.account.sign_in import CODE, asks_code, blame_secret, is_asked
from handlers.pages.acting.fields import at_field, blame_field
from handlers.pages.forms import Json, SentForm, unknown_form
from handlers.pages.provider_link import provider_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.profile_page import PURPOSE
from handlers.rules.addresses import API
from handlers.rules.scopes import ALL, READ, RUN, SCOPES
from vfs.access import Verb, Via
from vfs.errors import Conflict, Denied, Invalid, Unauthenticated, VfsError

HERE = "/settings/tokens"
TOKEN, TOKENS, KEYS = API / "token", API / ("admin", "tokens"), API / ("admin", "keys")
ENDS: Mapping[str, str] = {
    "30 days": "in 30 days",
    "90 days": "in 90 days",
    "365 days": "in a year",
    "day": "on a date",
    "never": "never",
}
USUAL = "90 days"
TYPED = ("token_name", "about", "ends", "day", "item", "part", "title", "key")
RIGHTS: Mapping[str, str] = {word: said for word, said in SCOPES.items() if word != ALL}
PARTS: Mapping[str, str] = {
    ALL: "all that you can do",
    READ: "read",
    RUN: "start it and see its runs",
}
_OTHER = re.compile(r"[^a-z0-9_-]+")


def show(request: PageRequest, made: Mapping[str, Any] | None = None) -> Page:
    """Return the page; `made` is a new token, shown once. Raises Unauthenticated."""
    request.me(PURPOSE)
    facts: dict[str, Any] = {
        "made": made,
        "ways": ENDS,
        "usual": USUAL,
        "rights": RIGHTS,
        "parts_of_item": PARTS,
        **provider_facts(request),
        "tokens": _tokens(request),
        "asks_code": asks_code(request),
        "keys": request.rows(KEYS),
    }
    return Page("settings_tokens.html", facts)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Handle a form of the page; a new token's value is shown only once, so there is no redirect."""
    me = request.me(PURPOSE)
    typed = {name: form[name].strip() for name in TYPED}
    match form["do"]:
        case "make":
            return show(request, _make(request, me, typed, form))
        case "revoke" if form["name"]:
            request.remove(TOKENS / form["name"])
            return Redirect(HERE, done="revoked")
        case "key":
            _add_key(request, typed)
            return Redirect(HERE, done="keyed")
        case "unkey" if form["name"]:
            request.remove(KEYS / form["name"])
            return Redirect(HERE, done="unkeyed")
    raise unknown_form()


def _make(request: PageRequest, me: str, typed: Mapping[str, str], form: SentForm) -> dict[str, Any]:
    """Create a token and return the reply, which contains its value. Raises VfsError."""
    requested: dict[str, Any] = {"token_description": typed["about"]}
    if form["password"]:
        requested |= {"username": me, "password": form["password"], "code": form[CODE].strip()}
    scopes = [word for word in RIGHTS if form[f"may {word}"]]
    if item := typed["item"].removeprefix(request.origin):
        part = f"{typed['part']}:" if typed["part"] in (READ, RUN) else ""
        scopes.append(f"{part}/{item.lstrip('/')}")
    if scopes:
        requested["scopes"] = scopes
    if typed["token_name"]:
        requested["token_name"] = typed["token_name"]
    if typed["ends"] == "day":
        requested["expires_on"] = f"{typed['day']}T23:59:59Z" if typed["day"] else ""
    elif typed["ends"] != "never":
        requested["expires_in"] = typed["ends"] if typed["ends"] in ENDS else USUAL
    try:
        return dict(request.answer(Verb.WRITE, TOKEN, Json(requested)))
    except (Denied, Unauthenticated) as wrong:
        raise _not_proved(wrong, form) from None
    except Conflict as wrong:
        raise blame_field(wrong, "token_name") from None
    except Invalid as wrong:
        field = {"expires": "day", "scopes:": "item"}.get(wrong.detail[:7], "token_name")
        raise blame_field(wrong, field, wrong.detail.removeprefix("scopes: ")) from None


def _not_proved(wrong: VfsError, form: SentForm) -> VfsError:
    """Return the error to show; not a 401, which would lead to the sign-in page: the session is valid."""
    if isinstance(wrong, Denied) and not is_asked(wrong):
        return wrong
    why = "the password is wrong" if form["password"] else "sign in again, and make it within 15 minutes"
    why = "a code is needed, too" if is_asked(wrong) else why
    return blame_secret(Denied(f"no token was created: {why}", **wrong.members))


def _add_key(request: PageRequest, typed: Mapping[str, str]) -> None:
    """Add a key under a name made from its title, or nothing. Raises VfsError at its field."""
    title = typed["title"] or typed["key"].partition(" ")[2].partition(" ")[2].strip() or "key"
    place = KEYS / (_OTHER.sub("-", title.lower()).strip("-")[:64] or "key")
    with request.world.atomic(), at_field("key"):
        if not typed["key"]:
            raise Invalid("no key was added: paste the public key, one line")
        request.create(place)
        request.write(place / "key", typed["key"])
        request.write(place / "name", title)


def _tokens(request: PageRequest) -> Sequence[dict[str, Any]]:
    """Return the caller's tokens: valid ones first, then by last use, newest first."""
    own = [row for row in request.rows(TOKENS) if row["kind"] == Via.TOKEN]
    own.sort(key=lambda row: row["last_used_on"] or row["created"], reverse=True)
    return sorted(own, key=lambda row: bool(row["expired"]))
