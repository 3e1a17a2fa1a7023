"""Triggers: an event that fits a line of config/triggers orders a run, once; too many pause the job."""

from __future__ import annotations

from contextlib import suppress

from chains.language.mistake import Mistake
from chains.language.trigger_lines import parse_triggers
from chains.schedules.trigger_events import TriggerEvent
from handlers.services.references import References
from handlers.services.run_notices import notify_rejected, notify_unfired
from handlers.services.runs.kept_inputs import StoredInput
from handlers.services.runs.overlaps import Overlapping, note_skipped
from handlers.services.runs.pauses import ENABLED, is_paused, pause
from handlers.services.runs.run_trigger import NoChain, RunRequest, order
from handlers.services.runs.trigger_inputs import TriggerInput, input_of
from handlers.services.runs.trigger_lookup import TRIGGERS
from handlers.services.world import World
from vfs.errors import NotFound, QuotaReached, TooLarge
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf
from vfs.ports.people import Limit
from vfs.ports.quotas import QuotaName

HOUR = 3600


def fire_event(world: World, event: TriggerEvent, *, is_last: bool) -> None:
    """Order the run that an event starts and settle the event, both or neither.

    Raises QuotaReached unless this attempt `is_last`, NoSpace and Unavailable; then the event is still due.
    """
    references, triggers = References(world), world.code.triggers
    found = world.items.at(event.job, None)
    leaf = references.config(found.item).get(TRIGGERS) if found is not None else None
    fitting = _fitting(world, references, found.item, leaf, event) if found is not None and leaf else None
    if found is None or fitting is None:
        # Nothing is noted: who may not read what it happened to does not learn of it.
        triggers.settle(event)
        return
    job = found.item
    if not is_last and not _has_room(world, job, event):
        return
    try:
        brought = fitting.bring()
    except (NotFound, TooLarge) as error:
        with world.atomic():
            if triggers.settle(event, str(fitting.line), note=error.detail):
                notify_unfired(world, job.id, str(fitting.line), error.detail)
        return
    is_kept = False
    try:
        with suppress(_Settled):
            with world.atomic():
                is_used = _order(world, job, event, fitting, brought, is_last=is_last)
            is_kept = is_used
    finally:
        if not is_kept and brought.folder is not None:
            world.code.folders.discard(brought.folder)


def _order(
    world: World,
    job: Item,
    event: TriggerEvent,
    fitting: TriggerInput,
    brought: StoredInput,
    *,
    is_last: bool,
) -> bool:
    """Order the run in the open transaction; return whether it took the input."""
    triggers, line = world.code.triggers, str(fitting.line)
    # One event of a job at a time, so that it is paused once.
    world.code.runs.queue.lock(job.id)
    if is_paused(world, job.id):
        triggers.settle(event)
        return False
    ask = RunRequest.of_event(fitting.line.kind, fitting.words, job.owner)
    if _is_beyond(world, job):
        if triggers.settle(event, line, note="the job was paused, as its triggers fired too often"):
            _pause(world, job, ask.source)
        return False
    try:
        made = order(world, References(world), job, ask, brought, is_awaited=not is_last)
    except Overlapping as skipped:
        note_skipped(world, job, skipped)
        triggers.settle(event, line, note=f"skipped, as the run {skipped.earlier.id} had not ended")
        return False
    except NoChain as error:
        triggers.settle(event, line, note=error.detail)
        return False
    if made.refusal is not None:
        notify_rejected(world, made.run)
    if not triggers.settle(event, line, made.run.key):
        raise _Settled
    return True


class _Settled(Exception):
    """Raised when another process settled the event, or more was written: the run is not made."""


def _fitting(
    world: World, references: References, job: Item, leaf: Leaf, event: TriggerEvent
) -> TriggerInput | None:
    """Return what fits of a job's lines; None for a paused job, and one whose owner is locked."""
    owner = world.people.users.find(job.owner)
    if owner is None or owner.locked or is_paused(world, job.id):
        return None
    try:
        lines = parse_triggers(leaf.text or "")
    except Mistake:
        return None
    return input_of(world, references, job, lines, leaf.author, event)


def _has_room(world: World, job: Item, event: TriggerEvent) -> bool:
    """Return whether the event need not wait for the end of a run, before any file is copied.

    Raises QuotaReached if it has to. If too many wait, the job is paused.
    """
    try:
        world.service.quotas.admit_more(job.owner, QuotaName.RUNS, 1)
    except QuotaReached:
        with world.atomic():
            world.code.runs.queue.lock(job.id)
            if world.code.triggers.waiting(job.id) <= world.service.settings.trigger_runs:
                raise
            _pause(world, job, f"a {event.kind} of {event.happened_on}")
        return False
    return True


def _is_beyond(world: World, job: Item) -> bool:
    """Count a run; return whether triggers start too many. After the job is enabled again it starts at 0."""
    leaf = world.leaves.get(job.id, ENABLED)
    since = leaf.last_modified if leaf is not None else ""
    most = Limit(f"triggers of {job.id} since {since}", world.service.settings.trigger_runs, HOUR)
    return world.people.rates.take([most]) > 0


def _pause(world: World, job: Item, source: str) -> None:
    """Pause a job whose triggers fire too often, and drop what waits."""
    most = world.service.settings.trigger_runs
    dropped = world.code.triggers.drop(job.id)
    more = f"; {dropped} more that waited start nothing" if dropped else ""
    said = (
        f"The job is paused, as its triggers would start more than {most} runs within an hour, or as more "
        f"events wait: config/enabled is false now. The last event was: {source}{more}. "
        "Write true to it when this is mended."
    )
    pause(world, job.id, said)


def give_up_event(world: World, event: TriggerEvent, reason: str) -> None:
    """Settle an event that could not be handled, and notify."""
    with world.atomic():
        if world.code.triggers.settle(event):
            notify_unfired(world, event.job, f"a {event.kind} of {event.happened_on}", reason)
