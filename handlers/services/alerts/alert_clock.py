"""The clock of alerts: judges those that are due, each in its own transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from handlers.services.alerts.alert_rules import SILENT
from handlers.services.alerts.job_alerts import LATE, SLOW, late_due, slow_due
from handlers.services.alerts.value_alerts import silence_due
from handlers.services.world import World
from vfs.errors import NoSpace, Unavailable
from vfs.ports.alerts import KeptAlert
from vfs.ports.clock import stamp
from vfs.ports.items import Item

AT_ONCE = 128
LATER = timedelta(hours=1)
JUDGES: Mapping[str, Callable[[World, Item, KeptAlert], None]] = {
    SILENT: silence_due,
    LATE: late_due,
    SLOW: slow_due,
}
"""What judges a due alert, by the first word of its rule. It keeps the alert with another `due`."""

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class AlertClock:
    """Judges alerts that are due (chains.schedules.timetable.DueWork)."""

    world: World

    def first(self) -> str | None:
        return self.world.social.alerts.first()

    def act(self) -> None:
        with self.world.session():
            while due := self.world.social.alerts.due(stamp(self.world.clock.now()), AT_ONCE):
                for alert in due:
                    self._judge(alert)

    def _judge(self, alert: KeptAlert) -> None:
        """Judge an alert; put it off if that fails because of a bug."""
        try:
            with self.world.atomic():
                self._judge_locked(alert)
        except (Unavailable, NoSpace):
            raise
        except Exception:
            log.exception("the alert %s of item %d could not be judged", alert.rule, alert.item)
            self.world.social.alerts.keep(replace(alert, due=stamp(self.world.clock.now() + LATER)))

    def _judge_locked(self, alert: KeptAlert) -> None:
        kept = self.world.social.alerts.locked(alert.item, alert.rel).get(alert.rule)
        found = self.world.items.at(alert.item, None)
        if kept is not None and kept.due == alert.due and found is not None:
            JUDGES[alert.rule.partition(" ")[0]](self.world, found.item, kept)
