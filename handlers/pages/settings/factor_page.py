"""The page of second factors: an app that shows codes, passkeys, and recovery codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import segno

from handlers.http.headers import SANDBOX
from handlers.http.session_cookie import browser_of
from handlers.identity.passkeys import asker_at, trouble_at
from handlers.identity.second_factors import fresh_secret, plain_code, secret_address
from handlers.pages.account.sign_in import address
from handlers.pages.acting.fields import at_field, name_of
from handlers.pages.forms import Json, SentForm, unknown_form
from handlers.pages.provider_link import provider_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.settings.profile_page import PURPOSE
from handlers.rules.addresses import API
from handlers.services.accounts import account_of
from vfs.access import Verb
from vfs.errors import Invalid

HERE = "/settings/second-factor"
SECOND_FACTOR = API / ("admin", "second_factor")
FACTORS, ADD, CODES = (SECOND_FACTOR / name for name in ("factors", "add", "recovery_codes"))
AGAIN = f"{address(HERE)}&again=yes"
"""The sign-in page for callers whose session is too old to change second factors."""


def show(
    request: PageRequest,
    *,
    secret: str = "",
    codes: Sequence[str] = (),
    done: str = "",
    wrong: Invalid | None = None,
) -> Page:
    """Return the page, with a new secret or new recovery codes, which are shown once.

    Raises Unauthenticated if the caller is not signed in.
    """
    me = request.me(PURPOSE)
    factors = request.rows(FACTORS)
    facts: dict[str, Any] = {
        **provider_facts(request),
        "factors": factors,
        "has_app": any(one["kind"] == "app" for one in factors),
        "left": request.world.people.factors.codes_left(me),
        "fresh": request.may(Verb.WRITE, ADD),
        "again": AGAIN,
        "no_passkeys": trouble_at(request.origin),
        "secret": secret,
        "grouped": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "picture": picture(secret_address(secret, me, issuer(request))) if secret else "",
        "codes": codes,
        "made": done,
        "refused": wrong.detail if wrong is not None else "",
    }
    return Page("settings_factors.html", facts, error=wrong)


def act(request: PageRequest, form: SentForm) -> Answered:
    """Handle a form of the page; recovery codes are shown only once, so there is no redirect with them."""
    request.me(PURPOSE)
    match form["do"]:
        case "setup":
            return show(request, secret=fresh_secret())
        case "app":
            return _add_app(request, form)
        case "challenge":
            return _challenge(request)
        case "passkey":
            return _add_passkey(request, form)
        case "codes":
            return show(request, codes=request.answer(Verb.WRITE, CODES)["recovery_codes"], done="made")
        case "remove" if form["name"]:
            request.remove(FACTORS / form["name"])
            return Redirect(HERE, done="factored")
    raise unknown_form()


def _add_app(request: PageRequest, form: SentForm) -> Page:
    """Add the app; after a wrong code the same secret is shown again."""
    secret, name = form["app"], name_of(form["title"]) or "phone"
    sent = {"name": name, "secret": secret, "code": plain_code(form["second_code"])}
    try:
        with at_field("second_code"):
            added = request.answer(Verb.WRITE, ADD, Json(sent))
    except Invalid as wrong:
        return show(request, secret=secret, wrong=wrong)
    return show(request, codes=added["recovery_codes"], done="added")


def _challenge(request: PageRequest) -> Piece:
    """Return the options with which the browser makes a passkey."""
    browser, me = browser_of(request.ask), account_of(request.world, request.me(PURPOSE))
    options = request.world.people.passkeys.ask_to_add(me, asker_at(request.origin, browser))
    return Piece(orjson.dumps(options), "application/json", SANDBOX, browser)


def _add_passkey(request: PageRequest, form: SentForm) -> Page:
    name = name_of(form["title"]) or "passkey"
    sent = {"name": name, "passkey": form["passkey"], "browser": browser_of(request.ask)}
    added = request.answer(Verb.WRITE, ADD, Json(sent))
    return show(request, codes=added["recovery_codes"], done="added")


def issuer(request: PageRequest) -> str:
    """Return the name of this service in an app: its host."""
    return request.origin.partition("://")[2] or "Curlew"


def picture(text: str) -> str:
    """Return a QR code as SVG without styles, dark on light in every look: cameras read it so."""
    drawn = segno.make(text, error="m", micro=False)
    return drawn.svg_inline(scale=4, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None)
