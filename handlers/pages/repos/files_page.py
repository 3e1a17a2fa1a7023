"""The files of a repository at a label: folders with their README, and files as numbered lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from handlers.pages.browsing import LARGEST_TEXT, leading_bytes, page_of_entries
from handlers.pages.build_log import followed_build
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.patches import lines_of
from handlers.pages.repos.repo_facts import (
    AT,
    COMMITS,
    LATEST,
    RepoFacts,
    commands,
    lead_to_pages,
    repo_facts,
)
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.media import UNKNOWN
from handlers.services.descriptions import description_html
from vfs.access import Verb
from vfs.call import Data, Entry, Reply, Stream
from vfs.errors import NotFound, Unavailable, VfsError
from vfs.path import Path

SHA_LENGTH = 40
MOST_FOLLOWED = 12
MOST_LINES = 5_000
LARGEST_README = 64 * 1024
READMES = ("readme.md", "readme", "readme.txt", "readme.markdown")
MARKDOWN = (".md", ".markdown")
SHOWN = ("text/", "application/json")
NUL = "\0"


def show(at: ItemPath, label: str, names: Sequence[str], request: PageRequest) -> Page:
    """The page of a folder or file at a label ("": that of `?at=`, else the default branch)."""
    repo = repo_facts(request, at)
    facts: dict[str, Any] = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "commands": commands(request, repo),
        "names": list(names),
        "push": _push(request, repo),
        "branch": "",
        "build": followed_build(request, at.api, MOST_FOLLOWED) if repo.reads else None,
    }
    label = label or request.query.get(AT) or _first_label(repo)
    if not repo.reads or not label:
        return Page("repo.html", {**facts, "label": "", "page": None, "readme": None})
    commit = repo.commit_of(label) or (label if len(label) == SHA_LENGTH else None)
    if commit is None:
        raise NotFound(f"there is no branch, tag or commit {label}")
    files = at.api / ("commits", commit, "files")
    facts |= {
        "label": label,
        "commit": commit,
        "api": files / names,
        "page_of": partial(repo.files_page, label),
        "branch": repo.branch_at(label) if repo.writes else "",
    }
    reply = request.call(Verb.READ, files / names)
    if not reply.folder:
        return Page("repo_file.html", {**facts, **_file(reply)})
    assert isinstance(reply.value, Data)
    page = page_of_entries(reply.value.value, request.query)
    readme = _readme(request, files / names, reply.value.value, at.user)
    if readme and readme["html"]:
        readme["html"] = lead_to_pages(readme["html"], names, partial(repo.files_page, label))
    changes = _last_changes(request, at.api / (COMMITS, commit), names)
    return Page("repo.html", {**facts, "page": page, "readme": readme, "changes": changes})


def _last_changes(request: PageRequest, commit: Path, names: Sequence[str]) -> Mapping[str, Any]:
    """The last commit of each entry of a folder; of none where git could not tell."""
    try:
        told = request.send(Verb.READ, commit / "last_changes", query={"folder": "/".join(names)}).value
    except Unavailable:
        return {}
    assert isinstance(told, Data)
    changes: Mapping[str, Any] = told.value
    return changes


def _first_label(repo: RepoFacts) -> str:
    """The label that is shown first: the default branch, else the first by name."""
    names = [str(row["label"]) for row in repo.labels or ()]
    newest = repo.commit_of(LATEST)
    named = [name for name in names if name != LATEST and repo.commit_of(name) == newest]
    return next(iter((*named, *names)), "")


def _readme(request: PageRequest, folder: Path, rows: Sequence[Entry], owner: str) -> Any:
    """The README of a folder: its name, and its HTML or its text; None where there is none to be shown."""
    by_name = {row.name.lower(): row for row in rows if row.type == "file"}
    row = next((by_name[name] for name in READMES if name in by_name), None)
    if row is None or (row.extra or {}).get("size", 0) > LARGEST_README:
        return None
    try:
        text, _ = _text(request.call(Verb.READ, folder / row.name), LARGEST_README)
    except VfsError:
        return None
    if NUL in text:
        return None
    is_markdown = row.name.lower().endswith(MARKDOWN)
    return {
        "name": row.name,
        "html": description_html(request.world, text, owner) if is_markdown else "",
        "text": text,
    }


def _file(reply: Reply) -> dict[str, Any]:
    """The facts of a file: its lines, where it is text."""
    value = reply.value
    assert isinstance(value, Stream)
    is_text = value.media.startswith(SHOWN) and value.media != UNKNOWN
    text, whole = _text(reply, LARGEST_TEXT) if is_text else ("", True)
    is_text = is_text and NUL not in text
    lines = list(lines_of(text, MOST_LINES + 1)) if is_text else []
    return {
        "size": value.size or 0,
        "lines": lines[:MOST_LINES] if is_text else None,
        "cut": not whole or len(lines) > MOST_LINES,
        "editable": is_text and whole and "\N{REPLACEMENT CHARACTER}" not in text,
    }


def _text(reply: Reply, most: int) -> tuple[str, bool]:
    """The first bytes of a file as text, and whether they are all of it."""
    raw = leading_bytes(reply, most + 1)
    return raw[:most].decode(errors="replace"), len(raw) <= most


def _push(request: PageRequest, repo: RepoFacts) -> dict[str, str]:
    """Addresses to push code to; the address over SSH is "" where the server takes none."""
    over_ssh = str(request.peek(repo.at.api / "ssh_url", "")).strip()
    return {
        "url": str(request.peek(repo.at.api / "url", "")).strip(),
        "ssh": over_ssh if over_ssh.startswith("ssh://") else "",
    }
