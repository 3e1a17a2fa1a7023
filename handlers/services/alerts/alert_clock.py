"""The clock of alerts: judges those that are due, each in its own transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
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


def judge_due(world: World) -> str | None:
    """Judge the alerts that are due; return the time stamp at which the next one is."""
    with world.session():
        while due := world.social.alerts.due(stamp(world.clock.now()), AT_ONCE):
            for alert in due:
                _judge(world, alert)
        return world.social.alerts.first()


def _judge(world: World, alert: KeptAlert) -> None:
    """Judge an alert; put it off if that fails because of a bug."""
    try:
        with world.atomic():
            kept = world.social.alerts.locked(alert.item, alert.rel).get(alert.rule)
            found = world.items.at(alert.item, None)
            if kept is not None and kept.due == alert.due and found is not None:
                JUDGES[alert.rule.partition(" ")[0]](world, found.item, kept)
    except (Unavailable, NoSpace):
        raise
    except Exception:
        log.exception("the alert %s of item %d could not be judged", alert.rule, alert.item)
        world.social.alerts.keep(replace(alert, due=stamp(world.clock.now() + LATER)))
