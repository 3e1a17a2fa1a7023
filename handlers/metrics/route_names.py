"""Routes: the template of a path's route in the tree, which contains no names of users or things."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from handlers.rules.addresses import API
from vfs.route import Route
from vfs.shapes.folders import LinkRoute
from vfs.shapes.subtrees import SubtreeRoute
from vfs.tree import Tree

ASTRAY, PAGE = "astray", "page"
"""Routes for unknown paths below the API, and for all paths without their own word."""
WORDS: Mapping[str, str] = {
    "git": "git",
    "gql": "graphql",
    "ws": "events",
    "oauth": "oauth",
    "h": "hook",
    "l": "link",
    "mcp": "mcp",
    "dav": "dav",
    "healthz": "health",
    "readyz": "health",
    "static": "static",
}
"""Routes outside of the API, by the first name of their paths."""
JOBS = "/code/jobs/"
READS = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND"})
KINDS = ("read", "write", "job", "page", *sorted(set(WORDS.values())))


class Routes:
    """The routes of paths: templates of the tree below the API, and a fixed word for everything else."""

    def __init__(self, tree: Tree) -> None:
        self._root: Route | None = tree.root

    def route(self, path: str) -> str:
        """Return the route of a path as it was sent, in linear time."""
        names = [unquote(name) for name in path.split("/") if name]
        if not names:
            return PAGE
        return self._template(names) if names[0] == API[0] else WORDS.get(names[0], PAGE)

    def _template(self, names: list[str]) -> str:
        here = self._root
        for name in names:
            if isinstance(here, LinkRoute):
                here = here.target
            if isinstance(here, SubtreeRoute):
                return f"{here.template}/*"
            here = here and (here.children.get(name) or here.entry_named(name) or here.entry)
            if here is None:
                return ASTRAY
        return here.template if here is not None else ASTRAY


def kind_of(method: str, route: str) -> str:
    """Return the kind of a request, one of a few. Requests to jobs may wait for a run to end."""
    if not route.startswith(f"/{API[0]}"):
        return route if route in KINDS else PAGE
    if JOBS in route:
        return "job"
    return "read" if method in READS else "write"
