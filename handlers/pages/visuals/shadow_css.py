"""Style sheets of whole pages, rewritten for a shadow tree: what they say of the page holds for its host."""

from __future__ import annotations

import re
from functools import lru_cache

# Strings first, so that no brace and no name within one is taken for another; one without an end is a line's.
STRING_END = r"(?=\n)|\\?\Z"
PIECES = re.compile(
    rf"""
    "(?:\\.|[^"\\\n])*+(?:"|{STRING_END}) | '(?:\\.|[^'\\\n])*+(?:'|{STRING_END}) | [{{}};] | [^{{}};"']+
    """,
    re.DOTALL | re.VERBOSE,
)
ROOT = re.compile(r"(?<![\w.#:-]):root(?![\w-])|(?<![\w.#:-])html(?![\w-])", re.IGNORECASE)
BODY = re.compile(r"(?<![\w.#:@-])body(?![\w-])", re.IGNORECASE)
STRINGS = ('"', "'")


@lru_cache(16)
def shadow_css(css: str) -> str:
    """The sheet with `:host` in place of `html` and `:root`, and a class in place of the element `body`."""
    made: list[str] = []
    prelude: list[str] = []
    for found in PIECES.finditer(css):
        piece = found[0]
        if piece not in ("{", "}", ";"):
            prelude.append(piece)
            continue
        made += [_rewrite(part) for part in prelude] if piece == "{" else prelude
        made.append(piece)
        prelude.clear()
    return "".join(made + prelude)


def _rewrite(prelude: str) -> str:
    if prelude.startswith(STRINGS) or prelude.lstrip().startswith("@"):
        return prelude
    return BODY.sub(".body", ROOT.sub(":host", prelude))
