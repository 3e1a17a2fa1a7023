"""The page of signing in: the password, the sessions, and the connected applications."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from handlers.pages.account import sign_in
from handlers.pages.account.sign_in import CODE, asks_code, blame_secret
from handlers.pages.acting.fields import blame_field
from handlers.pages.forms import Json, SentForm, unknown_form
from handlers.pages.provider_link import provider_facts, unlink
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.profile_page import PROFILE, PURPOSE
from handlers.rules.addresses import API
from handlers.rules.scopes import SCOPES
from handlers.services.applications.connections import connections_of
from vfs.access import Verb, Via
from vfs.errors import Denied, Invalid

HERE = "/settings/signin"
TOKENS, TOKEN, AUTH = API / ("admin", "tokens"), API / "token", API / "auth"
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
           ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"))  # fmt: skip
BY = re.compile(r"signed in with (.*)", re.DOTALL)


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    me = request.me(PURPOSE)
    facts = {
        "sessions": sessions_of(request),
        "connections": connections_of(request.world, me),
        "rights": SCOPES,
        "asks_code": asks_code(request),
        **provider_facts(request),
    }
    return Page("settings_signin.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page: change the password, end sessions, or disconnect an application."""
    me = request.me(PURPOSE)
    match form["do"]:
        case "password":
            return _change(request, me, form)
        case "end" | "disconnect" as word if form["name"]:
            request.remove(TOKENS / form["name"])
            return Redirect(HERE, done=f"{word}ed")
        case "unlink":
            unlink(request)
            return Redirect(HERE, done="unlinked")
        case "others":
            for one in sessions_of(request):
                if not one["present"]:
                    request.remove(TOKENS / one["name"])
            return Redirect(HERE, done="others")
    raise unknown_form()


def sessions_of(request: PageRequest) -> Sequence[dict[str, Any]]:
    """Return the sessions that have not ended, the present one first."""
    present = request.read(TOKEN)["token_name"] if request.caller.token is not None else ""
    found = [
        {
            "name": row["name"],
            "present": row["name"] == present,
            "client": client_words(row["token_description"]),
            "since": row["created"],
            "used": row["last_used_on"],
            "ends": row["expires_on"],
        }
        for row in request.rows(TOKENS)
        if row["kind"] == Via.SESSION and not row["expired"]
    ]
    found.sort(key=lambda one: one["used"] or one["since"], reverse=True)
    return sorted(found, key=lambda one: not one["present"])


def client_words(description: str) -> str:
    """Return the client of a session: `Firefox on Linux`; its description if it is not a browser."""
    said = BY.fullmatch(description)
    agent = said[1] if said else description
    browser = next((word for mark, word in BROWSERS if mark in agent), "")
    system = next((word for mark, word in SYSTEMS if mark in agent), "")
    if not browser:
        return f"A browser on {system}" if agent.startswith("Mozilla/") and system else agent or "A client"
    return f"{browser} on {system}" if system else browser


def _change(request: PageRequest, me: str, form: SentForm) -> Redirect:
    """Change the password, which ends all sessions, and begin another one. Raises VfsError."""
    present, new = form["password"], form["new_password"]
    requested = {"password": present, "new_password": new, "revoke_tokens": form["every"] or "no"}
    requested |= {"code": form[CODE].strip()} if form[CODE] else {}
    try:
        request.call(Verb.WRITE, PROFILE / "password", Json(requested))
    except Denied as wrong:
        raise blame_secret(wrong) from None
    except Invalid as wrong:
        raise blame_field(wrong, "new_password", wrong.detail.rpartition("new_password: ")[2]) from None
    if request.world.people.second.are_on(me):  # each code signs in once
        return Redirect(sign_in.address(HERE), session="", done="password")
    begun = request.call(Verb.WRITE, AUTH, Json({"username": me, "password": new}))
    return Redirect(HERE, session=begun.session, done="password")
