"""Words of a plot's settings, and which folders of settings each type heeds."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handlers.render.plots.plot_type import plot_types, settings_read

TABLES = ("table", "mtable")
CUSTOM = "custom"
CELL_COLOR = re.compile(r"\s*\S+\s+\S+\s+(?:bg|fg)\s")
"""The beginning of a line of `colors/colors` that colours cells of a table."""

PACKS = ("curlew", "teal", "amber", "plum", "survey")
KEY_TYPES = ("auto", "direct", "key", "none")
KEY_POSITIONS = ("top", "bottom")
KEY_LAYOUTS = ("row", "column")
COLOR_TYPES = ("clr", "ix", "pack")
GROUND_TYPES = ("paper", "none")
TABLE_SIZES = ("small", "medium", "large", "auto")
SCALES = ("linear", "log")


def heeds(word: str, path: str) -> bool:
    """Return whether a plot of that type is drawn by a folder or a file of settings below `config`."""
    folder, kind, known = path.partition("/")[0], plot_types().get(word), settings_read()
    if folder in ("table", CUSTOM):
        return (word == CUSTOM) if folder == CUSTOM else kind is None and word != CUSTOM
    if path not in known and folder not in known:
        return word != CUSTOM
    reads = kind.reads if kind is not None else frozenset[str]()
    within = path == folder and any(one.startswith(f"{folder}/") for one in reads)
    return (path if path in known else folder) in reads or within


WORDS = frozenset(("type", "lang", "title", "subtitle", "caption", "comments"))


def list_unheeded(word: str, config: Mapping[str, str]) -> list[str]:
    """Settings that say something and have no say in the drawing of a type: files, or folders of many."""
    said = [path for path, text in config.items() if text.strip() and path not in WORDS]
    lost = [path for path in said if not heeds(word, path)]
    whole = {path for path in lost if path.startswith("axis/") or heeds(word, path.partition("/")[0])}
    return sorted({path if path in whole else path.partition("/")[0] for path in lost})


def heeding(path: str) -> list[str]:
    """The words of types that a setting has a say in, one of each kind; none where all have, or no chart."""
    kinds = {kind.noun: word for word, kind in reversed(plot_types().items()) if heeds(word, path)}
    return (
        list(kinds.values())[::-1] if len(kinds) < len({kind.noun for kind in plot_types().values()}) else []
    )
