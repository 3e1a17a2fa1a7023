"""The files of a repository at a label, with its builds and the address to push to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handlers.pages.files import file_page, folder_page
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.builds import followed_build
from handlers.pages.repos.committed_files import FIRST, CommittedFiles
from handlers.pages.repos.repo_facts import AT, COMMITS, LATEST, RepoFacts, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page
from vfs.access import Verb
from vfs.errors import NotFound

SHA_LENGTH, MOST_FOLLOWED = 40, 12
WARNING = "They are gone from this commit on; earlier commits keep them."


def committed_files(repo: RepoFacts, label: str) -> CommittedFiles:
    """Return the files at a label or commit, "" for a repository without commits. Raises NotFound."""
    commit = repo.commit_of(label) or (label if len(label) == SHA_LENGTH else "")
    if label and not commit and (repo.branches or label != FIRST):
        raise NotFound(f"there is no branch, tag or commit {label}")
    page = repo.at.page / (AT, label) if commit else repo.at.page
    branch = (repo.branch_at(label) if commit else FIRST) if repo.writes else ""
    return CommittedFiles(
        at=repo.at,
        title=repo.head.title,
        words=repo.at.name,
        content=repo.at.api / (COMMITS, commit, "files") if commit else repo.at.api,
        front=page,
        pages=page,
        head=repo.head,
        writes=bool(branch),
        carried={"branch": branch, **({"parent": commit} if commit else {})} if branch else {},
        commits=True,
        warning=WARNING,
        repo=repo,
        label=label if commit else "",
        commit=commit,
    )


def show(at: ItemPath, label: str, names: Sequence[str], request: PageRequest) -> Page:
    """Return the page of a folder or file at a label ("": that of `?at=`, else the default branch)."""
    repo = repo_facts(request, at)
    build = followed_build(request, at.api, MOST_FOLLOWED) if repo.reads else None
    facts: dict[str, Any] = {"repo": repo, "ssh": _ssh_url(request, repo), "build": build}
    label = label or request.query.get(AT) or _first_label(repo)
    tree = committed_files(repo, label if repo.reads else "")
    if not tree.commit:
        return Page("repo.html", {**folder_page.folder_facts(tree, (), request, None), **facts})
    reply = request.call(Verb.READ, tree.content / names)
    if reply.folder:
        return Page("repo.html", {**folder_page.folder_facts(tree, names, request, reply), **facts})
    found = tree.read_file(request, names, reply)
    return Page("file.html", {**file_page.file_facts(tree, names, request, found), **facts})


def act(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Handle a form of a folder's page."""
    repo = repo_facts(request, at)
    return file_page.act(committed_files(repo, label or _first_label(repo)), names, request, form)


def show_editor(at: ItemPath, label: str, names: Sequence[str], request: PageRequest) -> Page:
    """Return the editor of a file of a branch, which need not exist yet. Raises Denied and NotFound."""
    tree = committed_files(repo_facts(request, at), label)
    if tree.repo.writes and not tree.branch:
        raise NotFound(f"there is no branch {label}: files are changed on a branch, not at a tag or commit")
    return file_page.show_editor(tree, names, request)


def save(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Commit the input, or show both texts if a push changed the file meanwhile."""
    return file_page.save(committed_files(repo_facts(request, at), label), names, request, form)


def _first_label(repo: RepoFacts) -> str:
    """Return the label that is shown first: the default branch, else the first by name."""
    names = [str(row["label"]) for row in repo.labels or ()]
    newest = repo.commit_of(LATEST)
    named = [name for name in names if name != LATEST and repo.commit_of(name) == newest]
    return next(iter((*named, *names)), "")


def _ssh_url(request: PageRequest, repo: RepoFacts) -> str:
    """Return the address to push to over SSH; "" if the server has none."""
    found = str(request.peek(repo.at.api / "ssh_url", "")).strip()
    return found if found.startswith("ssh://") else ""
