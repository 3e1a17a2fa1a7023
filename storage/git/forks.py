"""Forks: the branches and tags of a repository in another, with what they lead to and nothing else."""

from __future__ import annotations

import secrets
import shutil
import time
from pathlib import Path

from storage.git.command import GitCommand
from vfs.errors import Unavailable

DRAFT = ".fork-"
OLD = 3600.0
"""Seconds after which a draft is one that its maker has left behind."""
# Reachable objects alone, through git's own transport: what was forced away, or lies below other references,
# stays where it is. They were checked when they were pushed, by the rules of then.
CLONE = ("clone", "--quiet", "--bare", "--no-local", "--template=", "-c", "fetch.fsckObjects=false")
# A fork knows nothing of where it came from.
FORGET = ("config", "--remove-section", "remote.origin")
LOCALLY = {"GIT_ALLOW_PROTOCOL": "file"}


def draft_fork(git: GitCommand, source: Path, folder: Path) -> Path:
    """A bare repository in a folder with all branches and tags of another, its default branch the same.

    Raises Unavailable where git cannot do it, or takes too long.
    """
    draft = folder / f"{DRAFT}{secrets.token_hex(8)}"
    try:
        made = git.run(folder, *CLONE, "--", str(source), str(draft), env=LOCALLY)
        if made is None:
            raise Unavailable("git could not copy the repository; see whether the server's disk is full.")
        git.run(draft, *FORGET)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return draft


def sweep_drafts(folder: Path) -> None:
    """Take away the drafts that no item was given: somebody else had the name, or the server ended."""
    for draft in folder.glob(f"{DRAFT}*"):
        try:
            is_old = time.time() - draft.stat().st_mtime > OLD
        except FileNotFoundError:
            continue  # it was given, or another swept it
        if is_old:
            shutil.rmtree(draft, ignore_errors=True)
