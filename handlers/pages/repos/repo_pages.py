"""The addresses of a repository's pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.files.file_tree import LARGEST_FORM
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.repos import builds_page, commits_page, files_page, repo_facts
from handlers.pages.repos.repo_facts import AT, BUILDS, COMMITS, EDIT
from handlers.rules.kinds import Kinds
from handlers.trees.code.repos import KIND
from vfs.path import Path

DONE = {
    "committed": "Committed as {commit}.",
    "began": "Committed as {commit}, on the new branch {branch}.",
}


def find(path: Path, kinds: Kinds) -> View | None:
    """The view at a path; None where a repository has no page there."""
    match tuple(path):
        case (KIND.letter, short):
            return View(partial(repo_facts.redirect, short))
    found = item_at(path, kinds)
    return _find_page(*found) if found is not None and found[0].kind is KIND else None


def _find_page(at: ItemPath, names: tuple[str, ...]) -> View | None:
    match names:
        case ():
            return _files(at, "", ())
        case (word, label, *rest) if word == AT:
            return _files(at, label, rest)
        case (word, label, *rest) if word == EDIT:
            show, save = (
                partial(files_page.show_editor, at, label, rest),
                partial(files_page.save, at, label, rest),
            )
            return View(show, save, LARGEST_FORM)
        case (word,) if word == COMMITS:
            return View(partial(commits_page.show_all, at))
        case (word, sha) if word == COMMITS:
            return View(partial(commits_page.show_one, at, sha))
        case (word,) if word == BUILDS:
            return View(partial(builds_page.show, at), partial(builds_page.act, at))
    return None


def _files(at: ItemPath, label: str, names: Sequence[str]) -> View:
    """The files at a label, and the forms of their page."""
    return View(partial(files_page.show, at, label, names), partial(files_page.act, at, label, names))


REPO_PAGES = PagePart(find, {"rebuilding": "It is built again: its log grows below.", **DONE})
