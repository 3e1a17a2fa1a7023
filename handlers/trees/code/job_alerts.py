"""The alerts of a job, which are on unless they are switched off (config/alerts)."""

from __future__ import annotations

from handlers.services.alerts.job_alerts import LATE, SLOW
from handlers.trees.facets.alerts import alert_targets, states
from vfs.nodes import Dir
from vfs.parts import flag
from vfs.rules import IN_PERSON, W

ALERTS = Dir(
    {
        LATE: flag(True, about="whether to notify when the schedule did not run in time"),
        SLOW: flag(True, about="whether to notify when a run takes three times its usual time"),
        "to": alert_targets(W & IN_PERSON),
        "state": states(),
    },
    about="notices of late and slow runs",
)
