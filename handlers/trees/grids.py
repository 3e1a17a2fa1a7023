"""Grids: a drawn layout and what is shown in its cells."""

from __future__ import annotations

from handlers.trees.meta import empty_log, meta, with_tags
from handlers.trees.threads import THREADS
from handlers.trees.variables import VARIABLES
from vfs.access import VIEWABLE
from vfs.nodes import KIB, Dir, Items
from vfs.parts import flag, line, text, value

GRID = Dir(
    {
        **meta("g"),
        "threads": THREADS,
        "vars": VARIABLES,
        "layout": text(largest=64 * KIB, about="the drawn boxes"),
        "mapping": text(largest=64 * KIB, about="which plot is shown in which box"),
        "config": Dir(
            {
                "type": line(about="kind of grid"),
                "theme": line("novem", about="a theme's name, or +org/theme"),
                "comments": flag(True, about="whether it takes comments"),
                "custom": Dir({name: text() for name in ("custom.css", "custom.js")}, about="own style"),
            },
            about="how it looks",
        ),
        "log": value(empty_log, about="what the last drawing had to say"),
    },
    about="a grid",
)
GRIDS = Items(
    "grid",
    GRID,
    kind="grid",
    home=True,
    confers=VIEWABLE,
    copies=("name", "summary", "description", "layout", "mapping", "config", "vars"),
    copied=with_tags,
    about="grids",
)
