"""The builds of a repository: those there were, the log of one of them, and having the newest again."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.repo_facts import BUILDS, commands, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid

OPEN = ("queued", "building")
LAST_LINES = 500
LONGEST_LINE = 2_000


def show(at: ItemPath, request: PageRequest) -> Page:
    """The page, with the log of the newest build or that of `?build=`. Raises as `repo_facts`, and Denied."""
    repo = repo_facts(request, at)
    rows = request.read(at.api / BUILDS)
    asked = request.query.get("build", "")
    shown = next((row for row in rows if str(row["id"]) == asked), rows[0] if rows else None)
    query = {"build": str(shown["id"])} if shown is not None and shown is not rows[0] else {}
    log = str(request.send(Verb.READ, at.api / "log", query=query).value or "")
    lines = log.removesuffix("\n").split("\n") if log else []
    facts = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "rows": rows,
        "shown": shown,
        "log": [line[:LONGEST_LINE] for line in lines[-LAST_LINES:]],
        "left_out": max(0, len(lines) - LAST_LINES),
        "live": any(row["status"] in OPEN for row in rows),
        "commands": commands(request, repo),
    }
    return Page("builds.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take the form of the page: build again."""
    if form["do"] != "rebuild":
        raise Invalid("this page cannot do what the form asks for: open the page again")
    request.call(Verb.WRITE, at.api / "status", TextBody("building"))
    return Redirect(str(at.page / BUILDS), done="rebuilding")
