"""The rule of names: what a file may be called and how deep it may lie, wherever it comes in.

A file that follows it comes back byte for byte from every place: inputs, outputs, spaces, holds, zips, HTTP.
Letters are no matter of it, whether or not they can be printed; names that differ in any byte are two.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from vfs.errors import Invalid

DEEPEST = 64
LONGEST_NAME = 255
# Bytes, as those of a name: what an index of PostgreSQL holds in one key, with room for a step's label.
LONGEST_PATH = 2048

SHOWN = 360
CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


def refusal(path: str, *, labelled: bool = False) -> str | None:
    """Return why a relative path is none of a file, in a clause; None when it is one.

    Where it is `labelled`, a folder named by a step's label may stand before what people sent.
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
    """Return the clause about a path of too many levels."""
    return f"a path has at most {DEEPEST} levels, and this one {levels}: go less deep"


def long(size: int) -> str:
    """Return the clause about a path of too many bytes."""
    return f"a path has at most {LONGEST_PATH} bytes as UTF-8, and this one {size}: use shorter names"


def is_bottom(folder: str) -> bool:
    """Whether a folder on disk, labelled or not, lies where no file in it would have a path of a file."""
    return folder.count("/") >= DEEPEST or len(os.fsencode(folder)) >= LONGEST_PATH + LONGEST_NAME


def plain(name: str) -> bool:
    """Return whether a text can be the name of one file in a folder."""
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def below(folder: Path, rel: str) -> Path:
    """Return the place of a relative path in a folder. Raises Invalid for one that is none of a file."""
    if why := refusal(rel, labelled=True):
        raise Invalid(f"The path {printable(rel)} cannot be that of a file here: {why}.")
    return folder / rel


def printable(name: str) -> str:
    """Return a file name as it may stand in a log, the middle of a long one left out."""
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
