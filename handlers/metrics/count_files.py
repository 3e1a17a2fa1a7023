"""Files of counts, and the names of routes under which requests are counted."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from chains.files.folder_lock import make_folder
from handlers.rules.addresses import API
from vfs.route import Route
from vfs.shapes.folders import LinkRoute
from vfs.shapes.subtrees import SubtreeRoute
from vfs.tree import Tree

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Must be set before prometheus_client is imported: then a process counts into files."""
FOLDER = "metrics"
SIZES = {"counter": 1 << 20, "histogram": 1 << 18, "gauge_livesum": 1 << 16}
"""Twice the size that the bounded series of request_counters need."""

log = logging.getLogger("curlew")


def begin_counts(data: Path) -> Path:
    """Create an empty folder for the files of counters, and make this process and its forks use it."""
    folder = data / FOLDER
    make_folder(folder)
    for file in folder.glob("*.db"):
        file.unlink(missing_ok=True)
    os.environ[VARIABLE] = str(folder)
    return folder


def take_room(folder: Path) -> bool:
    """Allocate this process's files; return whether there was space.

    Without allocation, the first count on a full disk would kill a process that has mapped its file.
    """
    try:
        for kind, size in SIZES.items():
            place = folder / f"{kind}_{os.getpid()}.db"
            _inherit(folder, kind, place)
            file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(file, 0, size)
            finally:
                os.close(file)
    except OSError as error:
        log.warning("requests are not counted by this process, for lack of space: %s", error.strerror)
        return False
    return True


def _inherit(folder: Path, kind: str, place: Path) -> None:
    """Take over the file of a process that ended, so that the number of files does not grow."""
    for left in folder.glob(f"{kind}_*.db"):
        if not _lives(int(left.stem.removeprefix(f"{kind}_"))):
            with suppress(FileNotFoundError):  # another process was faster
                left.rename(place)
                return


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


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
