"""The commits of a repository, newest first, and what one of them changed."""

from __future__ import annotations

from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.patches import MOST_LINES, files_of
from handlers.pages.repos.repo_facts import COMMITS, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page

MOST = 50


def show_all(at: ItemPath, request: PageRequest) -> Page:
    """The page of the commits, 50 at a time. Raises as `repo_facts`, and Denied without read access."""
    repo = repo_facts(request, at)
    rows = request.read(at.api / COMMITS)
    after = request.query.get("after", "")
    names = [row.name for row in rows]
    begin = names.index(after) + 1 if after in names else 0
    labels: dict[str, list[str]] = {}
    for row in repo.labels or ():
        labels.setdefault(row["commit"], []).append(row["label"])
    facts = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "rows": rows[begin : begin + MOST],
        "labels": labels,
        "newer": begin > 0,
        "older": len(rows) > begin + MOST,
    }
    return Page("commits.html", facts)


def show_one(at: ItemPath, sha: str, request: PageRequest) -> Page:
    """The page of a commit. Raises as `show_all`, and NotFound where there is no such commit."""
    repo = repo_facts(request, at)
    api = at.api / (COMMITS, sha)
    patch = str(request.read(api / "diff"))
    subject, _, rest = str(request.read(api / "message")).partition("\n")
    files = files_of(patch)
    facts = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "sha": sha,
        "subject": subject,
        "message": rest.strip(),
        "author": str(request.read(api / "author")).partition(" <")[0],
        "date": str(request.read(api / "date")).strip(),
        "files": files,
        "cut": patch.count("\n") > MOST_LINES or patch.rstrip().endswith("git shows all of it"),
        "api": api,
    }
    return Page("commit.html", facts)
