"""Forks: repositories with the branches and tags of another and their objects, and nothing else."""

from __future__ import annotations

import secrets
import shutil
import time
from pathlib import Path

from storage.git.command import GitCommand
from vfs.errors import Unavailable

DRAFT = ".fork-"
OLD = 3600.0
"""Seconds after which a draft counts as abandoned."""
# Copies reachable objects only, through git's transport: not those that were forced away or belong to other
# references. They were checked when they were pushed, by the rules of that time.
CLONE = ("clone", "--quiet", "--bare", "--no-local", "--template=", "-c", "fetch.fsckObjects=false")
# A fork does not record its source.
FORGET = ("config", "--remove-section", "remote.origin")
LOCALLY = {"GIT_ALLOW_PROTOCOL": "file"}


def draft_fork(git: GitCommand, source: Path, folder: Path) -> Path:
    """Make a bare repository in a folder, with all branches and tags of another and its default branch.

    Raises Unavailable when git fails or takes too long.
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
    """Remove the abandoned drafts: another item had the name, or the server ended."""
    for draft in folder.glob(f"{DRAFT}*"):
        try:
            is_old = time.time() - draft.stat().st_mtime > OLD
        except FileNotFoundError:
            continue  # an item adopted it, or another process swept it
        if is_old:
            shutil.rmtree(draft, ignore_errors=True)
