"""Copies of repositories: forks, and bundles of all references and their objects."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from pathlib import Path
from typing import BinaryIO

from storage.git.command import GitCommand, kill, refuse_stopped
from vfs.errors import Unavailable

REF = re.compile(rb"refs/heads/[^\0-\x20\x7f~^:?*\[\\]{1,1000}")
MAIN = b"refs/heads/main"
# Objects were checked when they were pushed, by the rules of that time.
FETCH = ("-c", "fetch.fsckObjects=false", "fetch", "--quiet", "--no-write-fetch-head", "--no-auto-gc")
LOCALLY = {"GIT_ALLOW_PROTOCOL": "file"}


def bundle(git: GitCommand, path: Path, target: BinaryIO) -> int:
    """Write a repository to a file. Return its size in bytes, 0 for one without references.

    Concurrent pushes and packing are safe: git reads the references once. Raises Unavailable.
    """
    if not git.run(path, "for-each-ref", "--count=1"):
        return 0
    process = git.start(path, "bundle", "create", "--quiet", "-", "--all")
    try:
        assert process.stdout is not None
        shutil.copyfileobj(process.stdout, target, 1 << 20)
        code = process.wait()
    finally:
        kill(process)
    refuse_stopped(code)
    if code != 0:
        raise Unavailable("git could not read the repository: it is damaged")
    return target.tell()


def head(git: GitCommand, path: Path) -> bytes:
    """Return the reference of the default branch."""
    return (git.run(path, "symbolic-ref", "HEAD") or MAIN).strip()


def unbundle(git: GitCommand, path: Path, source: Path, default: bytes) -> None:
    """Fill an empty repository from a bundle. Raises Unavailable when the file is invalid or incomplete."""
    if git.run(path, *FETCH, "--", str(source), "+refs/*:refs/*", env=LOCALLY) is None:
        raise Unavailable("git cannot read the bundle of the repository: it is damaged")
    if REF.fullmatch(default):
        git.run(path, "symbolic-ref", "HEAD", default)


DRAFT, PIPES = ".fork-", ".push-"
"""Prefixes of temporary folders for one copy, and for the pipes of one push."""
OLD, DAY = 3600.0, 86400.0
"""Seconds after which a draft, and pipes, count as abandoned. A slow push uses its pipes for a long time."""
# Copies only reachable objects, through git's transport: not those that a forced push removed or that belong
# to other references. They were checked when they were pushed, by the rules of that time.
CLONE = ("clone", "--quiet", "--bare", "--no-local", "--template=", "-c", "fetch.fsckObjects=false")
# A fork does not record its source.
FORGET = ("config", "--remove-section", "remote.origin")


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
    """Remove abandoned drafts and pipes: another item had the name, the disk failed, or the server ended."""
    for draft in (*folder.glob(f"{DRAFT}*"), *folder.glob(f"{PIPES}*")):
        try:
            is_old = time.time() - draft.stat().st_mtime > (OLD if draft.name.startswith(DRAFT) else DAY)
        except FileNotFoundError:
            continue  # an item adopted it, or another process swept it
        if is_old:
            shutil.rmtree(draft, ignore_errors=True)
