"""Mentions: the users that a text names."""

from __future__ import annotations

import re

from vfs.path import NAME

MENTION = re.compile(rf"(?<![\w@])@({NAME.pattern})")


def names_in(text: str) -> list[str]:
    """The users that a text names as `@user`, each once."""
    return list(dict.fromkeys(MENTION.findall(text)))
