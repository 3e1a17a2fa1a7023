"""Addresses of links: where one may lead."""

from __future__ import annotations

import re

ADDRESS = re.compile(r"(?:https?://|mailto:|tel:|#|/(?!/)|\.{1,2}/)|[^:/?#\\]+(?:[/?#]|$)", re.IGNORECASE)
DATA = "data:"
"""How an address begins that is a picture itself: it is told of where it stands."""


def is_harmless(address: str) -> bool:
    """Whether an address leads to the web, to mail, or stays here."""
    return bool(ADDRESS.match(address.strip())) and not any(ord(sign) < 32 for sign in address)
