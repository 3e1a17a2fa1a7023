"""Ids of SVG drawings, set apart where several drawings stand in one document."""

from __future__ import annotations

import re

_TAG = re.compile(r"<[^<>]*>")
_IDENTITY = re.compile(r"""((?<![\w-])id=["']|url\(["']?#|href=["']#)""")


def prefix_ids(svg: str, prefix: str) -> str:
    """A drawing whose ids, and what points at them, begin with a prefix; its texts stay as they are."""
    return _TAG.sub(lambda tag: _IDENTITY.sub(rf"\g<1>{prefix}-", tag[0]), svg)
