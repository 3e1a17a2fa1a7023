"""The caller's notices in groups, and the page on which they are dismissed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.resource_lists import page_of
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.services.notices import visible_notices
from handlers.trees.account.notifications import notice_name
from vfs.access import Verb
from vfs.path import Path

NOTICES = API / ("admin", "notifications")
WAITING = "waiting"
UNWRITTEN, LOG_SAYS = "unwritten", "; its log says why."
FAILURES = ("failed", "rejected", UNWRITTEN)
MOST_REASONS, LAST_WORDS = 10, 160
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


class OwnNotice(NamedTuple):
    """A notice of the caller: its words, the path and page of its subject, and the title of its item."""

    name: str
    kind: str
    subject: Path
    page: Path | None
    title: str
    text: str
    created_on: str

    @property
    def thing(self) -> Path:
        """The resource that contains the subject."""
        return thing_of(self.subject)


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices of one kind about one resource, newest first; `title` is that of the resource."""

    kind: str
    title: str
    page: Path | None
    rows: list[OwnNotice]

    @property
    def says(self) -> str:
        """The number and kind of the notices, in words."""
        return SEVERAL.get(self.kind, "{} notices").format(len(self.rows))

    @property
    def names(self) -> str:
        """The names of the notices, which are dismissed together."""
        return " ".join(row.name for row in self.rows)

    @property
    def first(self) -> Sequence[OwnNotice]:
        """The newest notices, up to the number that is shown."""
        return self.rows[:MOST_OF_GROUP]


def by_thing(rows: Iterable[OwnNotice]) -> dict[tuple[str, Path], list[OwnNotice]]:
    """Return notices grouped by kind and resource, in the order of the first of each group."""
    found: dict[tuple[str, Path], list[OwnNotice]] = {}
    for row in rows:
        found.setdefault((row.kind, row.thing), []).append(row)
    return found


def own_notices(request: PageRequest) -> list[OwnNotice]:
    """Return the caller's notices: waiting holds, then all others, each newest first; none for programs."""
    name, world = request.caller.name, request.world
    if name is None or not request.may(Verb.READ, NOTICES):
        return []
    reported = visible_notices(world, world.social.notices.of(name), request.caller, for_people=True)
    rows = [
        OwnNotice(
            notice_name(one.notice),
            one.notice.kind,
            path := Path.parse(one.path),
            page_of_subject(request, path),
            one.title or thing_of(path)[-1],
            one.text,
            one.notice.created_on,
        )
        for one in reported
    ]
    return sorted(rows, key=lambda row: row.kind != WAITING)


def reason_of(request: PageRequest, kind: str, run: Path) -> str:
    """Return the last error line of a run's log; "" if there is none that the caller may read."""
    if len(run) != len(API) + 7:
        return ""
    lines = request.peek(run / "log", ())
    # A successful run has no error, but warnings about results that it could not write.
    severity = "warning" if kind == UNWRITTEN else "error"
    errors = [line["message"] for line in lines if isinstance(line, Mapping) and line["severity"] == severity]
    return " ".join(errors[-1].split())[:LAST_WORDS] if errors else ""


def newest_of(groups: Sequence[NoticeGroup]) -> str:
    """Return the name of the newest notice shown; all up to it are dismissed. "" if there is none."""
    names = (row.name for group in groups for row in group.rows)
    return max(names, key=lambda name: int(name.rpartition("-")[2]), default="")


def notice_groups(request: PageRequest, most: int) -> tuple[list[NoticeGroup], int]:
    """Return the first groups of the caller's notices, and the number of notices in the other groups."""
    groups = by_thing(own_notices(request))
    shown = [
        NoticeGroup(kind, rows[0].title, page_of_subject(request, thing), rows)
        for (kind, thing), rows in list(groups.items())[:most]
    ]
    for group in [one for one in shown if one.kind in FAILURES][:MOST_REASONS]:
        newest = group.rows[0]
        if reason := reason_of(request, group.kind, newest.subject):
            text = f"{newest.text.removesuffix(LOG_SAYS).removesuffix('.')}: {reason}"
            group.rows[0] = newest._replace(text=text)
    return shown, sum(map(len, groups.values())) - sum(len(group.rows) for group in shown)


def thing_of(path: Path) -> Path:
    """Return the resource that contains a subject; the subject itself if there is none."""
    return Path(path[:RESOURCE]) if path[:2] == API / "users" and len(path) > RESOURCE else path


def page_of_subject(request: PageRequest, subject: Path) -> Path | None:
    """Return the page of a subject or of the resource around it; for an invitation, the user's page."""
    if subject[:3] == API / ("admin", "invites"):
        return Path(("u", request.caller.name or ""))
    for path in (subject, thing_of(subject)):
        if (page := page_of(path, request.world.service.kinds)) != path:
            return page
    return None


MOST = 60
PAGE = Path(("notices",))
DISMISS = API / ("admin", "dismiss")


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    request.me("see your notices")
    groups, more = notice_groups(request, MOST)
    facts = {"groups": groups, "more": more, "newest": newest_of(groups)}
    return Page("notices.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Handle the form of the page: dismiss the notices that it names, or all up to one."""
    if form["do"] != "dismiss" or not form["notices"]:
        raise unknown_form()
    names = form["notices"].split()
    request.write(DISMISS, (" " if names[:1] == ["all"] else "\n").join(names))
    return Redirect(str(PAGE), done="dismissed")
