"""The schedule of a job: its cron line and its switch, which take effect at once."""

from __future__ import annotations

from collections.abc import Mapping

from chains.language.mistake import Mistake
from chains.language.schedule import parse as parse_schedule
from handlers.services.alerts.job_alerts import rest
from handlers.services.runs.pauses import ENABLED
from handlers.services.world import World
from vfs.context import Context
from vfs.ports.clock import stamp

SCHEDULE = "config/schedule"
SHOWN_TIMES = 5


def check_schedule(sent: str) -> str:
    """Return a schedule's text if it parses. Raises Invalid with the field."""
    parse_schedule(sent)
    return sent


def schedule_data(context: Context[World], sent: str) -> dict[str, object]:
    """Return the JSON form of a schedule: its text, its explanation, and its next five times."""
    plan = parse_schedule(sent, is_stored=True)
    times = plan.next(SHOWN_TIMES, context.world.clock.now()) if plan is not None else ()
    return {
        "schedule": sent,
        "explanation": plan.explain() if plan is not None else None,
        "enabled": text_of(context, ENABLED) != "false",
        "next": [stamp(time) for time in times],
    }


def schedule_words(texts: Mapping[str, str]) -> str:
    """Return the schedule among a job's texts in words; "" where there is none or it is off."""
    try:
        plan = parse_schedule(texts.get(SCHEDULE, ""), is_stored=True)
    except Mistake:  # an earlier version accepted it; no scheduler runs it
        return ""
    return plan.explain() if plan is not None and texts.get(ENABLED) != "false" else ""


def set_schedule(context: Context[World], sent: str) -> str:
    """Put the new schedule into effect at once."""
    _apply(context, sent, text_of(context, ENABLED) != "false")
    return sent


def set_enabled(context: Context[World], word: str) -> str:
    """Switch the schedule on or off at once."""
    _apply(context, text_of(context, SCHEDULE), word != "false")
    return word


def _apply(context: Context[World], text: str, enabled: bool) -> None:
    """Put a schedule into effect. What is not planned is not late."""
    context.world.code.schedules.set(context.here.id, text, enabled)
    if not enabled or not text.strip():
        rest(context.world, context.here.id)


def clear_schedule(context: Context[World]) -> None:
    """Clear the schedule."""
    context.world.leaves.clear(context.here.id, context.rel)
    set_schedule(context, "")


def clear_enabled(context: Context[World]) -> None:
    """Clear the switch: the schedule is on."""
    context.world.leaves.clear(context.here.id, context.rel)
    set_enabled(context, "true")


def text_of(context: Context[World], rel: str) -> str:
    """Return the text of a leaf of the job; "" where there is none."""
    leaf = context.world.leaves.get(context.here.id, rel)
    return leaf.text or "" if leaf is not None else ""
