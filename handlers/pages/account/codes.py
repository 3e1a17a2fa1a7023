"""The pages of mailed codes: for a forgotten password, a new password, and an address."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.acting.fields import blame_field
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import NotFound
from vfs.path import Path

FORGOTTEN, RESET, VERIFY = Path(("forgotten",)), Path(("reset",)), Path(("verify",))
ASK, SET, PROVE = (API / ("admin", name) for name in ("forgotten", "reset", "challenge"))


def show_forgotten(request: PageRequest) -> Page:
    """Return the page that requests a code for a forgotten password."""
    return Page("forgotten.html", {"sent": ""})


def ask_code(request: PageRequest, form: SentForm) -> Page:
    """Mail a code; the response does not reveal whether the account exists."""
    email = form["email"].strip()
    request.call(Verb.WRITE, ASK, Json({"email": email}))
    return Page("forgotten.html", {"sent": email})


def show_reset(request: PageRequest) -> Page:
    """Return the page that sets a new password with a code; the link in the mail contains the code."""
    return Page("reset.html", {"code": request.query.get("code", "")})


def reset(request: PageRequest, form: SentForm) -> Redirect:
    """Set the password; after an error it must be typed again."""
    requested = {
        "code": form["code"].strip(),
        "new_password": form["new_password"],
        "revoke_tokens": form["every"] or "no",
    }
    _send_code(request, SET, requested)
    return Redirect("/login", session="", done="reset")


def show_verify(request: PageRequest) -> Page:
    """Return the page that verifies an address with the code that was mailed to it."""
    return Page("verify.html", {name: request.query.get(name, "") for name in ("uid", "code")})


def verify(request: PageRequest, form: SentForm) -> Redirect:
    """Verify an e-mail address with its code."""
    _send_code(request, PROVE, {"uid": form["uid"].strip(), "code": form["code"].strip()})
    return Redirect("/settings/profile" if request.caller.name else "/login", done="verified")


def _send_code(request: PageRequest, to: Path, requested: Mapping[str, str]) -> None:
    try:
        request.call(Verb.WRITE, to, Json(requested))
    except NotFound as wrong:
        raise blame_field(wrong, "code") from None  # shown at the field, not as a missing page
