"""The caller's notices in groups, and the page on which they are dismissed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.resource_lists import page_of
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid, Unauthenticated
from vfs.path import Path

NOTICES = API / ("admin", "notifications")
WAITING = "waiting"
MOST_OF_GROUP = 20
RESOURCE = 6
"""Number of names in the path of a resource: `/v1/users/<owner>/<family>/<folder>/<name>`."""

SEVERAL = {
    WAITING: "{} runs wait for an answer",
    "failed": "{} runs failed",
    "success": "{} runs ended well",
    "rejected": "{} runs were rejected",
    "unwritten": "the results of {} runs were not written",
}


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices of one kind about one thing, newest first; `title` is that of the thing."""

    kind: str
    title: str
    page: Path | None
    rows: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def says(self) -> str:
        """The number and kind of the notices, in words."""
        return SEVERAL.get(self.kind, "{} notices").format(len(self.rows))

    @property
    def names(self) -> str:
        """The names of the notices, which are dismissed together."""
        return " ".join(row["name"] for row in self.rows)

    @property
    def first(self) -> Sequence[Mapping[str, Any]]:
        """The newest notices, up to the number that is shown."""
        return self.rows[:MOST_OF_GROUP]


def newest_of(groups: Sequence[NoticeGroup]) -> str:
    """Return the name of the newest notice shown; all up to it are dismissed. "" if there is none."""
    names = (row["name"] for group in groups for row in group.rows)
    return max(names, key=lambda name: int(name.rpartition("-")[2]), default="")


def notice_groups(request: PageRequest, most: int) -> tuple[list[NoticeGroup], int]:
    """Return the first groups of the caller's notices, and the number of notices in the other groups."""
    groups: dict[tuple[str, Path], list[Any]] = {}
    for row in request.peek(NOTICES, ()):
        groups.setdefault((row.extra["kind"], thing_of(Path.parse(row.extra["subject"]))), []).append(row)
    shown = [_group(request, *about, rows) for about, rows in list(groups.items())[:most]]
    return shown, sum(map(len, groups.values())) - sum(len(group.rows) for group in shown)


def title_of(request: PageRequest, thing: Path) -> str:
    """Return the title of a resource, or its name if it has none."""
    named = request.peek(thing / "name", "") if len(thing) == RESOURCE else ""
    return named if isinstance(named, str) and named else thing[-1]


def thing_of(path: Path) -> Path:
    """Return the resource that contains a subject; the subject itself if there is none."""
    return Path(path[:RESOURCE]) if path[:2] == API / "users" and len(path) > RESOURCE else path


def _group(request: PageRequest, kind: str, thing: Path, rows: Sequence[Any]) -> NoticeGroup:
    group = NoticeGroup(kind, title_of(request, thing), page_of_subject(request, thing))
    group.rows.extend(
        {
            "name": row.name,
            "at": row.created_on,
            "text": row.extra["text"],
            "page": page_of_subject(request, Path.parse(row.extra["subject"])),
        }
        for row in rows
    )
    return group


def page_of_subject(request: PageRequest, subject: Path) -> Path | None:
    """Return the page of a subject or of the thing that contains it; an invitation's is the user's page."""
    if subject[:3] == API / ("admin", "invites"):
        return Path(("u", request.caller.name or ""))
    for path in (subject, thing_of(subject)):
        if (page := page_of(path, request.world.service.kinds)) != path:
            return page
    return _page_of_group(subject)


def _page_of_group(subject: Path) -> Path | None:
    """Return the page of the group whose threads contain a subject."""
    match subject[1:]:
        case ("users", user, "groups", group, "threads", *_):
            return Path(("u", user, "grp", group))
        case ("orgs", org, "groups", group, "threads", *_):
            return Path(("o", org, "g", group))
        case ("orgs", org, "threads", *_):
            return Path(("o", org))
    return None


MOST = 60
PAGE = Path(("notices",))
DISMISS = API / ("admin", "dismiss")


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    if request.caller.name is None:
        raise Unauthenticated("sign in to see your notices")
    groups, more = notice_groups(request, MOST)
    facts = {"groups": groups, "more": more, "newest": newest_of(groups)}
    return Page("notices.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Handle the form of the page: dismiss the notices that it names, or all up to one."""
    if form["do"] != "dismiss" or not form["notices"]:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    names = form["notices"].split()
    request.call(Verb.WRITE, DISMISS, TextBody((" " if names[:1] == ["all"] else "\n").join(names)))
    return Redirect(str(PAGE), done="dismissed")
