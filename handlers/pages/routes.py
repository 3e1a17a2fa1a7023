"""The addresses of all pages, each with the functions that show it and handle its forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from handlers.pages import (
    inbox,
    job_editor,
    job_hooks,
    jobs,
    manual,
    operating,
    runs,
    spaces,
    talking,
    text_editor,
    trash,
    users,
)
from handlers.pages.account import authorize, codes, new_account, sign_in
from handlers.pages.charts import grid_editor, plot_editor
from handlers.pages.files.file_tree import LARGEST_FORM
from handlers.pages.files.stored_files import RESERVED
from handlers.pages.finding import home_page, list_pages
from handlers.pages.forms import LARGEST, SentForm
from handlers.pages.items.item_path import GroupPath, ItemPath, item_at
from handlers.pages.manual import Chapters
from handlers.pages.owning import new_job, new_page, new_plot, settings_page, share_page, versions_page
from handlers.pages.people import group_page, group_settings, invite_page
from handlers.pages.repos import builds, commits_page, files_page
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect, View
from handlers.pages.runs import RunPath
from handlers.pages.settings import (
    factor_page,
    hooks_page,
    notices_page,
    profile_page,
    signin_page,
    token_page,
)
from handlers.pages.text_editor import DOCUMENT_EDITOR, ENVELOPE, MAIL_EDITOR
from handlers.pages.visuals import asset_page, embed_page, insertions, leave_page, snapshot_pages
from handlers.pages.visuals.document_pages import DOCUMENT_PAGE, MAIL_PAGE
from handlers.pages.visuals.grid_page import GRID_PAGE
from handlers.pages.visuals.plot_page import PLOT_PAGE
from handlers.pages.visuals.visual_page import VisualPage, VisualPages
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds
from handlers.services.rights import item_access
from handlers.trees.code import repos
from handlers.trees.code.jobs import KIND as JOB
from handlers.trees.code.spaces import KIND as SPACE
from handlers.trees.visuals.docs import KIND as DOCUMENT
from handlers.trees.visuals.grids import KIND as GRID
from handlers.trees.visuals.mails import KIND as MAIL
from handlers.trees.visuals.plots import KIND as PLOT
from vfs.errors import NotFound
from vfs.nodes import MIB
from vfs.path import Path

VISUAL_PAGES = (PLOT_PAGE, GRID_PAGE, DOCUMENT_PAGE, MAIL_PAGE)


class Editor(NamedTuple):
    """The editor of a kind: its functions to show, save and preview; forms have at most `texts` bytes."""

    show: Callable[[ItemPath, PageRequest], Page]
    act: Callable[[ItemPath, PageRequest, SentForm], Answered]
    preview: Callable[[ItemPath, PageRequest, SentForm], Answered] | None = None
    texts: int = LARGEST


def _text_editor(editor: text_editor.TextEditor) -> Editor:
    show, act = partial(text_editor.show_editor, editor), partial(text_editor.act, editor)
    return Editor(show, act, partial(text_editor.preview, editor), text_editor.LARGEST)


EDITORS: Mapping[str, Editor] = {
    PLOT.name: Editor(plot_editor.show, plot_editor.act, plot_editor.preview, 4 * MIB),
    GRID.name: Editor(grid_editor.show, grid_editor.act, grid_editor.preview, 4 * MIB),
    DOCUMENT.name: _text_editor(DOCUMENT_EDITOR),
    MAIL.name: _text_editor(MAIL_EDITOR),
    JOB.name: Editor(job_editor.show, job_editor.act),
}
"""Editors by the names of their kinds."""


def _move(to: str, request: PageRequest, form: SentForm | None = None) -> Redirect:
    """Return the redirect to the present address of a page."""
    return Redirect(to, moved=True)


def _redirect_to(to: str) -> View:
    return View(partial(_move, to), partial(_move, to))


def _show_menu(request: PageRequest) -> Page:
    """Return the page with the entries of both menus, for browsers without popovers."""
    return Page("menu.html", {})


FIXED: Mapping[tuple[str, ...], View] = {
    (): View(home_page.show, home_page.act),
    ("menu",): View(_show_menu),
    ("search",): View(list_pages.show_search),
    ("shared",): View(list_pages.show_shared),
    ("notices",): View(inbox.show, inbox.act),
    ("operator",): View(operating.show),
    ("trash",): View(trash.show, trash.act),
    ("oembed",): View(embed_page.tell, anonymous=True),
    ("new", PLOT.noun): View(new_plot.show, new_plot.make, 4 * MIB),
    ("new", PLOT.noun, "preview"): View(None, new_plot.preview, 4 * MIB),
    ("new", JOB.noun): View(new_job.show, new_job.make, LARGEST_FORM),
    ("new", "group"): View(group_settings.show_new, group_settings.make_group),
    ("login",): View(sign_in.show, sign_in.sign_in),
    ("logout",): View(None, sign_in.sign_out),
    ("invite",): View(invite_page.show, invite_page.act),
    ("invited",): View(new_account.show_invited, new_account.accept),
    ("register",): View(new_account.show_register, new_account.register),
    ("setup",): View(new_account.show_setup, new_account.set_up),
    ("forgotten",): View(codes.show_forgotten, codes.ask_code),
    ("reset",): View(codes.show_reset, codes.reset),
    ("verify",): View(codes.show_verify, codes.verify),
    tuple(authorize.AUTHORIZE): View(authorize.show, authorize.answer),
    ("settings", "profile"): View(profile_page.show, profile_page.act),
    ("settings", "signin"): View(signin_page.show, signin_page.act),
    ("settings", "second-factor"): View(factor_page.show, factor_page.act),
    ("settings", "tokens"): View(token_page.show, token_page.act),
    ("settings", "hooks"): View(hooks_page.show, hooks_page.act),
    ("settings", "notices"): View(notices_page.show, notices_page.act),
    ("settings",): _redirect_to("/settings/profile"),
    ("addresses",): _redirect_to("/settings/profile"),
    ("connections",): _redirect_to("/settings/signin"),
}
"""Pages at their own addresses, including former addresses."""


def view_of(path: Path, kinds: Kinds, chapters: Chapters, visuals: VisualPages) -> View:
    """Return the page at a path. Raises NotFound if there is none."""
    names = tuple(path)
    found = item_at(path, kinds)
    view = FIXED.get(names) or _of_site(names, chapters) or _of_kind(names, kinds, visuals)
    view = view or _of_group(names)
    if view is None and found is not None:
        view = _of_item(*found, visuals)
    if view is None:
        raise NotFound(
            f"there is no {path}: pages are of users, /u/<user>, of their jobs, plots, grids, documents and "
            "mails, as /u/<user>/j/<job>, and of groups; all else is below /v1"
        )
    return view


def _of_site(names: tuple[str, ...], chapters: Chapters) -> View | None:
    """Return the pages of the service and of users."""
    match names:
        case ("docs",):
            return View(partial(manual.show_contents, chapters))
        case ("docs", chapter):
            return View(partial(manual.show_chapter, chapters, chapter))
        case ("unsubscribe", ticket):
            return View(partial(leave_page.show, ticket), partial(leave_page.leave, ticket))
        case ("unsubscribe", "notices", ticket):
            return View(partial(leave_page.show_mute, ticket), partial(leave_page.act_mute, ticket))
        case ("u", user):
            return View(partial(users.show, user), partial(users.act, user))
    return None


def _of_kind(names: tuple[str, ...], kinds: Kinds, visuals: VisualPages) -> View | None:
    """Return the pages of kinds, and of items at their short addresses."""
    match names:
        case ("new", noun):
            kind = next((kind for kind in kinds.values() if kind.noun == noun), None)
            return View(partial(new_page.show, kind), partial(new_page.make, kind)) if kind else None
        case (listed,):
            kind = next((kind for kind in kinds.values() if kind.list_page == listed), None)
            return View(partial(list_pages.show_kind, kind)) if kind is not None else None
        case (letter, short, *rest) if letter in (JOB.letter, repos.KIND.letter) and len(rest) <= 1:
            kind = JOB if letter == JOB.letter else repos.KIND
            return View(partial(_lead_on, kind.name, short, rest)) if kind is JOB or not rest else None
        case (letter, short) if letter in visuals:
            return View(partial(show_short, visuals[letter], short))
    return None


def _of_group(names: tuple[str, ...]) -> View | None:
    """Return the pages of a group or an organisation."""
    match names:
        case ("o", org, *rest) if rest[:1] != ["g"]:
            group = GroupPath(org, org=True)
        case ("o", org, "g", name, *rest):
            group = GroupPath(org, name, org=True)
        case ("u", user, "grp", name, *rest):
            group = GroupPath(user, name)
        case _:
            return None
    match rest:
        case []:
            return View(partial(group_page.show, group), partial(group_page.act, group))
        case ["settings"]:
            return View(partial(group_settings.show, group), partial(group_settings.act, group))
        case ["comments"]:
            return View(partial(talking.show_group_comments, group), partial(talking.act, group))
    return None


def _of_item(at: ItemPath, names: tuple[str, ...], visuals: VisualPages) -> View | None:
    """Return the pages of an item: the common ones, its editor, and those of its kind."""
    of_kind = {JOB.name: _of_job, repos.KIND.name: _of_repo, SPACE.name: _of_space}.get(at.kind.name)
    view = _of_any_item(at, names) or _of_visual(at, names, visuals)
    return of_kind(at, names) if view is None and of_kind is not None else view


def _of_any_item(at: ItemPath, names: tuple[str, ...]) -> View | None:
    editor = EDITORS.get(at.kind.name)
    match names:
        case ("settings", *part) if len(part) < 2 and "".join(part) in settings_page.PARTS:
            return View(partial(settings_page.show, "".join(part), at), partial(settings_page.act, at))
        case ("share",):
            return View(partial(share_page.show, at), partial(share_page.act, at))
        case ("versions",):
            return View(partial(versions_page.show, at), partial(versions_page.act, at))
        case ("activity",):
            return View(partial(talking.show_activity, at))
        case ("comments",):
            return View(partial(talking.show_comments, at), partial(talking.act, at))
        case ("edit",) if editor is not None:
            return View(partial(editor.show, at), partial(editor.act, at), editor.texts)
        case ("edit", "preview") if editor is not None and editor.preview is not None:
            return View(None, partial(editor.preview, at), editor.texts)
    return None


def _of_visual(at: ItemPath, names: tuple[str, ...], visuals: VisualPages) -> View | None:
    match names:
        case ("embed",) if at.kind.pictured:
            return View(partial(embed_page.show, at), anonymous=True)
        case ("snapshots",) if at.kind.snapshots is not None:
            return View(partial(snapshot_pages.show_all, at), partial(snapshot_pages.act, at))
        case ("snapshots", name) if at.kind.snapshots is not None:
            return View(partial(snapshot_pages.show_one, at, name))
        case ("edit", "insert") if at.kind in (DOCUMENT, MAIL, GRID):
            return View(partial(insertions.show, at))
        case ("edit", "picture") if at.kind in (DOCUMENT, MAIL):
            return View(None, partial(asset_page.insert, at))
        case ("assets",) if at.kind in (DOCUMENT, MAIL):
            return View(partial(asset_page.show, at), partial(asset_page.act, at))
        case () if at.kind.letter in visuals:
            page = visuals[at.kind.letter]
            sends = partial(text_editor.act, ENVELOPE, at) if at.kind is MAIL else None
            return View(partial(_show_visual, page, at), sends)
    return None


def _of_job(at: ItemPath, names: tuple[str, ...]) -> View | None:
    match names:
        case ():
            return View(partial(jobs.show, at), partial(jobs.act, at))
        case ("hooks",):
            return View(partial(job_hooks.show, at), partial(job_hooks.act, at))
        case (run,):
            of = RunPath(at.user, at.name, run)
            return View(partial(runs.show, of), partial(runs.act, of))
        case (run, side, *path) if side in runs.SIDES or side == runs.HOLD:
            of = RunPath(at.user, at.name, run)
            show, act = (partial(one, of, side, path) for one in (runs.show_files, runs.act_on_files))
            return View(show, act, LARGEST_FORM)
    return None


def _of_repo(at: ItemPath, names: tuple[str, ...]) -> View | None:
    label: str
    path: Sequence[str]
    match names:
        case ("edit", label, *path):
            show, save = (partial(one, at, label, path) for one in (files_page.show_editor, files_page.save))
            return View(show, save, LARGEST_FORM)
        case ("commits",):
            return View(partial(commits_page.show_all, at))
        case ("commits", sha):
            return View(partial(commits_page.show_one, at, sha))
        case ("builds",):
            return View(partial(builds.show, at), partial(builds.act, at))
        case () | ("at", _, *_):
            label, path = (names[1], names[2:]) if names else ("", ())
            return View(partial(files_page.show, at, label, path), partial(files_page.act, at, label, path))
    return None


def _of_space(at: ItemPath, names: tuple[str, ...]) -> View | None:
    if names == ("changes",):
        return View(partial(spaces.show_changes, at))
    if len(names) == 1 and names[0] in RESERVED:
        return None
    path = names[1:] if names[:1] == ("at",) else names
    return View(partial(spaces.show, at, path), partial(spaces.act, at, path), LARGEST_FORM)


def _lead_on(kind: str, short: str, rest: Sequence[str], request: PageRequest) -> Redirect:
    """Redirect to the page of the item with this short id, or to one below it. Raises as that page does."""
    facts = request.read(API / ("i", short))["about"]
    if facts["vis_type"] != kind:
        raise NotFound(f"{short} is not the short id of a {kind}")
    return Redirect("/".join((str(facts["uri_vis"]).removeprefix(request.origin), *rest)))


def show_short(page: VisualPage, short: str, request: PageRequest) -> Page:
    """Return the page at a visual's short address. Raises NotFound or Unauthenticated."""
    world, caller, kind = request.world, request.caller, page.kind.name
    found = world.items.by_shortname(short, caller.name)
    if found is None or found.item.kind != kind or not item_access(world, found, caller):
        # The same error as for a missing item, naming the address that was requested.
        request.call(None, API / ("i", short))
        raise NotFound(f"{short} is not the short id of a {kind}")
    return _show_visual(page, ItemPath(page.kind, found.item.owner, found.item.name), request)


def _show_visual(page: VisualPage, at: ItemPath, request: PageRequest) -> Page:
    shown = page.show(page, at, request)
    return text_editor.with_envelope(shown, at, request) if at.kind is MAIL else shown
