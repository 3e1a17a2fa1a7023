"""RequestManners: what the edge knows of a request before it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from handlers.http.door.fair_threads import Claimant
from handlers.http.kernel import Kernel
from handlers.http.request_head import VERBS, Front, client_address, raw_path
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

HEALTH = "/healthz"
# Paths whose manners are remembered.
MOST_KNOWN = 4096
LONGEST_KNOWN = 256
LOOKS = (Verb.READ, None)


class RequestManners:
    """The manners of requests, by their environments; the kernel says which calls are quick."""

    def __init__(self, front: Front, kernel: Kernel) -> None:
        self._front = front
        self._is_quick = _remember(kernel.is_quick, malformed=True)
        self._is_groupable = _remember(kernel.is_groupable, malformed=False)

    def is_instant(self, environ: Mapping[str, Any]) -> bool:
        """Whether a request asks for the health of this process, which waits for nothing."""
        return raw_path(environ) == HEALTH

    def is_quick(self, environ: Mapping[str, Any]) -> bool:
        """Whether a request is answered without waiting, as the kernel says of its path."""
        verb = _verb(environ)
        return verb in LOOKS and self._is_quick(verb, raw_path(environ))

    def is_groupable(self, environ: Mapping[str, Any]) -> bool:
        """Whether a request may share a transaction with others, as the kernel says of its path."""
        verb = _verb(environ)
        return verb not in LOOKS and self._is_groupable(verb, raw_path(environ))

    def claimant(self, environ: Mapping[str, Any]) -> Claimant:
        """The address that a request comes from and the credential that it shows."""
        shown = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE", "")
        return Claimant(client_address(environ, self._front), shown)


def _verb(environ: Mapping[str, Any]) -> Verb | None:
    """The verb of a request; a method that is none of ours is refused as a write."""
    return VERBS.get(environ["REQUEST_METHOD"], Verb.WRITE)


def _remember(
    ask: Callable[[Verb | None, Path], bool], *, malformed: bool
) -> Callable[[Verb | None, str], bool]:
    """The question about a path as it is spelled, its answers remembered; `malformed` is for no path."""

    @lru_cache(MOST_KNOWN)
    def answer(verb: Verb | None, raw: str) -> bool:
        try:
            path = Path.parse(raw)
        except Invalid:
            return malformed
        return path[:1] == API and ask(verb, path)

    return lambda verb, raw: len(raw) <= LONGEST_KNOWN and answer(verb, raw)
