"""The builds of a repository: the list, the log of one while it runs, and starting another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.repo_facts import BUILDS, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from vfs.access import Verb
from vfs.call import Form
from vfs.path import Path

OPEN = ("queued", "building")
LAST_LINES = 500
LONGEST_LINE = 2_000
BUILD = "build"


@dataclass(frozen=True, slots=True)
class FollowedBuild:
    """A build's row, and the last lines of its log."""

    row: Mapping[str, Any]
    lines: Sequence[str]
    left_out: int

    @property
    def live(self) -> bool:
        """Whether it is running or queued."""
        return self.row["status"] in OPEN


def build_rows(request: PageRequest, repo: Path) -> Sequence[Mapping[str, Any]]:
    """Return the builds of a repository, newest first; empty without read access."""
    rows: Sequence[Mapping[str, Any]] = request.peek(repo / "builds", ())
    return rows


def build_log(
    request: PageRequest, repo: Path, row: Mapping[str, Any], most: int = LAST_LINES
) -> FollowedBuild:
    """Return one of the builds with its log. Raises vfs.errors."""
    query = {BUILD: str(row["id"])}
    log = str(request.call(Verb.READ, repo / "log", want=Form.TEXT, query=query).value or "")
    lines = log.removesuffix("\n").split("\n") if log else []
    return FollowedBuild(row, [line[:LONGEST_LINE] for line in lines[-most:]], max(0, len(lines) - most))


def followed_build(request: PageRequest, repo: Path, most: int) -> FollowedBuild | None:
    """Return the build that the page's address names, else the newest if it is running; None without one."""
    rows, asked = build_rows(request, repo), request.query.get(BUILD, "")
    row = next((row for row in rows if str(row["id"]) == asked), None)
    if row is None and rows and rows[0]["status"] in OPEN:
        row = rows[0]
    return build_log(request, repo, row, most) if row is not None else None


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the page with the log of the newest build or `?build=`. Raises as `repo_facts`, and Denied."""
    repo = repo_facts(request, at)
    rows = request.read(at.api / BUILDS)
    asked = request.query.get(BUILD, "")
    shown = next((row for row in rows if str(row["id"]) == asked), rows[0] if rows else None)
    facts = {
        "repo": repo,
        "head": repo.head,
        "rows": rows,
        "shown": shown,
        "log": build_log(request, at.api, shown) if shown is not None else None,
        "live": any(row["status"] in OPEN for row in rows),
    }
    return Page("builds.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle the form of the page: build again."""
    if form["do"] != "rebuild":
        raise unknown_form()
    request.write(at.api / "status", "building")
    return Redirect(str(at.page / BUILDS), done="rebuilding")
