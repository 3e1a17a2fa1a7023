"""The home page: the reader's tasks and news; without an account, public items."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from handlers.pages.examples import examples, make
from handlers.pages.finding.hits import find
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.framing.reader import now
from handlers.pages.inbox import UNWRITTEN, OwnNotice, by_thing, own_notices, reason_of
from handlers.pages.items.item_path import INVITES
from handlers.pages.people.group_page import answer_invitation
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.path import Path

REGISTER, EMAILS = API / "register", API / ("admin", "profile", "emails")
MOST_WAITING, MOST_FAILED, MOST_LISTED = 10, 5, 5
LATELY, BESIDE, CARDS = "10", "6", "4"
WAITING, INVITE = "waiting", "invite"
EVERY = "all"
HAPPENED = {
    WAITING: "waits for an answer",
    "failed": "failed",
    "rejected": "was rejected",
    UNWRITTEN: "could not write its results",
    "paused": "was paused",
}
FAILED = tuple(word for word in HAPPENED if word != WAITING)
TALK = ("commented", "answered", "mentioned")
DAY = timedelta(days=1)


class Task(NamedTuple):
    """Something that waits for the reader; `ref` is the invitation's group and `role` its role.

    For events of an item `says` is its title, `what` is the event, and `times` how often it happened.
    """

    kind: str
    says: str
    page: Path | None
    since: str
    ref: str = ""
    reason: str = ""
    role: str = ""
    what: str = ""
    times: int = 1

    @property
    def state(self) -> str:
        """The sort of task: `waiting`, `failed` or `talk`."""
        return WAITING if self.kind == WAITING else "talk" if self.kind in TALK else "failed"


def show(request: PageRequest) -> Page:
    """Return the page."""
    if request.caller.name is None:
        return _welcome(request)
    reported = own_notices(request)
    mine = find(request, {"whose": "mine", "count": CARDS})
    own_mail = any((row.extra or {})["status"] == "verified" for row in request.peek(EMAILS, ()))
    facts = {
        "unproved": request.world.service.settings.sends_mail and not own_mail,
        "tasks": _tasks(request, reported),
        "shared": find(request, {"whose": "shared", "count": CARDS}),
        "mine": mine,
        "lately": find(request, {"count": LATELY, "state": "yes"}),
        "favourites": find(request, {"tag": "fav", "count": BESIDE}),
        "first": not mine.hits,
        "examples": list(examples().values()),
    }
    return Page("home.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Answer an invitation, or create an example."""
    if form["do"] == "answer" and form["ref"]:
        return answer_invitation(request, form, form["ref"], "/")
    if form["do"] == "example" and request.caller.name is not None:
        if (example := examples().get(form["example"])) is not None:
            return Redirect(str(make(request, example)), done="example")
        if form["example"] == EVERY:
            for one in examples().values():
                make(request, one)
            return Redirect("/", done="examples")
    raise unknown_form()


def _welcome(request: PageRequest) -> Page:
    public = find(request, {"whose": "public", "count": LATELY})
    empty = not public.hits and not request.world.code.overview.accounts("", 1)
    facts = {"public": public, "empty": empty, "registers": request.may(Verb.WRITE, REGISTER)}
    return Page("welcome.html", facts)


def _tasks(request: PageRequest, reported: Sequence[OwnNotice]) -> list[Task]:
    """Return holds, failures of the last day, invitations and messages; each up to a maximum."""
    since = now() - DAY
    waiting = [row for row in reported if row.kind == WAITING][:MOST_WAITING]
    failed = [
        row for row in reported if row.kind in FAILED and datetime.fromisoformat(row.created_on) >= since
    ]
    talk = [row for row in reported if row.kind in TALK][:MOST_LISTED]
    tasks = [_task(row) for row in waiting]
    tasks += [
        _task(rows[0], reason=reason_of(request, rows[0].kind, rows[0].subject), times=len(rows))
        for rows in list(by_thing(failed).values())[:MOST_FAILED]
    ]
    tasks += [_invitation(row) for row in request.peek(INVITES, ())[:MOST_LISTED]]
    return [*tasks, *map(_task, talk)]


def _task(row: OwnNotice, *, reason: str = "", times: int = 1) -> Task:
    """Return the task of a notice, with the title of its item: the name of a run is on its page."""
    what = HAPPENED.get(row.kind, row.text)
    return Task(row.kind, row.title, row.page, row.created_on, reason=reason, what=what, times=times)


def _invitation(row: Any) -> Task:
    extra = row.extra or {}
    return Task(INVITE, row.name, None, row.created_on, ref=row.name, role=extra.get("role") or "")
