"""Writes that the security log tells of, whoever makes them: the API, pages, whatever calls the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handlers.security.events import SecurityEvent, WatchedPaths
from handlers.security.log_lines import FAILED, REFUSED, SecurityLine
from handlers.security.security_log import SecurityLog
from handlers.services.hints import hints_of
from handlers.services.world import World
from vfs.access import Verb, Via
from vfs.call import Call, Reply
from vfs.errors import VfsError

Serve = Callable[[Call[World]], Reply]

UNWATCHED = (None, Verb.READ)


def watch_calls(serve: Serve, places: WatchedPaths, log: SecurityLog) -> Serve:
    """The same kernel, which tells of the writes at these places how they ended."""

    def serve_watched(call: Call[World]) -> Reply:
        event = None if call.verb in UNWATCHED else places.event(call.verb, call.path)
        if event is None:
            return serve(call)
        try:
            reply = serve(call)
        except VfsError as refusal:
            _tell(log, event, call, REFUSED, kind_of(refusal))
            raise
        except Exception:
            _tell(log, event, call, FAILED, "a fault of the service")
            raise
        _tell(log, event, call)
        return reply

    return serve_watched


def kind_of(refusal: VfsError) -> str:
    """The kind of a refusal, in a word: its sentence may quote what was sent."""
    return type(refusal).__name__.lower()


def _tell(
    log: SecurityLog,
    event: SecurityEvent,
    call: Call[World],
    outcome: str | None = None,
    why: str | None = None,
) -> None:
    notes, caller = hints_of(call).notes, call.caller
    deed = SecurityLine(
        event.name,
        actor=caller.name,
        via=None if caller.via is Via.NONE else caller.via,
        account=notes.account if notes.account != caller.name else None,
        target=str(call.path),
        why=why,
        request=call.id,
        address=notes.address,
        client=notes.client,
    )
    log.record(deed if outcome is None else replace(deed, outcome=outcome))
    notes.is_told = True
