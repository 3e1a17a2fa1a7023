"""The page of a folder, and the forms that change what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape, unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from handlers.pages.acting.fields import at_field
from handlers.pages.files.file_tree import LARGEST_TEXT, FileTree, rows_of, text_in
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.services.descriptions import description_html
from vfs.call import Entry, Reply
from vfs.errors import Invalid, VfsError
from vfs.path import Path

LINK = re.compile(r'<a href="([^"]*)"')
ABOVE = ".."


def lead_to_pages(html: str, folder: Sequence[str], page: Callable[[Sequence[str]], Path]) -> str:
    """Rewrite the links of a Markdown file to files of the same tree, in one pass."""

    def rewrite(found: re.Match[str]) -> str:
        parts = urlsplit(unescape(found[1]))
        names = _names(folder, parts.path)
        if parts.scheme or parts.netloc or names is None:
            return found[0]
        mark = f"#{parts.fragment}" if parts.fragment else ""
        return f'<a href="{escape(f"{page(names)}{mark}")}"'

    return LINK.sub(rewrite, html)


def _names(folder: Sequence[str], path: str) -> list[str] | None:
    """Return the path below the root for a relative path; None for other links and paths outside the root."""
    if not path or path.startswith("/"):
        return None
    names = list(folder)
    for name in path.split("/"):
        if name == ABOVE:
            if not names:
                return None
            names.pop()
        elif name not in ("", "."):
            names.append(unquote(name))
    return names


MOST = 100
"""Maximum entries of a page. Their form has a field for each chosen entry."""
LONGEST_SEARCH = 200
LARGEST_README = 64 * 1024
READMES = ("readme.md", "readme", "readme.txt", "readme.markdown")
MARKDOWN = (".md", ".markdown")
CHOSEN = "f:"
"""Prefix of the name of an entry's checkbox."""


def folder_facts(
    tree: FileTree, names: Sequence[str], request: PageRequest, reply: Reply | None
) -> dict[str, Any]:
    """Return the template values of a folder; `reply` is None if the caller may not list it."""
    rows = rows_of(reply) if reply is not None else ()
    return {
        **tree.facts(names),
        "page": page_of_entries(rows, request.query),
        "closed": reply is None,
        "readme": _readme(tree, names, request, rows),
        "commits": tree.last_commits(request, names) if rows else None,
        "largest": LARGEST_TEXT,
    }


def show_folder(tree: FileTree, names: Sequence[str], request: PageRequest, reply: Reply | None) -> Page:
    """Return the page of a folder."""
    return Page("folder.html", folder_facts(tree, names, request, reply))


def page_of_entries(rows: Sequence[Entry], query: Mapping[str, str]) -> dict[str, Any]:
    """Return the template values of the entries after `?after=` whose names contain `?q=`, folders first."""
    wanted = query.get("q", "").strip()[:LONGEST_SEARCH]
    found = [row for row in rows if wanted.lower() in row.name.lower()]
    found.sort(key=lambda row: (row.type != "dir", row.name))
    names = [row.name for row in found]
    after = query.get("after", "")
    begin = names.index(after) + 1 if after in names else 0
    return {
        "rows": found[begin : begin + MOST],
        "begin": begin,
        "older": len(found) > begin + MOST,
        "found": len(found),
        "count": len(rows),
        "size": sum((row.extra or {}).get("size", 0) for row in rows),
        "wanted": wanted,
    }


def _readme(tree: FileTree, names: Sequence[str], request: PageRequest, rows: Sequence[Entry]) -> Any:
    """Return the README of a folder: its name, and its HTML or text; None if there is none to show."""
    by_name = {row.name.lower(): row for row in rows if row.type == "file"}
    row = next((by_name[name] for name in READMES if name in by_name), None)
    if row is None or (row.extra or {}).get("size", 0) > LARGEST_README:
        return None
    try:
        found = tree.find(request, (*names, row.name))
    except VfsError:
        return None
    text = text_in(found.raw) if found is not None else None
    if text is None:
        return None
    is_markdown = row.name.lower().endswith(MARKDOWN)
    html = markdown_html(tree, names, request, text) if is_markdown else ""
    return {"name": row.name, "html": html, "text": text}


def markdown_html(tree: FileTree, folder: Sequence[str], request: PageRequest, text: str) -> str:
    """Return the HTML of a Markdown file in a folder, with links to pages."""
    html = description_html(request.world, text, tree.at.user)
    return lead_to_pages(html, folder, tree.page_of)


def typed_path(sent: str) -> list[str]:
    """Return the names of a typed path. Raises Invalid."""
    names = [name.strip() for name in sent.split("/") if name.strip()]
    if not names:
        raise Invalid("enter a name first, such as notes.txt")
    if "." in names or ".." in names:
        raise Invalid('"." and ".." are not allowed in a path: write it in full')
    return names


def chosen_names(form: SentForm) -> list[str]:
    """Return the names of the chosen entries. Raises Invalid if there are none."""
    names = [name.removeprefix(CHOSEN) for name in form.fields if name.startswith(CHOSEN) and name != CHOSEN]
    if not names:
        raise Invalid("choose a file or folder first")
    return names


def chosen_name(form: SentForm) -> str:
    """Return the one chosen name. Raises Invalid."""
    names = chosen_names(form)
    if len(names) != 1:
        raise Invalid("choose one file or folder: they are renamed one at a time")
    return names[0]


def begin_file(tree: FileTree, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Redirect to the editor of a new file."""
    with at_field("name"):
        made = (*names, *typed_path(form["name"]))
        if tree.find(request, made) is not None:
            raise Invalid("a file with that name exists already: open it, or choose another name")
    return Redirect(tree.edit_page(made))
