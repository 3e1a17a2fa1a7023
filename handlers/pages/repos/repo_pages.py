"""The addresses of a repository's pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.browsing import LARGEST_FORM
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.repos import builds_page, commit_form, commits_page, edit_page, files_page, repo_facts
from handlers.pages.repos.repo_facts import AT, BUILDS, COMMITS, EDIT
from handlers.rules.kinds import Kinds
from handlers.trees.code.repos import KIND
from vfs.path import Path


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
            show, act = partial(edit_page.show, at, label, rest), partial(edit_page.act, at, label, rest)
            return View(show, act, LARGEST_FORM)
        case (word,) if word == COMMITS:
            return View(partial(commits_page.show_all, at))
        case (word, sha) if word == COMMITS:
            return View(partial(commits_page.show_one, at, sha))
        case (word,) if word == BUILDS:
            return View(partial(builds_page.show, at), partial(builds_page.act, at))
    return None


def _files(at: ItemPath, label: str, names: Sequence[str]) -> View:
    """The files at a label, and the forms of their page."""
    return View(partial(files_page.show, at, label, names), partial(commit_form.act, at, label, names))


REPO_PAGES = PagePart(find, {"rebuilding": "It is built again: its log grows below.", **commit_form.DONE})
