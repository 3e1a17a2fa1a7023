"""Documents: pages in markdown with a theme, assets and rendered files."""

from __future__ import annotations

from handlers.trees.facets.assets import assets
from handlers.trees.facets.meta import empty_log
from handlers.trees.visuals.visual import visual, visual_kind
from vfs.nodes import MIB, Dir, Ghost
from vfs.parts import choice, flag, line, text, value

DOCS = visual(
    visual_kind("doc", "Documents", "doc"),
    {
        "content": text(largest=MIB, about="the body, markdown with sections"),
        "config": Dir(
            {
                "comments": flag(True, about="whether it takes comments"),
                "custom": Dir({"custom.css": text(about="style on top of the theme")}, about="own style"),
                "theme": line("novem", about="a theme's name, or +org/theme"),
                "title": line(about="kept for later"),
                "toc": line(about="kept for later"),
                "type": choice(
                    "doc", "docs", "pres", "blog", "web", default="doc", about="pages, slides or one flow"
                ),
            },
            about="how it looks",
        ),
        "assets": assets(),
        "files": Dir(
            {name: Ghost(about="not rendered for documents") for name in ("doc.png", "doc.txt", "doc.ansi")},
            about="rendered files",
        ),
    },
    log=value(empty_log, about="what the last rendering had to say"),
    copies=("content", "config", "assets"),
    about=("a document", "documents"),
)
