"""The contact for reports of vulnerabilities: /.well-known/security.txt (RFC 9116)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus

from handlers.http.headers import ALIKE
from handlers.http.request_head import RequestHead
from handlers.http.response import PLAIN, Answer
from handlers.reference.pages import Page
from vfs.path import Path
from vfs.ports.clock import Clock, stamp

PLACE = Path((".well-known", "security.txt"))
GOOD_FOR = timedelta(days=180)
SCHEMES = ("mailto:", "https://", "tel:")


def contact_page(contact: str, clock: Clock) -> Mapping[Path, Page]:
    """Return the page with `contact`, an address or URI of the operator; none without one."""
    if not contact:
        return {}
    address = contact if contact.startswith(SCHEMES) else f"mailto:{contact}"

    def page(ask: RequestHead) -> Answer:
        # Only the date: the text is the same for a day and can be cached.
        until = (clock.now() + GOOD_FOR).replace(hour=0, minute=0, second=0, microsecond=0)
        lines = [f"Contact: {address}", f"Expires: {stamp(until)}"]
        if ask.origin:
            lines.append(f"Policy: {ask.origin}/docs/security")
        answer = Answer(HTTPStatus.OK, [("Content-Type", PLAIN)], cache=ALIKE)
        answer.body = "".join(f"{line}\n" for line in lines).encode()
        return answer

    return {PLACE: page}
