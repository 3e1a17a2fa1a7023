"""The page of an invitation link: a new account, or a connection of one that there is."""

from __future__ import annotations

from handlers.pages.account import sign_in
from handlers.pages.account.new_account import FIELDS, register_page, sign_up
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Data
from vfs.errors import VfsError

INVITED, ACCEPT = API / "invited", API / ("admin", "social", "accept")


def show(request: PageRequest) -> Page:
    """Return the page; it says why if the link does not work any more."""
    key = request.query.get("key", "")
    return _page(request, key)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Connect the caller, or make an account, with the maker of the link."""
    key = form["key"].strip()
    if request.caller.name is None and not form["username"]:
        return Redirect(_sign_in(key))  # the session ended on the page
    try:
        maker = _invitation(request, key)["from"]
        if request.caller.name is not None:
            request.call(Verb.WRITE, ACCEPT, TextBody(key))
            return Redirect(f"/u/{maker}", done="connected", told={"who": f"@{maker}"})
        begun = sign_up(request, form, INVITED, {"key": key})
    except VfsError as wrong:
        return _page(request, key, {name: form[name].strip() for name in FIELDS}, wrong)
    if begun.path == "/login":
        return begun
    return Redirect(f"/u/{maker}", session=begun.session, done="invited in")


def _page(
    request: PageRequest, key: str, typed: dict[str, str] | None = None, error: VfsError | None = None
) -> Page:
    facts = {"key": key, "sign_in": _sign_in(key)}
    try:
        told = _invitation(request, key)
    except VfsError as wrong:
        return Page("invited.html", {**facts, "maker": "", "trouble": wrong.detail}, error=error or wrong)
    facts["maker"] = told["from"]
    if request.caller.name is None and told["registers"]:
        return register_page(typed or {}, error, facts)
    return Page("invited.html", {**facts, "trouble": error.detail if error else ""}, error=error)


def _invitation(request: PageRequest, key: str) -> dict[str, str]:
    """Return who made the link, and whether the caller may register with it. Raises NotFound, TooMany."""
    value = request.call(Verb.READ, INVITED, query={"key": key}).value
    assert isinstance(value, Data)
    return dict(value.value)


def _sign_in(key: str) -> str:
    return sign_in.address(f"/invited?key={key}")
