"""The addresses of a repository's pages."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.items.item_path import item_at
from handlers.pages.repos import builds_page, commits_page, files_page, repo_facts
from handlers.pages.repos.repo_facts import AT, BUILDS, COMMITS
from handlers.rules.kinds import Kinds
from handlers.trees.code.repos import KIND
from vfs.path import Path


def find(path: Path, kinds: Kinds) -> View | None:
    """The view at a path; None where a repository has no page there."""
    match tuple(path):
        case (KIND.letter, short):
            return View(partial(repo_facts.redirect, short))
    found = item_at(path, kinds)
    if found is None or found[0].kind is not KIND:
        return None
    at, names = found
    match names:
        case ():
            return View(partial(files_page.show, at, "", ()))
        case (word, label, *rest) if word == AT:
            return View(partial(files_page.show, at, label, rest))
        case (word,) if word == COMMITS:
            return View(partial(commits_page.show_all, at))
        case (word, sha) if word == COMMITS:
            return View(partial(commits_page.show_one, at, sha))
        case (word,) if word == BUILDS:
            return View(partial(builds_page.show, at), partial(builds_page.act, at))
    return None


REPO_PAGES = PagePart(find, {"rebuilding": "It is built again: its log grows below."})
