"""The schedule of a job: its cron line and its switch, which act at once."""

from __future__ import annotations

from collections.abc import Mapping

from chains.language.mistake import Mistake
from chains.language.schedule import parse as parse_schedule
from handlers.services.world import World
from vfs.place import Place
from vfs.ports.clock import stamp

SCHEDULE, ENABLED = "config/schedule", "config/enabled"
SHOWN_TIMES = 5


def check_schedule(sent: str) -> str:
    """A schedule's text, once it parses. Raises Invalid with the field."""
    parse_schedule(sent)
    return sent


def schedule_data(place: Place[World], sent: str) -> dict[str, object]:
    """The JSON face of a schedule: its text, what it says in words, and its next five times."""
    plan = parse_schedule(sent, is_stored=True)
    times = plan.next(SHOWN_TIMES, place.world.clock.now()) if plan is not None else ()
    return {
        "schedule": sent,
        "explanation": plan.explain() if plan is not None else None,
        "enabled": text_of(place, ENABLED) != "false",
        "next": [stamp(time) for time in times],
    }


def schedule_words(texts: Mapping[str, str]) -> str:
    """The schedule among a job's texts, in words; "" where there is none, or it rests."""
    try:
        plan = parse_schedule(texts.get(SCHEDULE, ""), is_stored=True)
    except Mistake:  # an earlier version took it, and no clock runs it
        return ""
    return plan.explain() if plan is not None and texts.get(ENABLED) != "false" else ""


def set_schedule(place: Place[World], sent: str) -> str:
    """Let the new schedule act at once."""
    place.world.code.schedules.set(place.here.id, sent, text_of(place, ENABLED) != "false")
    return sent


def set_enabled(place: Place[World], word: str) -> str:
    """Let the schedule act, or rest, at once."""
    place.world.code.schedules.set(place.here.id, text_of(place, SCHEDULE), word != "false")
    return word


def clear_schedule(place: Place[World]) -> None:
    """Clear the schedule."""
    place.world.leaves.clear(place.here.id, place.rel)
    set_schedule(place, "")


def clear_enabled(place: Place[World]) -> None:
    """Clear the switch: the schedule acts."""
    place.world.leaves.clear(place.here.id, place.rel)
    set_enabled(place, "true")


def text_of(place: Place[World], rel: str) -> str:
    """The text of a leaf of the job; "" where there is none."""
    leaf = place.world.leaves.get(place.here.id, rel)
    return leaf.text or "" if leaf is not None else ""
