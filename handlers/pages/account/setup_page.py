"""The page of the first account, at the address that `curlew serve` prints while there is none."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.account.refused_fields import refused_fields
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Denied, NotFound, VfsError
from vfs.path import Path

PAGE = Path(("setup",))
SETUP = API / "setup"
NOTHING_TYPED = {"username": "", "email": ""}


def show(request: PageRequest) -> Page:
    """The page; another one, which is as little use to a stranger, where no first account is to be made."""
    if not request.may(Verb.WRITE, SETUP):
        return _page(over=True, error=NotFound("this address is over"))
    return _page(key=request.query.get("key", ""))


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Make the account and begin its session, or say on the page why not; a password is typed again."""
    typed = {name: form[name].strip() for name in NOTHING_TYPED}
    wish = {**typed, "key": form["key"].strip(), "password": form["password"]}
    try:
        reply = request.call(Verb.WRITE, SETUP, Json(wish))
    except (Denied, NotFound) as wrong:
        return _page(over=True, error=wrong)
    except VfsError as wrong:
        return _page(key=wish["key"], typed=typed, error=wrong)
    return Redirect("/", session=reply.session, done="begun")


def _page(
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
