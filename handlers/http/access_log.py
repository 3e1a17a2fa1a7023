"""Logs of requests: each one as a line of JSON, and refused ones in the security log."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import unquote

import orjson

from handlers.http.request_head import RequestHead
from handlers.rules.addresses import API
from handlers.security.events import REFUSAL, WatchedPaths
from handlers.security.log_lines import REFUSED, SecurityLine
from handlers.security.security_log import SecurityLog
from handlers.settings.quantities import rounded_size
from vfs.access import Verb
from vfs.ports.clock import stamp

Write = Callable[[bytes], object]
Entry = dict[str, str | int | float | None]
Form = Callable[[Entry], bytes]
Count = Callable[[str, str, int, float], object]
"""Counts a request by its method, path, status and seconds."""

STDERR = 2
# Characters of a reason, because a sentence may quote parts of the request.
LONGEST_REASON = 300
WORDS = {
    HTTPStatus.UNAUTHORIZED: "unauthenticated",
    HTTPStatus.FORBIDDEN: "denied",
    HTTPStatus.TOO_MANY_REQUESTS: "toomany",
}


def wall_clock() -> datetime:
    """Return the present time, UTC."""
    return datetime.now(UTC)


def json_line(entry: Entry) -> bytes:
    """Return the entry as a line of JSON, for programs."""
    return orjson.dumps(entry, None, orjson.OPT_APPEND_NEWLINE)


def readable_line(entry: Entry) -> bytes:
    """Return the entry as a line for people, without control characters for the terminal."""
    size = entry["bytes"]
    words = [
        f"{str(entry['time'])[11:19]}Z",
        str(entry["status"]),
        f"{entry['method']:<7}",
        str(entry["path"]),
        f" {duration(float(entry['ms'] or 0))}",
        f"{rounded_size(size)}B" if isinstance(size, int) else "",
        f"@{entry['user']}" if entry["user"] else str(entry["address"]),
        f"({entry['why']})" if "why" in entry else "",
    ]
    line = "  ".join(word for word in words if word)
    return "".join(each if each.isprintable() else "\ufffd" for each in line).encode(errors="replace") + b"\n"


def duration(milliseconds: float) -> str:
    """Return the duration of a request for people: `0.4 ms`, `52 ms`, `8.5 s`."""
    if milliseconds >= 1_000:
        return f"{milliseconds / 1_000:.1f} s"
    return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"


def form_for(file: int) -> Form:
    """Return the format of lines for an open file: readable on a terminal, else JSON."""
    return readable_line if os.isatty(file) else json_line


class AccessLog:
    """Writes a line for each response; lines of several workers are not mixed.

    `count_request` is called for every request.
    """

    def __init__(
        self,
        write: Write | None = None,
        now: Callable[[], datetime] = wall_clock,
        form: Form = json_line,
        *,
        count_request: Count = lambda method, path, status, seconds: None,
    ) -> None:
        self._count = count_request
        self._write = write or into(STDERR)
        self._now = now
        self._form = form

    def line(  # noqa: PLR0913
        self,
        *,
        request: str,
        method: str,
        path: str,
        status: int,
        seconds: float,
        size: int | None,
        user: str | None = None,
        address: str = "",
        client: str = "",
        why: str = "",
    ) -> None:
        """Write the line of one request.

        `seconds` is the time from its head to its response, `size` is in bytes, `why` is the reason of a
        refusal.
        """
        self._count(method, path, status, seconds)
        entry: Entry = {
            "time": stamp(self._now()),
            "level": "info" if status < 500 else "error",
            "request_id": request,
            "user": user,
            "method": method,
            "path": path,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "bytes": size,
            "address": address,
            "client": client,
        }
        if why:
            entry["why"] = why[:LONGEST_REASON].encode(errors="backslashreplace").decode()
        self._pass_on(self._form(entry))

    def _pass_on(self, line: bytes) -> None:
        # Requests are not refused if the log cannot be written, as on a full disk.
        with contextlib.suppress(OSError):
            self._write(line)


class RefusedRequests:
    """Logs requests that were refused for their credential, permissions or number.

    Requests without a credential are not logged: clients often begin without one.
    """

    def __init__(self, log: SecurityLog, places: WatchedPaths) -> None:
        self._log = log
        self._places = places

    def __call__(self, head: RequestHead, status: int) -> None:
        if status not in WORDS or head.notes.is_logged:
            return
        if status == HTTPStatus.UNAUTHORIZED and not head.has_credential:
            return
        path = unquote(head.instance, errors="replace")
        event = REFUSAL
        if head.method == "POST" and path.startswith(f"/{API[0]}/"):
            # A password is checked before the kernel is called.
            event = self._places.event(Verb.WRITE, tuple(path.strip("/").split("/"))) or REFUSAL
        event_line = SecurityLine(
            event.name,
            REFUSED,
            actor=head.user,
            account=head.notes.account if head.notes.account != head.user else None,
            target=f"{head.method} {path}" if event is REFUSAL else path,
            why=WORDS[HTTPStatus(status)],
            request=head.id,
            address=head.address,
            client=head.client,
        )
        head.notes.is_logged = True
        self._log.record(event_line)


def into(file: int) -> Write:
    """Return a writer of lines to an open file, with one call for each line."""
    return lambda line: os.write(file, line)


def nowhere(line: bytes) -> None:
    """Write nothing."""
