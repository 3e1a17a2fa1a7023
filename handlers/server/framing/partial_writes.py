"""Partial writes: requests that bring a piece of a file (Content-Range), of which only the head is read."""

from __future__ import annotations

from handlers.rules.addresses import GIT

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def is_partial_write(method: str, path: str, *, has_range: bool) -> bool:
    """Whether a request with a Content-Range or none would write a piece of something; git's are its own."""
    return has_range and method in _WRITES and not path.startswith(GIT)
