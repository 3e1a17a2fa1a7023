"""Which paths are pages: how each is shown, and how its forms are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handlers.pages import groups, home, jobs, runs
from handlers.pages import sign_in as signin
from handlers.pages import users as people
from handlers.pages.client import Desk
from handlers.pages.forms import Form
from handlers.pages.result import Answered
from vfs.errors import NotFound
from vfs.path import Path

Show = Callable[[Desk, Mapping[str, str]], Answered]
Act = Callable[[Desk, Form], Answered]
Views = tuple[Show | None, Act | None]


def views(path: Path) -> Views:
    """How a path is shown, and how its forms are taken. Raises NotFound where no page is."""
    for pattern, made in ROUTES:
        if len(pattern) == len(path) and all(map(_fits, pattern, path)):
            return made(*(name for part, name in zip(pattern, path, strict=True) if part == ANY))
    raise NotFound(
        f"there is no {path}: pages are of users, /u/<user>, of jobs, /u/<user>/j/<job>, and of groups; "
        "all else is below /v1"
    )


def _fits(part: str, name: str) -> bool:
    return part in (ANY, name)


def _job(user: str, job: str) -> Views:
    at = jobs.JobPath(user, job)
    return lambda desk, query: jobs.shown(desk, at), lambda desk, form: jobs.acted(desk, at, form)


def _run(user: str, job: str, run: str) -> Views:
    at = runs.RunPath(user, job, run)
    return lambda desk, query: runs.shown(desk, at, query), lambda desk, form: runs.acted(desk, at, form)


def _short(name: str, *rest: str) -> Views:
    return lambda desk, query: jobs.by_shortname(desk, name, rest), None


def _user(user: str) -> Views:
    return lambda desk, query: people.shown(desk, user), lambda desk, form: people.acted(desk, user, form)


def _group(at: groups.GroupPath) -> Views:
    return lambda desk, query: groups.shown(desk, at), lambda desk, form: groups.acted(desk, at, form)


def _sign_out() -> Views:
    return None, lambda desk, form: signin.sign_out(desk)


ANY = "*"
ROUTES: tuple[tuple[tuple[str, ...], Callable[..., Views]], ...] = (
    ((), lambda: (home.shown, None)),
    (("login",), lambda: (signin.shown, signin.sign_in)),
    (("logout",), _sign_out),
    (("j", ANY), _short),
    (("j", ANY, ANY), _short),
    (("u", ANY), _user),
    (("u", ANY, "grp", ANY), lambda owner, group: _group(groups.GroupPath(owner, group))),
    (("u", ANY, "j", ANY), _job),
    (("u", ANY, "j", ANY, ANY), _run),
    (("o", ANY), lambda org: _group(groups.GroupPath(org, org=True))),
    (("o", ANY, "g", ANY), lambda org, group: _group(groups.GroupPath(org, group, org=True))),
)
