"""Trees of files with whatever names the rule of names admits, odd ones above all."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hypothesis import strategies as st

from chains.files.names import DEEPEST, LONGEST_NAME, LONGEST_PATH, refusal

SCREENSHOT = "Sn\u00edmek obrazovky 2026-05-15 v\u00a013.05.05.png"
PERSIAN = "\u0645\u06cc\u200c\u0631\u0648\u0645.txt"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467.txt"

NAMES = (
    SCREENSHOT,
    "Screenshot 2026-05-15 at 1.05.05\u202fPM.png",
    "\u5168\u89d2\u3000\u7a7a\u767d",
    PERSIAN,
    FAMILY,
    "soft\u00adhyphen",
    "\ufeffbom.csv",
    "right\u200fto left\u202e.exe",
    "line\u2028separator\u2029",
    "private\ue000\U0010fffd",
    "unassigned\u0378\U000e0fff",
    "none\uffff\ufffe",
    "\U0010fffflast",
    "\U0010ffff" * (LONGEST_NAME // 4),
    "c1\u0080\u0085\u009f",
    unicodedata.normalize("NFC", "\u00e9"),
    unicodedata.normalize("NFD", "\u00e9"),
    "CASE",
    "case",
    " blanks around ",
    "...",
    ".hidden",
    "-rf",
    "%2e%2f",
    "a;b=c&d?e#f",
    "quote\"s' and `ticks` $HOME *",
    "x" * LONGEST_NAME,
    "\u3042" * (LONGEST_NAME // 3),
)
"""Names that people's machines make, and those that programs stumble over."""

NASTY: Mapping[str, bytes] = {
    **{name: name.encode() for name in NAMES},
    **{f"{SCREENSHOT}s/{FAMILY}/{name}": name.encode() for name in NAMES[:6]},
    "d/" * (DEEPEST - 1) + PERSIAN: b"deepest",
    ("\u00e9" * 100 + "/") * 10 + "\u00e9" * 19: b"longest",
}

_LETTERS = st.characters(codec="utf-8", exclude_characters="/\\\x7f", exclude_categories=["Cs"]).filter(
    lambda letter: letter >= " "
)
_ODD = st.sampled_from("\u00a0\u202f\u3000\u200c\u200d\u00ad\ufeff\u2028\ue000\u0378\u0301e\u00e9 .")
file_names = st.sampled_from(NAMES) | st.text(_ODD | _LETTERS, min_size=1, max_size=40).filter(
    lambda name: refusal(name) is None
)
"""Names that may be those of files."""


@st.composite
def file_trees(draw: st.DrawFn, most: int = 8) -> Mapping[str, bytes]:
    """Files by path: some beside each other, some in one another, some as deep as may be."""
    files: dict[str, bytes] = {}
    folders = [""]
    for _ in range(draw(st.integers(1, most))):
        deeper = draw(st.sampled_from([0, 0, 1, 3, DEEPEST]))
        folder = draw(st.sampled_from(folders))
        for _ in range(min(deeper, DEEPEST - 1 - folder.count("/"))):
            folder += draw(file_names if deeper < DEEPEST else st.sampled_from(["d", "\u00a0"])) + "/"
        path = folder + draw(file_names)
        if len(path.encode()) > LONGEST_PATH or _is_taken(path, files):
            continue
        files[path] = draw(st.binary(max_size=20))
        folders.append(folder)
    return files or {"one": b""}


@contextmanager
def deep_in(folder: Path, name: str, levels: int) -> Iterator[None]:
    """Folders in one another meanwhile, deeper than a path may be long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", "--", str(folder / name)], check=True)


def _is_taken(path: str, files: Mapping[str, bytes]) -> bool:
    """Whether a path is there, or is a folder of one, or leads through a file."""
    return any(f"{one}/".startswith(f"{path}/") or f"{path}/".startswith(f"{one}/") for one in files)
