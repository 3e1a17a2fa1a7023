"""The pages that create an account: registration, and the first account of a service."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from handlers.pages.acting.fields import refused_fields
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Conflict, Denied, NotFound, VfsError
from vfs.path import Path

REGISTER_PAGE = Path(("register",))
REGISTER, AUTH = API / "register", API / "auth"
FIELDS = ("username", "name", "email")
TAKEN = "it is taken: choose another"


def show_register(request: PageRequest) -> Page | Redirect:
    """Return the page; redirect callers who are signed in. Raises Denied if the caller may not register."""
    if request.caller.name is not None:
        return Redirect("/")
    request.call(None, REGISTER)  # raises the API's error for callers who may not register
    return register_page({})


def register(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Create the account and sign in, or show the error on the page; the password must be typed again."""
    try:
        return sign_up(request, form, REGISTER)
    except VfsError as wrong:
        return register_page({name: form[name].strip() for name in FIELDS}, wrong)


def sign_up(
    request: PageRequest, form: SentForm, at: Path, more: Mapping[str, str] = MappingProxyType({})
) -> Redirect:
    """Create the account at a path of the API, and begin its session. Raises VfsError."""
    wish = {**{name: form[name].strip() for name in FIELDS}, "password": form["password"], **more}
    request.call(Verb.WRITE, at, Json(wish))
    try:
        proof = {"username": wish["username"], "password": form["password"]}
        session = request.call(Verb.WRITE, AUTH, Json(proof)).session
    except VfsError:
        return Redirect("/login", done="registered")  # the account exists nevertheless
    return Redirect("/", session=session, done="registered")


def register_page(
    typed: Mapping[str, str],
    error: VfsError | None = None,
    by: Mapping[str, str] = MappingProxyType({"key": "", "maker": "", "sign_in": "/login"}),
) -> Page:
    """Return the page with what was typed; `by` has the key and the maker of an invitation link."""
    refused = {"username": TAKEN} if isinstance(error, Conflict) else refused_fields(error)
    facts = {name: typed.get(name, "") for name in FIELDS}
    trouble = error.detail if error else ""
    return Page("register.html", {**facts, **by, "trouble": trouble, "refused": refused}, error=error)


SETUP_PAGE = Path(("setup",))
SETUP = API / "setup"
NOTHING_TYPED = {"username": "", "email": ""}


def show_setup(request: PageRequest) -> Page:
    """Return the page, or a page without a form if no first account can be created."""
    if not request.may(Verb.WRITE, SETUP):
        return _setup_page(over=True, error=NotFound("this address is over"))
    return _setup_page(key=request.query.get("key", ""))


def set_up(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Create the account and begin its session, or show the error on the page without the password."""
    typed = {name: form[name].strip() for name in NOTHING_TYPED}
    wish = {**typed, "key": form["key"].strip(), "password": form["password"]}
    try:
        reply = request.call(Verb.WRITE, SETUP, Json(wish))
    except (Denied, NotFound) as wrong:
        return _setup_page(over=True, error=wrong)
    except VfsError as wrong:
        return _setup_page(key=wish["key"], typed=typed, error=wrong)
    return Redirect("/", session=reply.session, done="begun")


def _setup_page(
    *,
    key: str = "",
    typed: Mapping[str, str] = NOTHING_TYPED,
    over: bool = False,
    error: VfsError | None = None,
) -> Page:
    facts = {
        **typed,
        "key": key,
        "over": over,
        "trouble": error.detail if error else "",
        "refused": refused_fields(error),
    }
    return Page("setup.html", facts, error=error)
