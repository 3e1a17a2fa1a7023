"""The pages of mailed codes: for a forgotten password, a new password, and an address."""

from __future__ import annotations

from typing import Any

from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import VfsError
from vfs.path import Path

FORGOTTEN, RESET, VERIFY = Path(("forgotten",)), Path(("reset",)), Path(("verify",))
ASK, SET, PROVE = (API / ("admin", name) for name in ("forgotten", "reset", "challenge"))


def show_forgotten(request: PageRequest) -> Page:
    """Return the page that mails a code for a forgotten password."""
    return _page("forgotten.html", email="", sent=False)


def ask_code(request: PageRequest, form: SentForm) -> Page:
    """Have a code mailed; the answer does not show whether the account exists."""
    email = form["email"].strip()
    try:
        request.call(Verb.WRITE, ASK, Json({"email": email}))
    except VfsError as wrong:
        return _page("forgotten.html", wrong, email=email, sent=False)
    return _page("forgotten.html", email=email, sent=True)


def show_reset(request: PageRequest) -> Page:
    """Return the page that sets a new password with a code; the link in the mail contains the code."""
    return _page("reset.html", code=request.query.get("code", ""))


def reset(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Set the password, or show the error on the page, where the password must be typed again."""
    code = form["code"].strip()
    wish = {"code": code, "new_password": form["new_password"], "revoke_tokens": form["every"] or "no"}
    try:
        request.call(Verb.WRITE, SET, Json(wish))
    except VfsError as wrong:
        return _page("reset.html", wrong, code=code)
    return Redirect("/login", session="", done="reset")


def show_verify(request: PageRequest) -> Page:
    """Return the page that verifies an address with the code that was mailed to it."""
    return _page("verify.html", uid=request.query.get("uid", ""), code=request.query.get("code", ""))


def verify(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Verify the address, or show the error on the page."""
    proof = {"uid": form["uid"].strip(), "code": form["code"].strip()}
    try:
        request.call(Verb.WRITE, PROVE, Json(proof))
    except VfsError as wrong:
        return _page("verify.html", wrong, **proof)
    return Redirect("/settings/profile" if request.caller.name else "/login", done="verified")


def _page(template: str, wrong: VfsError | None = None, **facts: Any) -> Page:
    return Page(template, {**facts, "trouble": wrong.detail if wrong else ""}, error=wrong)
