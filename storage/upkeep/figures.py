"""Figures of the book for who watches the service: a few statements, each bounded by what is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chains.runs.activity import TRIGGERS
from storage.database.database import Database
from storage.runs.rows import OPEN
from vfs.ports.clock import stamp

MOST_ENDED = 50_000
"""So many ended runs are counted at most: a figure that is as high says "at least"."""
DAY = timedelta(days=1)

RUNS = f"""
SELECT CASE WHEN status <> 'processing' THEN status WHEN worker IS NULL THEN 'queued' ELSE 'running' END,
    COUNT(*), MIN(CASE WHEN worker IS NULL THEN created_on ELSE coalesce(started_on, created_on) END)
FROM run WHERE {OPEN} AND top IS NULL GROUP BY 1"""
BUILDS = """
SELECT status, COUNT(*), MIN(created_on) FROM build WHERE status IN ('queued', 'building') GROUP BY status"""
HOLDS = f"""
SELECT 'waiting', COUNT(*), MIN(h.waiting_since) FROM run r CROSS JOIN hold h
WHERE r.{OPEN} AND h.run = r.key AND h.settled_at IS NULL"""
# As in the index `run_kept`.
ENDED = """
SELECT status, trigger, COUNT(*) FROM (
    SELECT status, trigger FROM run
    WHERE expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL AND completed_on >= :since
    LIMIT :most) ended
GROUP BY status, trigger"""
MAILS = """
SELECT 'sending', COUNT(*) FROM mail_sending s JOIN mail_delivery d ON d.sending = s.id
    WHERE s.state = 'open' AND d.state IN ('due', 'taken')
UNION ALL SELECT 'message', COUNT(*) FROM queued_message
UNION ALL SELECT 'notice', COUNT(*) FROM notice WHERE mail = 'due'
UNION ALL SELECT 'inbound', COUNT(*) FROM inbound_mail WHERE state = 'new'"""
RUNNERS = """
SELECT CASE WHEN expires_on < :now THEN 'late' WHEN trouble IS NULL THEN 'working' ELSE 'without_podman' END,
    COUNT(*) FROM worker GROUP BY 1"""


@dataclass(frozen=True, slots=True)
class OpenTally:
    """Number of those that are open, and the age of the oldest in seconds."""

    number: int = 0
    oldest: float = 0.0


@dataclass(frozen=True, slots=True)
class BookFigures:
    """Tallies by state, ended runs by state and trigger, and plain numbers; what there is none of is 0."""

    runs: Mapping[str, OpenTally]
    builds: Mapping[str, OpenTally]
    holds: Mapping[str, OpenTally]
    ended: Mapping[tuple[str, str], int]
    mails: Mapping[str, int]
    runners: Mapping[str, int]


def book_figures(database: Database, now: datetime) -> BookFigures:
    """Ask for the figures of this moment. Raises Unavailable."""
    since = stamp(now - DAY)
    ended: dict[tuple[str, str], int] = {}
    for status, trigger, count in database.rows(ENDED, since=since, most=MOST_ENDED):
        word = (status, trigger if trigger in TRIGGERS else "other")
        ended[word] = ended.get(word, 0) + count
    return BookFigures(
        runs=_tallies(("queued", "running", "waiting", "canceling"), database.rows(RUNS), now),
        builds=_tallies(("queued", "building"), database.rows(BUILDS), now),
        holds=_tallies(("waiting",), database.rows(HOLDS), now),
        ended=ended,
        mails=dict(database.rows(MAILS)),
        runners=dict.fromkeys(("working", "without_podman", "late"), 0)
        | dict(database.rows(RUNNERS, now=stamp(now))),
    )


def _tallies(states: Iterable[str], rows: Iterable[tuple[Any, ...]], now: datetime) -> dict[str, OpenTally]:
    found = {state: OpenTally(count, _age(first, now)) for state, count, first in rows}
    return dict.fromkeys(states, OpenTally()) | found


def _age(first: str | None, now: datetime) -> float:
    return max(0.0, (now - datetime.fromisoformat(first)).total_seconds()) if first else 0.0
