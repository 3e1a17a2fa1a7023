"""Charts, tables, pictures and values that a writer may insert into a document, a mail or a grid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from handlers.http.headers import SANDBOX
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.request import PageRequest
from handlers.pages.result import Piece
from handlers.pages.templates import render
from handlers.pages.visuals.asset_page import asset_names, picture_text
from handlers.pages.visuals.data_sample import sample_data
from handlers.pages.visuals.pictures import PictureSet, small_picture
from handlers.rules.addresses import API
from handlers.services.rights import usable_items
from handlers.trees.visuals.grids import KIND as GRID
from handlers.trees.visuals.plots import KIND as PLOT
from vfs.access import Access, Verb
from vfs.errors import Denied, NotFound
from vfs.path import Path

SEARCH, VARIABLES = API / "search", "vars"
MOST_CHARTS, MOST_GRIDS, MOST_WITH_VALUES, MOST_PLOTS = "24", "12", "60", "100"
LONGEST_TITLE = 200
HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
MARKS = re.compile(r"[\\|*_`~^\[{$<]")
EMPTY_TABLE = "| Name | Number |\n|---|--:|\n|  |  |\n|  |  |"
LOOKS = Access.READ | Access.EXECUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertable:
    """A choice of the list: its words, its picture, and the `text` to insert.

    `ref` is the reference alone. A text that is long is read from the address `source` when it is chosen. An
    `inline` one stands within a line.
    """

    title: str
    note: str = ""
    text: str = ""
    ref: str = ""
    source: str = ""
    inline: bool = False
    picture: PictureSet | None = None
    image: str = ""


def show(at: ItemPath, request: PageRequest) -> Piece:
    """Return the choices of a kind as a fragment of HTML, or with `of` a plot's rows as a table.

    Raises Denied for readers of the text, NotFound for a kind or plot that does not exist.
    """
    if not request.may(Verb.WRITE, at.api / at.kind.takes):
        raise Denied(f"only @{at.user} and people with write access can add to it")
    query = request.query
    if plot := query.get("of", ""):
        return Piece(_rows_of(plot, request).encode(), MARKDOWN, SANDBOX)
    what = query.get("what", "")
    offered = {"plot": plots} if at.kind is GRID else CHOICES
    if what not in offered:
        raise NotFound(f"unknown kind of insertion: use one of {', '.join(offered)}")
    choices = list(offered[what](at, request, query.get("q", "").strip()))
    return Piece(render("insert_options.html", {"choices": choices}), HTML, SANDBOX)


def all_choices(at: ItemPath, request: PageRequest) -> Mapping[str, Sequence[Insertable]]:
    """Return the choices of each kind whose text is known, for a page without scripts."""
    found = {what: choices(at, request, "") for what, choices in CHOICES.items()}
    return {what: [one for one in some if one.text] for what, some in found.items()}


def markdown_table(text: str) -> str:
    """Return the first rows of a plot's data as a table of Markdown; columns of numbers stand right."""
    sample = sample_data(text)
    marks = ["--:" if head.is_number else "---" for head in sample.heads]
    rows = [[_cell(head.name) for head in sample.heads], marks]
    rows += [[_cell(cell.text) for cell in row] for row in sample.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(text: str) -> str:
    return MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def _rows_of(page: str, request: PageRequest) -> str:
    found = item_at(Path.parse(page), request.world.service.kinds)
    if found is None or found[0].kind is not PLOT:
        raise NotFound(f"there is no plot {page[:200]}")
    return markdown_table(str(request.read(found[0].api / "data")))


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A row of the search: an item with its title, the reader's permission letters, type and last change."""

    at: ItemPath
    title: str
    held: str
    type: str
    changed: str

    @property
    def key(self) -> tuple[str, str]:
        """Its owner and name."""
        return self.at.user, self.at.name

    def said(self, request: PageRequest) -> str:
        """Return what it is, and whose if it is another user's."""
        noun = self.at.kind.name
        return noun if self.at.user == request.caller.name else f"{noun} of @{self.at.user}"


def _search(request: PageRequest, **query: str) -> list[SearchRow]:
    facts = request.answer(Verb.READ, SEARCH, query={name: text for name, text in query.items() if text})
    kinds = request.world.service.kinds
    return [
        SearchRow(
            ItemPath(kinds[row["kind"]], row["author"], row["id"]),
            " ".join(row["name"].split())[:LONGEST_TITLE] or row["id"],
            row["permissions"],
            row["type"],
            row["updated"],
        )
        for row in facts["found"]
    ]


def _charts(at: ItemPath, request: PageRequest, words: str) -> Iterator[Insertable]:
    """Yield the plots and grids that the writer may see; mark those that the text's owner may not see."""
    rows = _search(request, kind=PLOT.name, q=words, count=MOST_CHARTS)
    return _of_charts(at, request, rows + _search(request, kind=GRID.name, q=words, count=MOST_GRIDS))


def plots(at: ItemPath, request: PageRequest, words: str = "") -> Iterator[Insertable]:
    """Return the plots that a box of a grid may show, newest first."""
    return _of_charts(at, request, _search(request, kind=PLOT.name, q=words, count=MOST_PLOTS))


def _of_charts(at: ItemPath, request: PageRequest, rows: Iterable[SearchRow]) -> Iterator[Insertable]:
    seen = [row for row in rows if set(row.held) & set("rx")]
    closed = _closed_to_owner(at, request, seen)
    for row in seen:
        ref = f"/{row.at.kind.letter}/{row.at.name}" if row.at.user == at.user else str(row.at.page)
        notes = [row.said(request), *([f"not shown: @{at.user} may not see it"] if row.key in closed else [])]
        yield Insertable(
            title=row.title,
            note=" · ".join(notes),
            text=f"{{{{ vis ref: {ref} }}}}",
            ref=ref,
            picture=small_picture(row.at, row.changed),
        )


def _closed_to_owner(at: ItemPath, request: PageRequest, rows: Sequence[SearchRow]) -> set[tuple[str, str]]:
    """Return the items that the owner of the text may not see: a text shows only what both may see."""
    closed: set[tuple[str, str]] = set()
    for kind in {row.at.kind.name for row in rows if request.caller.name != at.user}:
        names = {row.key for row in rows if row.at.kind.name == kind and row.at.user != at.user}
        usable = usable_items(request.world, (at.user,), kind, names, (), LOOKS) if names else ()
        closed |= names - {(one.owner, one.name) for one in usable}
    return closed


def _tables(at: ItemPath, request: PageRequest, words: str) -> Iterator[Insertable]:
    """Yield an empty table, and the plots: drawn if they are tables, else their rows as they are now."""
    if not words:
        yield Insertable(title="An empty table", note="to write in", text=EMPTY_TABLE)
    rows = _search(request, kind=PLOT.name, q=words, count=MOST_CHARTS)
    yield from _of_charts(at, request, [row for row in rows if row.type == "table"])
    for row in rows:
        if "r" in row.held and row.type != "table":
            source = f"{at.page}/edit/insert?{urlencode({'of': str(row.at.page)})}"
            note = f"rows of the {row.said(request)}, as they are now"
            picture = small_picture(row.at, row.changed)
            yield Insertable(title=row.title, note=note, source=source, picture=picture)


def _pictures(at: ItemPath, request: PageRequest, words: str) -> Iterator[Insertable]:
    """Yield the pictures among the assets of the document."""
    for name in asset_names(request, at):
        if name.endswith(PICTURES) and words.casefold() in name:
            yield Insertable(title=name, text=picture_text(name), ref=name, image=f"{at.api}/assets/{name}")


def _values(at: ItemPath, request: PageRequest, words: str) -> Iterator[Insertable]:
    """Yield the variables of the items found by these words, and variables with such names."""
    rows = {row.at.page: row for row in _search(request, count=MOST_WITH_VALUES)}
    named = rows
    if words:
        named = {row.at.page: row for row in _search(request, q=words, count=MOST_WITH_VALUES)}
    for row, name, value in _variables(request, [row for row in (rows | named).values() if "r" in row.held]):
        if row.at.page in named or words.casefold() in name.casefold():
            ref = f"{row.at.page}/v/{name}"
            yield Insertable(
                title=value or name, note=f"{name} of {row.title}", text=f"{{{ref}}}", ref=ref, inline=True
            )


def _variables(request: PageRequest, rows: Sequence[SearchRow]) -> list[tuple[SearchRow, str, str]]:
    """Return the variables of these items with their values: one query for each kind, and two for all."""
    world = request.world
    by_id = dict[int, SearchRow]()
    for kind in {row.at.kind.name for row in rows}:
        some = {row.key: row for row in rows if row.at.kind.name == kind}
        found = world.items.all_named(kind, list(some), (), request.caller.name)
        by_id |= {one.item.id: some[one.item.owner, one.item.name] for one in found}
    folders = world.leaves.digests_of(list(by_id), (), VARIABLES)
    rels = {rel for facts in folders.values() for rel in facts if rel.endswith("/value")}
    texts = world.leaves.texts_of(list(by_id), sorted(rels)) if rels else {}
    return [
        (by_id[id], rel.split("/")[1], text.strip())
        for id in sorted(by_id, key=lambda id: rows.index(by_id[id]))
        for rel, text in texts.get(id, {}).items()
    ]


CHOICES: Mapping[str, Callable[[ItemPath, PageRequest, str], Iterator[Insertable]]] = {
    "chart": _charts,
    "table": _tables,
    "picture": _pictures,
    "value": _values,
}
"""What can be inserted into a text, each with the function that yields the choices for some words."""
