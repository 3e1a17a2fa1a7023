"""The schedule of a job, mail or document: its cron line and its switch, which take effect at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chains.language.chain_fixes import wrong_length
from chains.language.mistake import Mistake
from chains.language.schedule import parse as parse_schedule
from chains.schedules.timetable import SCHEDULE
from handlers.services.alerts.job_alerts import rest
from handlers.services.runs.run_ends import ENABLED
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.nodes import KIB, File, Rules
from vfs.parts import flag, parsed_by, text
from vfs.ports.clock import stamp
from vfs.ports.leaves import text_at

SHOWN_TIMES = 5
LARGEST = KIB
NO_RULES: Rules = {}
CHECK = "check"
SCHEDULE_CHECK = {
    CHECK: "JSON: mistakes with their places, the schedule in words, its next five times; POST checks the "
    "text that is sent and stores nothing"
}


def schedule_file(
    about: str, rules: Rules = NO_RULES, remark: Callable[[Context[World], str], str] = lambda *_: ""
) -> File:
    """Return the declaration of a file with a schedule."""
    return text(
        check=parsed_by(parse_schedule),
        accept=set_schedule,
        clear=clear_schedule,
        view=check_schedule_text,
        trial=check_schedule_text,
        query=SCHEDULE_CHECK,
        largest=LARGEST,
        data=schedule_data,
        about=about,
        rules=rules,
        remark=remark,
    )


def switch_file(about: str) -> File:
    """Return the declaration of config/enabled."""
    return flag(True, accept=set_enabled, clear=clear_enabled, about=about)


def schedule_data(context: Context[World], sent: str) -> dict[str, object]:
    """Return the JSON form of a schedule: its text, its explanation, and its next five times."""
    plan = parse_schedule(sent, is_stored=True)
    times = plan.next(SHOWN_TIMES, context.world.clock.now()) if plan is not None else ()
    return {
        "schedule": sent,
        "explanation": plan.explain() if plan is not None else None,
        "enabled": _is_enabled(context),
        "next": [stamp(time) for time in times],
    }


def check_schedule_text(context: Context[World]) -> Reply | None:
    """Return the report on a schedule if the query asks for it."""
    if CHECK not in context.call.query:
        return None
    sent = text_to_check(context, LARGEST)
    try:
        if context.call.verb is not Verb.READ:
            parse_schedule(sent)
        facts = schedule_data(context, sent)
    except Mistake as mistake:
        facts = {"schedule": sent, "explanation": None, "next": []}
        return Reply(Data({"ok": False, "mistakes": [mistake_entry(sent, mistake)], **facts}))
    return Reply(Data({"ok": True, "mistakes": [], **facts}))


def text_to_check(context: Context[World], largest: int) -> str:
    """Return the text to check: the one that was sent, or for GET the stored one."""
    if context.call.verb is not Verb.READ:
        return context.call.body.text(largest)
    return text_of(context, context.rel)


def mistake_entry(sent: str, mistake: Mistake) -> Mapping[str, object]:
    """Return a mistake as the error of a write reports it, with the number of characters it covers."""
    entry: Mapping[str, object] = mistake.members["rejected"][0]
    return {**entry, "length": wrong_length(sent, mistake)}


def schedule_words(texts: Mapping[str, str]) -> str:
    """Return the schedule among an item's texts in words; "" where there is none or it is off."""
    try:
        plan = parse_schedule(texts.get(SCHEDULE, ""), is_stored=True)
    except Mistake:  # an earlier version accepted it; no scheduler runs it
        return ""
    return plan.explain() if plan is not None and texts.get(ENABLED) != "false" else ""


def set_schedule(context: Context[World], sent: str) -> str:
    """Put the new schedule into effect at once."""
    _apply(context, context.rel, sent, _is_enabled(context))
    return sent


def set_enabled(context: Context[World], word: str) -> str:
    """Switch the schedule on or off at once."""
    _apply(context, SCHEDULE, text_of(context, SCHEDULE), word != "false")
    return word


def _is_enabled(context: Context[World]) -> bool:
    """Return whether a schedule is on; the switch is that of config/schedule alone."""
    return context.rel != SCHEDULE or text_of(context, ENABLED) != "false"


def _apply(context: Context[World], rel: str, sent: str, enabled: bool) -> None:
    """Put a schedule into effect. Without planned times, nothing is late."""
    context.world.code.schedules.set(context.here.id, sent, enabled, rel)
    if rel == SCHEDULE and (not enabled or not sent.strip()):
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
    """Return the text of a leaf of the item; "" where there is none."""
    return text_at(context.world.leaves, context.here.id, rel)
