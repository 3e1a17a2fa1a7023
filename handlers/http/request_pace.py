"""RequestPaces: how long requests take, and who makes them, known before they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from handlers.http.kernel import Kernel
from handlers.http.request_head import VERBS, Front, client_address, raw_path
from handlers.rules.addresses import API
from handlers.server.application import Claimant, Pace
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

HEALTH = "/healthz"
# Paths whose paces are remembered.
MOST_KNOWN = 8192
LONGEST_KNOWN = 256
LOOKS = (Verb.READ, None)


class RequestPaces:
    """The paces of requests, by their environments; the kernel says which calls are quick."""

    def __init__(self, front: Front, kernel: Kernel) -> None:
        self._front = front
        self._kernel = kernel
        self._known = lru_cache(MOST_KNOWN)(self._find)

    def pace(self, environ: Mapping[str, Any]) -> Pace:
        """Tell how long the answer to a request takes; a method that is none of ours counts as a write."""
        raw = raw_path(environ)
        if raw == HEALTH:
            return Pace.INSTANT
        if len(raw) > LONGEST_KNOWN:
            return Pace.SLOW
        return self._known(VERBS.get(environ["REQUEST_METHOD"], Verb.WRITE), raw)

    def claimant(self, environ: Mapping[str, Any]) -> Claimant:
        """The address that a request comes from and the credential that it shows."""
        shown = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE", "")
        return Claimant(client_address(environ, self._front), shown)

    def _find(self, verb: Verb | None, raw: str) -> Pace:
        """The pace of a path as it is spelled; what is no path is refused at once."""
        try:
            path = Path.parse(raw)
        except Invalid:
            return Pace.QUICK if verb in LOOKS else Pace.SLOW
        if path[:1] != API:
            return Pace.SLOW
        if verb in LOOKS:
            return Pace.QUICK if self._kernel.is_quick(verb, path) else Pace.SLOW
        return Pace.GROUPABLE if self._kernel.is_groupable(verb, path) else Pace.SLOW
