"""The page on which whoever reaches the service makes an account, where registration is open."""

from __future__ import annotations

from handlers.pages.account.refused_fields import refused_fields
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Conflict, VfsError
from vfs.path import Path

PAGE = Path(("register",))
REGISTER, AUTH = API / "register", API / "auth"
FIELDS = ("username", "name", "email")
TAKEN = "it is taken: choose another"


def show(request: PageRequest) -> Page | Redirect:
    """The page; who is signed in goes on. Raises Denied where registration is not open to the caller."""
    if request.caller.name is not None:
        return Redirect("/")
    request.call(None, REGISTER)  # refuses whoever may not register, in the words of the API
    return _page({})


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Make the account and sign in, or say on the page why not; the password is typed again then."""
    typed = {name: form[name].strip() for name in FIELDS}
    wish = {**typed, "password": form["password"]}
    try:
        request.call(Verb.WRITE, REGISTER, Json(wish))
    except VfsError as wrong:
        return _page(typed, wrong)
    try:
        proof = {"username": typed["username"], "password": form["password"]}
        session = request.call(Verb.WRITE, AUTH, Json(proof)).session
    except VfsError:
        return Redirect("/login", done="registered")  # the account is there all the same
    return Redirect("/", session=session, done="registered")


def _page(typed: dict[str, str], error: VfsError | None = None) -> Page:
    refused = {"username": TAKEN} if isinstance(error, Conflict) else refused_fields(error)
    facts = {name: typed.get(name, "") for name in FIELDS}
    return Page(
        "register.html", {**facts, "trouble": error.detail if error else "", "refused": refused}, error=error
    )
