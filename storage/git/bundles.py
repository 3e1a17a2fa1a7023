"""Bundles: all references of a repository and their objects, written to and read from one file."""

from __future__ import annotations

import re
import shutil
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
    """Write a repository to a file; return its bytes, 0 for one without references.

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
