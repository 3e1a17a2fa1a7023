"""The paths that are pages, each with the view that shows it and the one that takes its forms.

A part declares its own: `PARTS` are asked in order before all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from handlers.pages import jobs, manual, runs, users
from handlers.pages.account import authorize, codes, register_page, setup_page, sign_in
from handlers.pages.acting.view import PagePart, View
from handlers.pages.charts.chart_pages import CHARTS
from handlers.pages.files.file_tree import LARGEST_FORM
from handlers.pages.finding.finding_part import FINDING
from handlers.pages.framing.menu_page import MENU
from handlers.pages.inbox import notice_page
from handlers.pages.job_parts import JobPath
from handlers.pages.job_views.edit_page import JOB_EDITOR
from handlers.pages.manual import Chapters
from handlers.pages.operating import OPERATING
from handlers.pages.owning.new_job import NEW_JOB
from handlers.pages.owning.routes import OWNING
from handlers.pages.people.group_part import GROUPS
from handlers.pages.repos.repo_pages import REPO_PAGES
from handlers.pages.result import DONE
from handlers.pages.runs import RunPath
from handlers.pages.settings.settings_part import SETTINGS
from handlers.pages.spaces import SPACE_PAGES
from handlers.pages.talking.talking_part import TALKING
from handlers.pages.visuals import leave_page, visual_pages
from handlers.pages.visuals.asset_page import ASSET_PAGES
from handlers.pages.visuals.embed_page import EMBEDDING
from handlers.pages.visuals.visual_page import VisualPages
from handlers.pages.writing.writing_pages import WRITING
from handlers.rules.kinds import Kinds
from vfs.errors import NotFound
from vfs.path import Path

PARTS: tuple[PagePart, ...] = (
    MENU,
    FINDING,
    EMBEDDING,
    ASSET_PAGES,
    NEW_JOB,
    OWNING,
    TALKING,
    GROUPS,
    SETTINGS,
    JOB_EDITOR,
    REPO_PAGES,
    SPACE_PAGES,
    CHARTS,
    WRITING,
    OPERATING,
)

SENTENCES: Mapping[str, str] = {**DONE, **{word: said for part in PARTS for word, said in part.done.items()}}
"""What forms did, by the words that stand for it."""

FIXED: Mapping[tuple[str, ...], View] = {
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


def view_of(path: Path, kinds: Kinds, chapters: Chapters, visuals: VisualPages) -> View:
    """The page at a path. Raises NotFound where there is none."""
    for part in PARTS:
        if (view := part.find(path, kinds)) is not None:
            return view
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
        case ("u", user, *_):
            return _of_user(path, visuals, user)
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


def _of_user(path: Path, visuals: VisualPages, user: str) -> View:
    match tuple(path[2:]):
        case ():
            return View(partial(users.show, user), partial(users.act, user))
        case ("j", job):
            return View(partial(jobs.show, JobPath(user, job)), partial(jobs.act, JobPath(user, job)))
        case ("j", job, run):
            return View(
                partial(runs.show, RunPath(user, job, run)), partial(runs.act, RunPath(user, job, run))
            )
        case ("j", job, run, side, *names) if side in runs.SIDES or side == runs.HOLD:
            at = RunPath(user, job, run)
            show, act = (partial(one, at, side, names) for one in (runs.show_files, runs.act_on_files))
            return View(show, act, LARGEST_FORM)
        case (letter, name) if letter in visuals:
            return View(partial(visual_pages.show, visuals[letter], user, name))
    raise _no_page(path)


def _no_page(path: Path) -> NotFound:
    return NotFound(
        f"there is no {path}: pages are of users, /u/<user>, of their jobs, plots, grids, documents and "
        "mails, as /u/<user>/j/<job>, and of groups; all else is below /v1"
    )
