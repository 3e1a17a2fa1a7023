"""The first page: the reader's tasks and news; without an account, the public things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from handlers.pages.examples import examples, make
from handlers.pages.finding.hits import find
from handlers.pages.forms import SentForm
from handlers.pages.framing.moments import now
from handlers.pages.groups import INVITES
from handlers.pages.inbox import NOTICES, page_of_subject, thing_of, title_of
from handlers.pages.people.answers import answer
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

REGISTER = API / "register"
MOST_WAITING, MOST_FAILED, MOST_TOLD = 10, 5, 5
LATELY, BESIDE = "10", "6"
WAITING, INVITE = "waiting", "invite"
UNWRITTEN = "unwritten"
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
LAST_WORDS = 160


class Task(NamedTuple):
    """Something that waits for the reader; `ref` is the invitation's group and `role` its role.

    For events of a thing `says` is its title, `what` is the event, and `times` how often it happened.
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
    told = request.peek(NOTICES, ())
    lately = find(request, {"count": LATELY, "state": "yes"})
    facts = {
        "tasks": _tasks(request, told),
        "unseen": max(len(told) - MOST_WAITING - MOST_FAILED - MOST_TOLD, 0),
        "lately": lately,
        "favourites": find(request, {"tag": "fav", "count": BESIDE}),
        "shared": find(request, {"whose": "shared", "count": BESIDE}),
        "first": not any(hit.own for hit in lately.hits) and not _has_own(request),
        "examples": list(examples().values()),
    }
    return Page("home.html", facts)


def _has_own(request: PageRequest) -> bool:
    return bool(find(request, {"whose": "mine", "count": "1"}).hits)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Answer an invitation, or create an example."""
    if form["do"] == "answer" and form["ref"]:
        return answer(request, form["ref"], form, "/")
    if form["do"] == "example" and request.caller.name is not None:
        if (example := examples().get(form["example"])) is not None:
            return Redirect(str(make(request, example)), done="example")
        if form["example"] == EVERY:
            for one in examples().values():
                make(request, one)
            return Redirect("/", done="examples")
    raise Invalid("this page cannot do what the form asks for: open the page again")


def _welcome(request: PageRequest) -> Page:
    public = find(request, {"whose": "public", "count": LATELY})
    facts = {"public": public, "registers": request.may(Verb.WRITE, REGISTER)}
    return Page("welcome.html", facts)


def _tasks(request: PageRequest, told: Sequence[Any]) -> list[Task]:
    """Return holds, failures of the last day, invitations and messages; each up to a maximum."""
    since = now() - DAY
    waiting = [row for row in told if row.extra["kind"] == WAITING][:MOST_WAITING]
    failed = [
        row for row in told if row.extra["kind"] in FAILED and datetime.fromisoformat(row.created_on) >= since
    ]
    talk = [row for row in told if row.extra["kind"] in TALK][:MOST_TOLD]
    tasks = [_of_run(request, row) for row in waiting]
    tasks += [
        _of_run(request, rows[0])._replace(reason=_reason(request, rows[0].extra), times=len(rows))
        for rows in _by_thing(failed)[:MOST_FAILED]
    ]
    tasks += [_invitation(row) for row in request.peek(INVITES, ())[:MOST_TOLD]]
    return [*tasks, *(_of_talk(request, row) for row in talk)]


def _task(request: PageRequest, row: Any) -> Task:
    extra = row.extra
    page = page_of_subject(request, Path.parse(extra["subject"]))
    return Task(extra["kind"], extra["text"], page, row.created_on)


def _of_run(request: PageRequest, row: Any) -> Task:
    """Return the task for a run, with the title of its job: the run's own name is on its page."""
    title = title_of(request, thing_of(Path.parse(row.extra["subject"])))
    return _task(request, row)._replace(says=title, what=HAPPENED[row.extra["kind"]])


def _of_talk(request: PageRequest, row: Any) -> Task:
    """Return the task for a comment, with the title of the thing that it is about."""
    task = _task(request, row)
    title = title_of(request, thing_of(Path.parse(row.extra["subject"])))
    return task._replace(says=title, what=task.says) if title else task


def _by_thing(rows: Sequence[Any]) -> list[list[Any]]:
    """Return the notices grouped by kind and thing, in the order of the first of each group."""
    found: dict[tuple[str, Path], list[Any]] = {}
    for row in rows:
        found.setdefault((row.extra["kind"], thing_of(Path.parse(row.extra["subject"]))), []).append(row)
    return list(found.values())


def _invitation(row: Any) -> Task:
    extra = row.extra or {}
    return Task(INVITE, row.name, None, row.created_on, ref=row.name, role=extra.get("role") or "")


def _reason(request: PageRequest, extra: Mapping[str, Any]) -> str:
    """Return the last error line of a run's log; "" if there is none that the caller may read."""
    subject = Path.parse(extra["subject"])
    if len(subject) != len(API) + 7:
        return ""
    lines = request.peek(subject / "log", ())
    # A successful run has no error, but warnings about results that it could not write.
    severity = "warning" if extra["kind"] == UNWRITTEN else "error"
    errors = [line["message"] for line in lines if isinstance(line, Mapping) and line["severity"] == severity]
    return " ".join(errors[-1].split())[:LAST_WORDS] if errors else ""
