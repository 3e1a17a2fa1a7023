"""The text of short names: 5 or more characters without look-alikes (0 O 1 l I)."""

from __future__ import annotations

import secrets

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
SHORTEST = 5


def draw(length: int) -> str:
    """A random name of a length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
