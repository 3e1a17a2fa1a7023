"""The holds of a run: their facts, and the answers to them."""

from __future__ import annotations

from datetime import datetime

from chains.runs.records import INFO, Run, RunHold
from chains.runs.states import Event, Status, TurnOutcome, answer, word
from handlers.rules.kinds import FROZEN
from handlers.services.run_notices import withdraw_waiting
from handlers.services.run_people import freeze_writers, note_answer
from handlers.services.world import World
from vfs.call import Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict
from vfs.ports.clock import stamp


def answer_hold(context: Context[World], run: Run, sent: str) -> Reply:
    """Continue or decline: change the run's state once, with a frozen copy of its space (decisions 23b)."""
    event = word(sent)
    turn = answer(run.status, event, nested=run.parent is not None)
    if turn.outcome is TurnOutcome.REFUSED:
        raise Conflict(turn.detail, run=run.id, run_status=str(run.status))
    world = context.world
    try:
        with world.atomic():
            # `record` locks the run's row, so that no other answer reaches the next hold meanwhile.
            world.code.runs.states.record(run.key)
            # A slow request may have lost its permission meanwhile.
            context.call.ongoing.check()
            held = _open(world, run)
            if event is Event.CONTINUE and held is not None:
                note_answer(world, run, held, context.me)
            frozen = _freeze(world, held) if event is Event.CONTINUE else None
            world.code.runs.states.settle(run.key, event, context.me, frozen)
            world.code.runs.states.record(
                run.key, lines=[(stamp(world.clock.now()), INFO, _line(event, held, context.me))]
            )
            withdraw_waiting(world, run.job, run.id)
    except Conflict as refusal:
        refusal.members.setdefault("run", run.id)
        raise
    return Reply(f"{turn.detail}\n", Outcome.ACCEPTED)


def _open(world: World, run: Run) -> RunHold | None:
    """Return the hold at which the run waits."""
    return next((held for held in world.code.runs.reader.holds(run.key) if held.settled_at is None), None)


def _line(event: Event, held: RunHold | None, by: str) -> str:
    """Return the line in the run's log on an answer to its hold."""
    hold = f"the hold {held.phase} {held.step}" if held is not None else "its hold"
    if event is Event.CONTINUE:
        return f"The run continues: @{by} answered {hold}."
    return f"The run was canceled: @{by} declined {hold}."


def _freeze(world: World, held: RunHold | None) -> int | None:
    """Return a copy of the open hold's space, which no caller can reach; None if the space is gone."""
    found = world.items.at(held.space, None) if held is not None and held.space is not None else None
    if found is None:
        return None
    # Those who could change the files until now count as authors of what the run does with them.
    freeze_writers(world, found.item, found.item.name)
    item = world.items.create(FROZEN, found.item.owner, found.item.name)
    world.code.spaces.copy(found.item.id, item.id)
    return item.id


def hold_rows(context: Context[World], run: Run, whole: Run) -> list[dict[str, object]]:
    """Return every possible hold of a run's plan (interface, `holds`)."""
    if whole.plan is None or not whole.plan.holds:
        return []
    now = context.world.clock.now()
    rows = {(held.step, held.phase): held for held in context.world.code.runs.reader.holds(whole.key)}
    return [
        {"step": hold.step, "phase": str(hold.phase), "ordinal": hold.ordinal}
        | _facts(context, whole, rows.get((hold.step, hold.phase)), now)
        for hold in whole.plan.holds
    ]


def _facts(context: Context[World], run: Run, held: RunHold | None, now: datetime) -> dict[str, object]:
    if held is None:
        names = ("waiting_since", "settled_at", "outcome", "settled_by", "folder", "duration")
        return dict.fromkeys(names)
    end = datetime.fromisoformat(held.settled_at) if held.settled_at else now
    waited = (end - datetime.fromisoformat(held.waiting_since)).total_seconds()
    return {
        "waiting_since": held.waiting_since,
        "settled_at": held.settled_at,
        "outcome": held.outcome,
        "settled_by": held.settled_by,
        "folder": None if run.status.ended else folder(context.world, run, held),
        "duration": round(max(waited, 0.0), 2),
    }


def folder(world: World, run: Run, held: RunHold) -> str | None:
    """Return the path of a hold's space, `/u/<owner>/s/<space>`; None if it is gone."""
    found = world.items.at(held.space, None) if held.space is not None else None
    return f"/u/{run.origin_owner}/s/{found.item.name}" if found is not None else None


def hold_facts(world: World, run: Run) -> dict[str, object]:
    """Return the fields of a trigger's answer that describe the hold at which the run waits."""
    held = _open(world, run)
    if run.status is not Status.WAITING or held is None:
        return {}
    return {"hold": {"step": held.step, "phase": str(held.phase)}, "space": folder(world, run, held)}
