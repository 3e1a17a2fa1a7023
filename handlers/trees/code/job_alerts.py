"""The alerts of a job, which are on unless they are switched off (config/alerts)."""

from __future__ import annotations

from handlers.services.alerts.job_alerts import LATE, SLOW
from handlers.trees.facets.alerts import alert_rows, states, told_to
from vfs.nodes import Dir
from vfs.parts import flag
from vfs.rules import IN_PERSON, W

ALERTS = Dir(
    {
        LATE: flag(True, about="whether a schedule that did not run in time is told"),
        SLOW: flag(True, about="whether a run that takes three times its usual time is told"),
        "to": told_to(W & IN_PERSON),
        "state": states(alert_rows),
    },
    about="what is told of its schedule and runs",
)
