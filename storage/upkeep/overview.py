"""The overview of a database: running and waiting work of all accounts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chains.runs.overview import ALL, AccountUse, OpenBuild, OpenRun, OpenTally, WaitingMails
from chains.runs.states import Status
from storage.database.columns import Cells
from storage.database.database import Database
from storage.runs.rows import JOB, OPEN, RUN, WITH_JOB, run_of
from storage.tree.item_rows import IS_LIVE
from storage.tree.quotas import USE
from vfs.ports.clock import Clock, stamp
from vfs.ports.quotas import QuotaName

QUEUED, RUNNING = "queued", "running"
WAITS = "(SELECT MAX(h.waiting_since) FROM hold h WHERE h.run = r.key AND h.settled_at IS NULL)"
RUNS = f"""
SELECT {RUN.of("r")}, {JOB}, NULL, {WAITS} FROM {WITH_JOB}
WHERE r.{OPEN} AND r.top IS NULL ORDER BY r.key LIMIT :most"""
TALLY_RUNS = f"""
SELECT CASE WHEN status <> 'processing' THEN status WHEN worker IS NULL THEN '{QUEUED}' ELSE '{RUNNING}' END,
    count(*), min(CASE WHEN worker IS NULL THEN created_on ELSE coalesce(started_on, created_on) END)
FROM run WHERE {OPEN} AND top IS NULL GROUP BY 1"""
TALLY_HOLDS = f"""
SELECT count(*), min(h.waiting_since) FROM run r CROSS JOIN hold h
WHERE r.{OPEN} AND h.run = r.key AND h.settled_at IS NULL"""
# As in the index `run_kept`.
ENDED = """
SELECT status, trigger, count(*) FROM (
    SELECT status, trigger FROM run
    WHERE expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL AND completed_on >= :since
    LIMIT :most) ended
GROUP BY status, trigger"""
# Written as in the index `build_open`, so that it is used.
BUILDING = "status IN ('queued', 'building')"
BUILDS = f"""
SELECT i.owner, i.name, b.labels, b.status, b.created_on, b.pusher, b.worker
FROM build b LEFT JOIN item i ON i.id = b.repo AND {IS_LIVE} WHERE b.{BUILDING} ORDER BY b.id LIMIT :most"""
TALLY_BUILDS = f"SELECT status, count(*), min(created_on) FROM build WHERE {BUILDING} GROUP BY status"


def _of_account(name: QuotaName) -> str:
    """Return the columns for the use of a quota by an account and for its own limit."""
    own = f"(SELECT q.value FROM quota q WHERE q.account = a.name AND q.name = '{name}')"
    return f"({USE[name].replace(':owner', 'a.name')}), {own}"


ACCOUNTS = f"""
SELECT a.name, a.kind, a.locked, {_of_account(QuotaName.ITEMS)}, {_of_account(QuotaName.STORAGE)}
FROM account a WHERE a.name > :after ORDER BY a.name LIMIT :most"""
TRIED = "coalesce(sum(CASE WHEN tries > 0 THEN 1 ELSE 0 END), 0)"
DELIVERIES = f"""
SELECT count(*), {TRIED} FROM mail_sending s JOIN mail_delivery d ON d.sending = s.id
WHERE s.state = 'open' AND d.state IN ('due', 'taken')"""
MESSAGES = f"SELECT count(*), {TRIED} FROM queued_message"
NOTICES = "SELECT count(*) FROM notice WHERE mail = 'due'"
INBOUND = "SELECT count(*) FROM inbound_mail WHERE state = 'new'"
HOOKS = """
SELECT count(*), coalesce(sum(CASE WHEN tries > 0 THEN 1 ELSE 0 END), 0),
    (SELECT count(*) FROM hook WHERE state = 'paused') FROM hook_message"""
LOST_LABELS = "SELECT count(*) FROM label WHERE image IS NOT NULL AND missing = 1"
RUNNERS = """
SELECT CASE WHEN expires_on < :now THEN 'late' WHEN trouble IS NULL THEN 'working' ELSE 'without_podman' END,
    count(*) FROM worker GROUP BY 1"""
SILENT = "SELECT name, expires_on FROM worker WHERE expires_on < :now ORDER BY name"


@dataclass(frozen=True, slots=True)
class StoredOverview:
    """chains.runs.overview.Overview over a database. `limits` apply to accounts without their own."""

    database: Database
    clock: Clock
    limits: Mapping[QuotaName, int]

    def runs(self, most: int = ALL) -> Sequence[OpenRun]:
        return [_run(row) for row in self.database.rows(RUNS, most=most)]

    def tally_runs(self) -> Mapping[str, OpenTally]:
        return _tallies(self.database.rows(TALLY_RUNS))

    def builds(self, most: int = ALL) -> Sequence[OpenBuild]:
        return [_build(row) for row in self.database.rows(BUILDS, most=most)]

    def tally_builds(self) -> Mapping[str, OpenTally]:
        return _tallies(self.database.rows(TALLY_BUILDS))

    def tally_holds(self) -> OpenTally:
        return OpenTally(*(self.database.row(TALLY_HOLDS) or ()))

    def ended_runs(self, since: str, most: int) -> Mapping[tuple[str, str], int]:
        rows = self.database.rows(ENDED, since=since, most=most)
        return {(status, trigger): count for status, trigger, count in rows}

    def accounts(self, after: str, most: int) -> Sequence[AccountUse]:
        return [self._account(row) for row in self.database.rows(ACCOUNTS, after=after, most=most)]

    def mails(self) -> WaitingMails:
        sent, tried = self.database.row(DELIVERIES) or (0, 0)
        own, more = self.database.row(MESSAGES) or (0, 0)
        notices, inbound = self.database.value(NOTICES), self.database.value(INBOUND)
        return WaitingMails(sent, own, int(tried + more), notices, inbound)

    def hooks(self) -> Mapping[str, int]:
        waiting, failing, paused = self.database.row(HOOKS) or (0, 0, 0)
        return {"wait": waiting - failing, "failing": failing, "paused": paused}

    def lost_labels(self) -> int:
        return int(self.database.value(LOST_LABELS))

    def count_runners(self) -> Mapping[str, int]:
        none = dict.fromkeys(("working", "without_podman", "late"), 0)
        return none | dict(self.database.rows(RUNNERS, now=stamp(self.clock.now())))

    def silent_runners(self) -> Mapping[str, str]:
        return dict(self.database.rows(SILENT, now=stamp(self.clock.now())))

    def _account(self, row: Cells) -> AccountUse:
        name, kind, locked, items, own_items, storage, own_storage = row
        limits = self.limits
        return AccountUse(
            name, kind, bool(locked),
            items, limits[QuotaName.ITEMS] if own_items is None else own_items,
            int(storage), limits[QuotaName.STORAGE] if own_storage is None else own_storage,
        )  # fmt: skip


def _tallies(rows: Iterable[Cells]) -> dict[str, OpenTally]:
    return {state: OpenTally(number, since) for state, number, since in rows}


def _run(row: Cells) -> OpenRun:
    one, waits = run_of(row[:-1]), row[-1]
    since = waits or (one.started_on if one.worker is not None else None) or one.created_on
    name = f"@{one.origin_owner}/{one.origin.rpartition('/')[2]}/{one.id}"
    state = _state(one.status, taken=one.worker is not None)
    return OpenRun(name, state, since, one.by, one.trigger, one.worker)


def _state(status: Status, *, taken: bool) -> str:
    """Return the state of a run. A processing run is queued, or running once a runner has taken it."""
    if status is not Status.PROCESSING:
        return str(status)
    return RUNNING if taken else QUEUED


def _build(row: Cells) -> OpenBuild:
    owner, repo, labels, state, since, by, runner = row
    label = next(iter(json.loads(labels)), "")
    return OpenBuild(f"@{owner or ''}/{repo or ''}:{label}", state, since, by, runner)
