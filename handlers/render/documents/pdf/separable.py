"""Rules of style under which the sheets of a document can be printed each for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import tinycss2
from tinycss2.ast import Node

HARMLESS = re.compile(
    r"--.*|color|background(-color)?|fill|stroke|opacity|font(-.*)?|line-height|letter-spacing|word-spacing"
    r"|text-.*|hyphens|hyphenate-.*|overflow-wrap|word-break|white-space|quotes|vertical-align"
    r"|list-style(-.*)?|tab-size|border(-.*)?|box-decoration-break|object-fit|caption-side|orphans|widows"
    r"|(margin|padding)(-.*)?|(min-|max-)?(width|height)|bookmark-level"
)
"""Properties that change nothing beyond the sheet on which they hold."""
ACROSS = re.compile(r"counter|target-|string\(|element\(|content\(", re.IGNORECASE)
"""Functions whose value depends on other pages."""
RELATED = re.compile(r":(first|last|only|nth|has|empty)|[+~]", re.IGNORECASE)
"""Selectors that may choose a sheet by those beside it."""
DEEPEST = 8


@lru_cache(maxsize=16)
def is_separable(css: str) -> bool:
    """Whether no rule that somebody wrote ties sheets together; when in doubt they are."""
    nodes = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return not ACROSS.search(css) and _are_separable(nodes, 0)


def _are_separable(nodes: Sequence[Node], depth: int) -> bool:
    return depth < DEEPEST and all(_is_separable(node, depth) for node in nodes)


def _is_separable(node: Node, depth: int) -> bool:
    if node.type == "declaration":
        return bool(HARMLESS.fullmatch(node.lower_name))
    if node.type not in ("qualified-rule", "at-rule"):
        return False
    prelude = tinycss2.serialize(node.prelude)
    if RELATED.search(prelude):
        return False
    content = tinycss2.parse_blocks_contents(node.content or (), skip_comments=True, skip_whitespace=True)
    return _are_separable(content, depth + 1)
