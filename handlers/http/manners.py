"""RequestManners: what the edge knows of a request before it is answered."""

from __future__ import annotations

from collections.abc import Mapping
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


class RequestManners:
    """The manners of requests, by their environments; the kernel says which calls are quick."""

    def __init__(self, front: Front, kernel: Kernel) -> None:
        self._front = front
        self._kernel = kernel
        self._is_quick_path = lru_cache(MOST_KNOWN)(self._find_quickness)
        self._is_repeatable_path = lru_cache(MOST_KNOWN)(self._find_repeatability)

    def is_instant(self, environ: Mapping[str, Any]) -> bool:
        """Whether a request asks for the health of this process, which waits for nothing."""
        return raw_path(environ) == HEALTH

    def is_quick(self, environ: Mapping[str, Any]) -> bool:
        """Whether a request is answered without waiting, as the kernel says of its path."""
        verb, raw = VERBS.get(environ["REQUEST_METHOD"], Verb.WRITE), raw_path(environ)
        if verb not in (Verb.READ, None):
            return False
        return len(raw) <= LONGEST_KNOWN and self._is_quick_path(verb, raw)

    def is_repeatable(self, environ: Mapping[str, Any]) -> bool:
        """Whether the answer hangs on the request and the database alone, as the kernel says of its path."""
        verb, raw = VERBS.get(environ["REQUEST_METHOD"], Verb.WRITE), raw_path(environ)
        if verb not in (Verb.READ, None):
            return False
        return len(raw) <= LONGEST_KNOWN and self._is_repeatable_path(verb, raw)

    def claimant(self, environ: Mapping[str, Any]) -> Claimant:
        """The address that a request comes from and the credential that it shows."""
        shown = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE", "")
        return Claimant(client_address(environ, self._front), shown)

    def _find_quickness(self, verb: Verb | None, raw: str) -> bool:
        try:
            path = Path.parse(raw)
        except Invalid:
            return True
        return path[:1] == API and self._kernel.is_quick(verb, path)

    def _find_repeatability(self, verb: Verb | None, raw: str) -> bool:
        try:
            path = Path.parse(raw)
        except Invalid:
            return False
        return path[:1] == API and self._kernel.is_repeatable(verb, path)
