"""The page of the caller's notices, which are dismissed one by one, a group at a time, or all together."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.inbox.notice_groups import newest_of, notice_groups
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid, Unauthenticated
from vfs.path import Path

MOST = 60
PAGE = Path(("notices",))
DISMISS = API / ("admin", "dismiss")


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated if the caller is not signed in."""
    if request.caller.name is None:
        raise Unauthenticated("sign in to see your notices")
    groups, more = notice_groups(request, MOST, invitations=True)
    facts = {"groups": groups, "more": more, "newest": newest_of(groups)}
    return Page("notices.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Take the form of the page: dismiss the notices that it names, or all up to the one that it names."""
    if form["do"] != "dismiss" or not form["notices"]:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    names = form["notices"].split()
    request.call(Verb.WRITE, DISMISS, TextBody((" " if names[:1] == ["all"] else "\n").join(names)))
    return Redirect(str(PAGE), done="dismissed")
