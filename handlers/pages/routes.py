"""The paths that are pages, each with the view that shows it and the one that takes its forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from handlers.pages import home, jobs, manual, runs, users
from handlers.pages.account import (
    authorize,
    codes,
    register_page,
    setup_page,
    sign_in,
)
from handlers.pages.forms import SentForm
from handlers.pages.groups import GroupPath
from handlers.pages.inbox import notice_page
from handlers.pages.job_parts import JobPath
from handlers.pages.manual import Chapters
from handlers.pages.people import group_page, group_settings
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Redirect
from handlers.pages.runs import RunPath
from handlers.pages.settings import notices_page, profile_page, signin_page, token_page
from handlers.pages.settings.concerns import NOTICES_PAGE, PROFILE_PAGE, SIGNIN_PAGE, TOKENS_PAGE
from handlers.pages.visuals import leave_page, visual_pages
from handlers.pages.visuals.visual_page import VisualPages
from vfs.access import Verb
from vfs.errors import NotFound
from vfs.path import Path


class View(NamedTuple):
    """A page: `show` answers its GET, `act` takes its forms; either may be missing."""

    show: Callable[[PageRequest], Answered] | None
    act: Callable[[PageRequest, SentForm], Answered] | None = None

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs that the page takes."""
        there = ((Verb.READ, self.show), (Verb.WRITE, self.act))
        return tuple(verb for verb, taken in there if taken is not None)


FIXED: Mapping[tuple[str, ...], View] = {
    (): View(home.show),
    ("login",): View(sign_in.show, sign_in.sign_in),
    tuple(register_page.PAGE): View(register_page.show, register_page.act),
    tuple(setup_page.PAGE): View(setup_page.show, setup_page.act),
    ("logout",): View(None, sign_in.sign_out),
    ("notices",): View(notice_page.show, notice_page.act),
    tuple(codes.FORGOTTEN): View(codes.show_forgotten, codes.ask_code),
    tuple(codes.RESET): View(codes.show_reset, codes.reset),
    tuple(codes.VERIFY): View(codes.show_verify, codes.verify),
    tuple(authorize.AUTHORIZE): View(authorize.show, authorize.answer),
}


SETTINGS_PAGES = (
    (PROFILE_PAGE, profile_page),
    (SIGNIN_PAGE, signin_page),
    (TOKENS_PAGE, token_page),
    (NOTICES_PAGE, notices_page),
)
MOVED: Mapping[tuple[str, ...], Path] = {
    ("settings",): PROFILE_PAGE.page,
    ("addresses",): PROFILE_PAGE.page,
    ("connections",): SIGNIN_PAGE.page,
}
"""Addresses of before, each with the page that took its place."""


def view_of(path: Path, chapters: Chapters, visuals: VisualPages) -> View:
    """The page at a path. Raises NotFound where there is none."""
    fixed = FIXED.get(tuple(path))
    if fixed is not None:
        return fixed
    match tuple(path):
        case ("docs", *names) if len(names) < 2:
            return _of_manual(chapters, names)
        case (letter, short, *rest) if letter == "j" or letter in visuals:
            return _of_short(path, visuals, letter, short, rest)
        case ("unsubscribe", ticket):
            return View(partial(leave_page.show, ticket), partial(leave_page.leave, ticket))
        case ("unsubscribe", "notices", ticket):
            return View(partial(leave_page.show_mute, ticket), partial(leave_page.act_mute, ticket))
        case ("settings", *_) | ("addresses",) | ("connections",):
            return _of_settings(path)
        case ("u", user, *_):
            return _of_user(path, visuals, user)
        case ("o", org, *_):
            return _of_organisation(path, org)
    raise _no_page(path)


def _of_manual(chapters: Chapters, names: list[str]) -> View:
    if names:
        return View(partial(manual.show_chapter, chapters, names[0]))
    return View(partial(manual.show_contents, chapters))


def _of_short(path: Path, visuals: VisualPages, letter: str, short: str, rest: list[str]) -> View:
    if letter == "j" and len(rest) <= 1:
        return View(partial(jobs.redirect, short, rest))
    if letter in visuals and not rest:
        return View(partial(visual_pages.show_short, visuals[letter], short))
    raise _no_page(path)


def _of_organisation(path: Path, org: str) -> View:
    match tuple(path[2:]):
        case ():
            return _group(GroupPath(org, org=True))
        case ("settings",):
            return _group_settings(GroupPath(org, org=True))
        case ("g", group):
            return _group(GroupPath(org, group, org=True))
        case ("g", group, "settings"):
            return _group_settings(GroupPath(org, group, org=True))
    raise _no_page(path)


def _of_settings(path: Path) -> View:
    to = MOVED.get(tuple(path))
    if to is not None:
        return View(partial(_move, to), lambda request, form: _move(to, request))
    for concern, page in SETTINGS_PAGES:
        if path == concern.page:
            return View(page.show, page.act)
    raise _no_page(path)


def _move(to: Path, request: PageRequest) -> Redirect:
    """The way to the present address of a page."""
    return Redirect(str(to), moved=True)


def _of_user(path: Path, visuals: VisualPages, user: str) -> View:
    match tuple(path[2:]):
        case ():
            return View(partial(users.show, user), partial(users.act, user))
        case ("grp", group):
            return _group(GroupPath(user, group))
        case ("grp", group, "settings"):
            return _group_settings(GroupPath(user, group))
        case ("j", job):
            return View(partial(jobs.show, JobPath(user, job)), partial(jobs.act, JobPath(user, job)))
        case ("j", job, run):
            return View(
                partial(runs.show, RunPath(user, job, run)), partial(runs.act, RunPath(user, job, run))
            )
        case (letter, name) if letter in visuals:
            return View(partial(visual_pages.show, visuals[letter], user, name))
    raise _no_page(path)


def _group(group: GroupPath) -> View:
    return View(partial(group_page.show, group), partial(group_page.act, group))


def _group_settings(group: GroupPath) -> View:
    return View(partial(group_settings.show, group), partial(group_settings.act, group))


def _no_page(path: Path) -> NotFound:
    return NotFound(
        f"there is no {path}: pages are of users, /u/<user>, of their jobs, plots, grids, documents and "
        "mails, as /u/<user>/j/<job>, and of groups; all else is below /v1"
    )
