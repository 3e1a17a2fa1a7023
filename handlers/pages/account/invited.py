"""The page of an invitation link: a new account, or a connection of one that there is."""

from __future__ import annotations

from handlers.pages.account import sign_in
from handlers.pages.account.new_account import sign_up
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import VfsError

INVITED, ACCEPT = API / "invited", API / ("admin", "social", "accept")


def show(request: PageRequest) -> Page:
    """Return the page; it says why if the link does not work any more."""
    facts = {"key": _key(request), "sign_in": _sign_in(request)}
    try:
        reported = _invitation(request)
    except VfsError as wrong:
        return Page("invited.html", {**facts, "maker": "", "trouble": wrong.detail}, error=wrong)
    registers = request.caller.name is None and reported["registers"]
    return Page("register.html" if registers else "invited.html", {**facts, "maker": reported["from"]})


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Connect the caller, or make an account, with the maker of the link."""
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
    """Return who made the link, and whether the caller may register with it. Raises NotFound, TooMany."""
    return dict(request.answer(Verb.READ, INVITED, query={"key": _key(request)}))


def _key(request: PageRequest) -> str:
    return request.query.get("key", "")


def _sign_in(request: PageRequest) -> str:
    return sign_in.address(f"/invited?key={_key(request)}")
