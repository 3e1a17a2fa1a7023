"""The table of alerts: one row for each rule on a path of an item."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

import peewee

from storage.database.bulk import several
from storage.database.columns import TableColumns
from storage.database.store import Store
from storage.tree.item_rows import IS_LIVE
from vfs.ports.alerts import AlertState, KeptAlert

ALERT = TableColumns(KeptAlert, "item rel rule state since former due", state=AlertState)
OF = f"SELECT {ALERT} FROM alert WHERE item = :item AND rel = :rel ORDER BY rule"
# Locks paths that may have no row yet.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(v.column1, 0)) FROM (VALUES ?) AS v"
KEEP = f"""
INSERT INTO alert ({ALERT}) VALUES (:item, :rel, :rule, :state, :since, :former, :due)
ON CONFLICT (item, rel, rule) DO UPDATE SET
    state = excluded.state, since = excluded.since, former = excluded.former, due = excluded.due"""
EXPECT = """
INSERT INTO alert (item, rel, rule, state, since, due) VALUES ?
ON CONFLICT (item, rel, rule) DO UPDATE SET due = coalesce(alert.due, excluded.due) RETURNING item"""
DROP = "DELETE FROM alert WHERE item = :item AND rel = :rel"
MOVE = "UPDATE alert SET rel = :new WHERE item = :item AND rel = :rel"
DUE = f"""
SELECT {ALERT.of("a")} FROM alert a JOIN item i ON i.id = a.item AND {IS_LIVE}
WHERE a.due <= :now ORDER BY a.due, a.item, a.rel, a.rule LIMIT :most"""
FIRST = f"""
SELECT min(a.due) FROM alert a JOIN item i ON i.id = a.item AND {IS_LIVE} WHERE a.due IS NOT NULL"""


class StoredAlerts(Store):
    """vfs.ports.alerts.Alerts over a database."""

    def of(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        found = map(ALERT.read, self._database.rows(OF, item=item, rel=rel))
        return {alert.rule: alert for alert in found}

    def locked(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        self._lock([item], rel)
        return self.of(item, rel)

    def _lock(self, items: Sequence[int], rel: str) -> None:
        # In SQLite a transaction has the whole database.
        if self._database.dialect == "postgresql":
            several(self._database, LOCK, [(f"alert {item} {rel}",) for item in items])

    def keep(self, alert: KeptAlert) -> None:
        row = {name: getattr(alert, name) for name in ALERT.names}
        # An item that was removed meanwhile has no alerts.
        with suppress(peewee.IntegrityError), self._database.atomic():
            self._database.run(KEEP, **row)

    def expect(self, items: Collection[int], rel: str, rule: str, now: str, due: str) -> None:
        # Sorted, so that two transactions do not wait for each other.
        in_order = sorted(items)
        self._lock(in_order, rel)
        several(self._database, EXPECT, [(item, rel, rule, AlertState.WELL, now, due) for item in in_order])

    def drop(self, item: int, rel: str, rules: Collection[str] | None = None) -> None:
        if rules is None:
            self._database.run(DROP, item=item, rel=rel)
            return
        for rule in rules:
            self._database.run(f"{DROP} AND rule = :rule", item=item, rel=rel, rule=rule)

    def move(self, item: int, rel: str, new: str) -> None:
        self._database.run(MOVE, item=item, rel=rel, new=new)

    def due(self, now: str, most: int) -> Sequence[KeptAlert]:
        return self._database.all(ALERT, DUE, now=now, most=most)

    def first(self) -> str | None:
        due: str | None = self._database.value(FIRST)
        return due
