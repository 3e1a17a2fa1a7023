"""Renders by short paths: the files that a kind of resources renders, by the names of their forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from io import BytesIO

from chains.language.mapping import query_options
from handlers.render.terminal_page import terminal_page
from handlers.rules.render_options import options_of
from handlers.services.world import World
from handlers.trees.visuals.rendered import FOLDER
from vfs.call import KeptBytes, Reply
from vfs.nodes import Dir, File, Items, Node
from vfs.parts import value
from vfs.place import Place

PICTURE = "img"
NAMES = {"png": PICTURE}
TERMINAL = ("text/plain",)
HTML = "text/html"


def renders_of(resources: Sequence[Items]) -> Mapping[str, Mapping[str, Node]]:
    """The nodes of the renders of each kind, by the kind's name and by what a short path calls the form."""
    return {items.kind.name: _renders(items) for items in resources}


def _renders(items: Items) -> Mapping[str, Node]:
    folder = items.of.children.get(FOLDER) if isinstance(items.of, Dir) else None
    files = folder.children if isinstance(folder, Dir) else {}
    found: dict[str, Node] = {}
    for name, node in files.items():
        kind, _, form = name.partition(".")
        if isinstance(node, File) and kind == items.kind.name:
            found[NAMES.get(form, form)] = _with_page(form, node) if node.media == TERMINAL else node
    return found


def _with_page(form: str, file: File) -> Dir:
    """A rendered text, and below it the same as a page of HTML."""
    show = file.read
    assert show is not None

    def page(place: Place[World]) -> Reply:
        return _page(place, form, show(place))

    shown = value(page, rules=file.rules, query=file.query, media=(HTML,), about=f"{file.about}, as a page")
    return Dir({"html": shown}, read=show, rules=file.rules, query=file.query, about=file.about)


def _page(place: Place[World], form: str, rendered: Reply) -> Reply:
    """A rendered text as a page, on the ground of the mode that it is made for."""
    kept = rendered.value
    assert isinstance(kept, KeptBytes)
    with kept.open() as file:
        text = file.read().decode()
    query = place.call.query
    mode = {**query_options(query), **options_of(form, query)}.get("mode", "")
    body = terminal_page(text, place.here.name, str(mode)).encode()
    made = KeptBytes(HTML, len(body), sha256(body).hexdigest(), lambda: BytesIO(body))
    name = f"{place.here.name}.{form}.html"
    return Reply(made, filename=name, inline=True, canonical=rendered.canonical)
