"""Renders by short paths: the files that a kind of resource renders, by the names of their formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

from chains.language.mapping import query_options
from handlers.rendering.render_kinds import MEDIA_TYPES, TERMINAL
from handlers.rules.render_options import Options, options_of
from handlers.services.renderings import Content, render
from handlers.services.viewer import Viewer
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.visuals.visual import FOLDER
from handlers.words.terminal_page import terminal_page
from vfs.call import KeptBytes, Reply
from vfs.context import Context
from vfs.nodes import Dir, File, Items, Node
from vfs.parts import value
from vfs.ports.items import Item

PICTURE = "img"
NAMES = {"png": PICTURE}
PLAIN = ("text/plain",)
HTML = "text/html"


@dataclass(frozen=True, slots=True)
class TextRecipe:
    """Recipe of a picture of a rendered text."""

    text: str
    kind: str = TERMINAL.name

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the digest of the text."""
        return sha256(self.text.encode()).hexdigest()

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the text as content."""
        return Content(self.version(viewer, item, options), {"text": self.text}, {})


def renders_of(resources: Sequence[Items]) -> Mapping[str, Mapping[str, Node]]:
    """Return the render nodes of each kind, by the kind's name and then the format's short name."""
    return {items.kind.name: _renders(items) for items in resources}


def _renders(items: Items) -> Mapping[str, Node]:
    folder = items.of.children.get(FOLDER) if isinstance(items.of, Dir) else None
    files = folder.children if isinstance(folder, Dir) else {}
    found: dict[str, Node] = {}
    for name, node in files.items():
        kind, _, form = name.partition(".")
        if isinstance(node, File) and kind == items.kind.name:
            found[NAMES.get(form, form)] = _with_page(form, node) if node.media == PLAIN else node
    return found


def _with_page(form: str, file: File) -> Dir:
    """Return a rendered text, with `html` below it for an HTML page, and `img` below that for a picture."""
    show = file.read
    assert show is not None

    def page(context: Context[World]) -> Reply:
        return _page(context, form, show(context))

    def picture(context: Context[World]) -> Reply:
        return _picture(context, form, show(context))

    drawn = value(
        picture,
        rules=file.rules,
        query=file.query,
        media=(MEDIA_TYPES["png"],),
        about=f"{file.about}, as a picture",
    )
    shown = Dir(
        {PICTURE: drawn}, read=page, rules=file.rules, query=file.query, about=f"{file.about}, as a page"
    )
    return Dir({"html": shown}, read=show, rules=file.rules, query=file.query, about=file.about)


def _page(context: Context[World], form: str, rendered: Reply) -> Reply:
    """Return a rendered text as a page, with the background of its mode."""
    body = terminal_page(_text(rendered), context.here.name, _mode(context, form)).encode()
    made = KeptBytes(HTML, len(body), sha256(body).hexdigest(), lambda: BytesIO(body))
    name = f"{context.here.name}.{form}.html"
    return Reply(made, filename=name, inline=True, canonical=rendered.canonical)


def _picture(context: Context[World], form: str, rendered: Reply) -> Reply:
    """Return a rendered text as a picture of a terminal."""
    options: Options = {"mode": _mode(context, form) or "light"}
    recipe = TextRecipe(_text(rendered))
    made = render(viewer_of(context), recipe, "png", options)
    name = f"{context.here.name}.{form}.png"
    return Reply(made, filename=name, inline=True, canonical=rendered.canonical)


def _text(rendered: Reply) -> str:
    kept = rendered.value
    assert isinstance(kept, KeptBytes)
    with kept.open() as file:
        return file.read().decode()


def _mode(context: Context[World], form: str) -> str:
    """Return the mode that a text is made for: `light`, `dark`, or "" where it fits both."""
    query = context.call.query
    return str({**query_options(query), **options_of(form, query)}.get("mode", ""))
