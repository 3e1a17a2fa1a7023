"""The caller of a request, and hints about the client."""

from __future__ import annotations

from typing import Any

from handlers.http.request_head import RequestHead
from handlers.identity.identify import Identifies
from handlers.services.hints import Hints
from vfs.access import Caller, Verb
from vfs.path import Path


def caller_of(
    identify: Identifies, head: RequestHead, verb: Verb | None, path: Path, *, again: bool = False
) -> Caller:
    """Return the caller of a request. Raises as `Identify.caller` does."""
    sender: dict[str, Any] = {"address": head.address, "source": head.source, "notes": head.notes}
    return identify.caller(head.environ, verb, path, origin=head.origin or "", again=again, **sender)


def hints_about(head: RequestHead, **more: Any) -> Hints:
    """Return the hints about the client of a request, with `more` of them."""
    facts: dict[str, Any] = {"client": head.client, "address": head.address, "source": head.source}
    facts |= {"local": head.local, "origin": head.origin or "", "notes": head.notes}
    return Hints(**facts | more)
