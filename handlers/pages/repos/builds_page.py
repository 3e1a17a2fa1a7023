"""The builds of a repository: those there were, the log of one of them, and having the newest again."""

from __future__ import annotations

from handlers.pages.build_log import BUILD, OPEN, build_log
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.repo_facts import BUILDS, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid


def show(at: ItemPath, request: PageRequest) -> Page:
    """The page, with the log of the newest build or that of `?build=`. Raises as `repo_facts`, and Denied."""
    repo = repo_facts(request, at)
    rows = request.read(at.api / BUILDS)
    asked = request.query.get(BUILD, "")
    shown = next((row for row in rows if str(row["id"]) == asked), rows[0] if rows else None)
    facts = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "rows": rows,
        "shown": shown,
        "log": build_log(request, at.api, shown) if shown is not None else None,
        "live": any(row["status"] in OPEN for row in rows),
    }
    return Page("builds.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take the form of the page: build again."""
    if form["do"] != "rebuild":
        raise Invalid("this page cannot do what the form asks for: open the page again")
    request.call(Verb.WRITE, at.api / "status", TextBody("building"))
    return Redirect(str(at.page / BUILDS), done="rebuilding")
