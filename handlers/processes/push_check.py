"""A look at a pushed commit before its build is queued: what cannot be built is told at once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from chains.builds.bases import OfferedImages
from chains.builds.settled_recipe import settled_recipe
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef
from vfs.errors import VfsError


class PushRefusal(NamedTuple):
    """Why a commit cannot be built, and the lines of the log before."""

    lines: list[str]
    error: str


class Tops(Protocol):
    """Shows what recipes are chosen by."""

    def export_top(self, item: int, sha: str, folder: Path) -> bool:
        """Write what a recipe is chosen by into an empty folder; False where that takes more than a look."""
        ...


def look_at(
    repositories: Tops, repo: int, commit: str, offer: OfferedImages, is_repo: Callable[[RepoRef], bool]
) -> PushRefusal | None:
    """Why a commit of a repo cannot be built; None when the build itself has to tell."""
    lines: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix="push-") as folder:
            if repositories.export_top(repo, commit, Path(folder)):
                settled_recipe(Path(folder), (), offer, is_repo, lines.append)
    except VfsError:
        return None
    except BuildFailed as failure:
        return PushRefusal(lines, str(failure).rstrip("."))
    return None
