"""The pages that create an account: registration, an invitation, and the first account of a service."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.account import sign_in
from handlers.pages.account.sign_in import begun
from handlers.pages.acting.fields import blame_field
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Conflict, Denied, NotFound, VfsError
from vfs.path import Path

REGISTER, AUTH = API / "register", API / "auth"
FIELDS = ("username", "name", "email")
TAKEN = "it is taken: choose another"


def show_register(request: PageRequest) -> Page | Redirect:
    """Return the page; redirect callers who are signed in. Raises Denied if the caller may not register."""
    if request.caller.name is not None:
        return Redirect("/")
    request.call(None, REGISTER)  # raises the API's error for callers who may not register
    return Page("register.html", {"maker": "", "sign_in": "/login"})


def register(request: PageRequest, form: SentForm) -> Redirect:
    """Create the account and sign in; after an error the password must be typed again."""
    return sign_up(request, form, REGISTER, {})


def sign_up(request: PageRequest, form: SentForm, at: Path, more: Mapping[str, str]) -> Redirect:
    """Create the account with a request to `at`, with `more` fields, and start its session."""
    typed = {name: form[name].strip() for name in FIELDS}
    try:
        request.call(Verb.WRITE, at, Json({**typed, **more, "password": form["password"]}))
    except Conflict as wrong:
        raise blame_field(wrong, "username", TAKEN) from None
    try:
        proof = {"username": typed["username"], "password": form["password"]}
        session = request.call(Verb.WRITE, AUTH, Json(proof)).session
    except VfsError:
        return Redirect("/login", done="registered")  # but the account exists
    begun(request, session, form)
    return Redirect("/", session=session, done="registered")


SETUP = API / "setup"


def show_setup(request: PageRequest) -> Page:
    """Return the page, or a page without a form if no first account can be created."""
    if not request.may(Verb.WRITE, SETUP):
        return _over(NotFound("this address has expired"))
    return Page("setup.html", {"key": request.query.get("key", ""), "over": False})


def set_up(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Create the account and start its session; after an error the password must be typed again."""
    typed = {name: form[name].strip() for name in ("username", "email", "key")}
    try:
        reply = request.call(Verb.WRITE, SETUP, Json({**typed, "password": form["password"]}))
    except (Denied, NotFound) as wrong:
        return _over(wrong)
    done = "begun-proved" if typed["email"] else "begun"
    begun(request, reply.session, form)
    return Redirect("/", session=reply.session, done=done)


def _over(error: VfsError) -> Page:
    return Page("setup.html", {"key": "", "over": True}, error=error)


INVITED, ACCEPT = API / "invited", API / ("admin", "social", "accept")


def show_invited(request: PageRequest) -> Page:
    """Return the page of an invitation link, with the reason if the link is no longer valid."""
    facts = {"key": _key(request), "sign_in": _sign_in(request)}
    try:
        reported = _invitation(request)
    except VfsError as wrong:
        return Page("invited.html", {**facts, "maker": "", "trouble": wrong.detail}, error=wrong)
    registers = request.caller.name is None and reported["registers"]
    return Page("register.html" if registers else "invited.html", {**facts, "maker": reported["from"]})


def accept(request: PageRequest, form: SentForm) -> Redirect:
    """Connect the creator of the link with the caller, or with a new account."""
    if request.caller.name is None and not form["username"]:
        return Redirect(_sign_in(request))  # the session ended on the page
    maker = _invitation(request)["from"]
    if request.caller.name is not None:
        request.write(ACCEPT, _key(request))
        return Redirect(f"/u/{maker}", done="connected", values={"who": f"@{maker}"})
    begun = sign_up(request, form, INVITED, {"key": _key(request)})
    if begun.session is None:
        return begun
    return Redirect(f"/u/{maker}", session=begun.session, done="invited in")


def _invitation(request: PageRequest) -> dict[str, str]:
    """Return the creator of the link, and whether callers may register with it. Raises NotFound, TooMany."""
    return dict(request.answer(Verb.READ, INVITED, query={"key": _key(request)}))


def _key(request: PageRequest) -> str:
    return request.query.get("key", "")


def _sign_in(request: PageRequest) -> str:
    return sign_in.address(f"/invited?key={_key(request)}")
