"""The rule for file names and for the depth of folders, the same for all uploads.

A file that follows it is returned unchanged everywhere: inputs, outputs, spaces, holds, zips, HTTP. Names are
compared byte by byte, and may contain unprintable characters.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from vfs.errors import Invalid

DEEPEST = 64
LONGEST_NAME = 255
# Bytes, as for a name: a path fits into a key of an index of PostgreSQL, with space for a step's label.
LONGEST_PATH = 2048

SHOWN = 360
CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


def refusal(path: str, *, labelled: bool = False) -> str | None:
    """Return why a relative path cannot be a file's, in a clause; None if it can.

    If it is `labelled`, a folder named by a step's label may precede the path that was sent.
    """
    names = path.split("/")
    for name in names:
        if why := _name_refusal(name):
            return why
    more = 1 if labelled else 0
    if len(names) > DEEPEST + more:
        return deep(len(names))
    if (size := len(path.encode())) > LONGEST_PATH + more * (LONGEST_NAME + 1):
        return long(size)
    return None


def deep(levels: int) -> str:
    """Return the clause about a path with too many levels."""
    return f"a path has at most {DEEPEST} levels, and this one {levels}: go less deep"


def long(size: int) -> str:
    """Return the clause about a path with too many bytes."""
    return f"a path has at most {LONGEST_PATH} bytes as UTF-8, and this one {size}: use shorter names"


def is_bottom(folder: str) -> bool:
    """Return whether a folder on disk is so deep that no file in it could have a valid path."""
    return folder.count("/") >= DEEPEST or len(os.fsencode(folder)) >= LONGEST_PATH + LONGEST_NAME


def plain(name: str) -> bool:
    """Return whether a text can be the name of a file in a folder."""
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def below(folder: Path, rel: str) -> Path:
    """Return the path of a relative path in a folder. Raises Invalid if it cannot be a file's."""
    if why := refusal(rel, labelled=True):
        raise Invalid(f"The path {printable(rel)} cannot be used for a file: {why}.")
    return folder / rel


def printable(name: str) -> str:
    """Return a file name for a log, with a long one shortened in the middle."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN // 2]}…{shown[-SHOWN // 2 :]}"


def _name_refusal(name: str) -> str | None:
    if name in ("", ".", ".."):
        return 'a path is written out in full, without "//", "." and ".."'
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "a name is Unicode text in UTF-8, without halves of surrogate pairs: use another one"
    if size > LONGEST_NAME:
        return f"a name has at most {LONGEST_NAME} bytes as UTF-8, and this one {size}: use a shorter one"
    if CONTROL.search(name):
        return "a name holds no backslash and no control character: use another one"
    return None
