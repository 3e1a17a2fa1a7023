"""The account that controls a path: root works there with the identity of that account (setfsuid(2))."""

from __future__ import annotations

import ctypes
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

MOST_LINKS = 40
ASK = -1

_libc = ctypes.CDLL(None)
_libc.setfsuid.restype = _libc.setfsgid.restype = ctypes.c_uint32


@dataclass(frozen=True, slots=True)
class Keeper:
    """The account that controls a path; `uid` None: this process's own."""

    uid: int | None = None
    gid: int = 0

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Open, make and remove files as that account in this thread, within the block.

        A link is followed only where the account may go. Raises PermissionError when the kernel does not
        allow the change. Do not yield from the block or start a thread in it: both would keep the identity.
        Do not import modules in it: the account may be unable to read the program.
        """
        if self.uid is None:
            yield
            return
        before = _libc.setfsgid(ASK), _libc.setfsuid(ASK)
        try:
            _become(self.gid, self.uid)
            yield
        finally:
            _libc.setfsuid(before[1])
            _libc.setfsgid(before[0])

    @property
    def program(self) -> dict[str, Any]:
        """Arguments of subprocess for a program that runs as the account."""
        return {} if self.uid is None else {"user": self.uid, "group": self.gid, "extra_groups": []}


OURSELVES = Keeper()


def keeper_of(path: str | Path) -> Keeper:
    """Return the account that controls a path: the first owner of one of its parts that is not root.

    It is root if all parts, from `/` on, belong to root.
    """
    if os.geteuid() == 0:
        for _, found in _parts(os.path.abspath(path)):
            if found.st_uid not in _roots():
                return Keeper(found.st_uid, found.st_gid)
    return OURSELVES


def meddler(path: str | Path) -> str | None:
    """Return why accounts other than root could change the file at a path; None if they cannot.

    Always None when this process is not root.
    """
    if os.geteuid() != 0:
        return None
    for part, found in _parts(os.path.abspath(path)):
        if found.st_uid not in _roots():
            return f"{part} belongs to {_name(found.st_uid)}"
        shared = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and found.st_gid != 0)
        if shared and not stat.S_ISLNK(found.st_mode) and not found.st_mode & stat.S_ISVTX:
            return f"others may write to {part}"
    return None


def _parts(path: str, links: int = 0) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each existing part of an absolute path, from the root on, and the parts of links in it."""
    here = "/"
    yield here, os.lstat(here)
    names = path.split("/")
    for place, name in enumerate(names):
        if name in ("", "."):
            continue
        here = os.path.join(here, name)
        try:
            found = os.lstat(here)
        except (FileNotFoundError, NotADirectoryError):
            return
        yield here, found
        if stat.S_ISLNK(found.st_mode):
            target = os.path.join(os.path.dirname(here), os.readlink(here), *names[place + 1 :])
            if links < MOST_LINKS:
                yield from _parts(target, links + 1)
            return


@cache
def _roots() -> frozenset[int]:
    """Return root, and every account that could change the program that root is running."""
    return frozenset({0} | {found.st_uid for _, found in _parts(os.path.abspath(__file__))})


def _become(gid: int, uid: int) -> None:
    _libc.setfsgid(gid)
    _libc.setfsuid(uid)
    if (_libc.setfsgid(ASK), _libc.setfsuid(ASK)) != (gid, uid):
        raise PermissionError(f"root may not work as the account {_name(uid)} here")


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the user {uid}"
