"""People behind runs: all people who could influence what a run reads, and so what it writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial

from chains.plan.model import ImageSource, MountedSpace, Plan
from chains.runs.records import Reasons, Run, RunHold
from handlers.services.world import World
from vfs.access import EVERYBODY, Caller
from vfs.ports.items import Item
from vfs.ports.leaves import text_at

WRITERS = "writers"
"""The file of a space or repo with the names of all users but its owner who ever changed it."""
SENT = "sent the input"
MOST = 50
"""People who are listed by name; beyond this number, EVERYBODY is listed."""
MOST_NAMED = 5
EARLIER = {EVERYBODY: "an earlier release recorded the run, and did not note who sent its input"}


def run_people(world: World, run: Run) -> Reasons:
    """Return all people but the job's owner who could influence what a run reads, with a reason each.

    If that is unknown, EVERYBODY is one of them.
    """
    # Read again: reads by its steps were recorded after the run began.
    now = world.code.runs.reader.by_key(run.key)
    behind = now.behind if now is not None else None
    found: list[Reasons] = [{run.by: "triggered the run"}, EARLIER if behind is None else behind]
    found += _plan_people(world, run.author, run.plan)
    for hold in world.code.runs.reader.holds(run.key):
        # Those of an answered hold are in `behind`; no step has read the files of an unanswered one.
        if hold.space is not None and world.items.at(hold.space, None) is not None:
            found.append(item_people(world, hold.space, f"the files at {_place(hold)}"))
    return _join(found, run.origin_owner)


def behind_run(world: World, run: int) -> Collection[str]:
    """Return the names of all people behind a run, by its number."""
    found = world.code.runs.reader.by_key(run)
    return run_people(world, found).keys() if found is not None else {EVERYBODY}


def with_people(world: World, caller: Caller) -> Caller:
    """Return the caller; for a run, with the people behind it, who count as writers of what it writes."""
    return caller if caller.run is None else replace(caller, behind=partial(behind_run, world, caller.run))


def job_people(world: World, job: Item, author: str | None, plan: Plan) -> Reasons:
    """Return all people but its owner who could influence what a job reads if it ran now."""
    found = _plan_people(world, author, plan)
    may = "may trigger the job and answer its holds" if plan.holds else "may trigger the job"
    found.append({one.user: may for one in world.grants.holders(job.id) if "x" in one.grant.letters})
    return _join(found, job.owner)


def input_people(run: Run) -> Reasons:
    """Return all people who sent the input of a run, for a run that repeats it."""
    behind = EARLIER if run.behind is None else run.behind
    senders = {name: reason for name, reason in behind.items() if reason == SENT or name == EVERYBODY}
    return {run.by: SENT, **senders}


def item_people(world: World, id: int, place: str) -> Reasons:
    """Return all people who could influence the contents of a space or repo; EVERYBODY if it is gone."""
    found = world.items.at(id, None)
    if found is None:
        return {EVERYBODY: f"{place} is gone, and with it who changed it"}
    changed = dict.fromkeys(noted_writers(world, id), f"has changed {place}")
    may = {one.user: f"may write {place}" for one in world.grants.holders(id) if "w" in one.grant.letters}
    return {found.item.owner: f"owns {place}", **changed, **may}


def noted_writers(world: World, item: int) -> Collection[str]:
    """Return the users but its owner who are recorded as writers of a space or repo."""
    return text_at(world.leaves, item, WRITERS).split()


def note_writers(world: World, item: Item, people: Iterable[str]) -> None:
    """Record people as writers, or possible writers, of a space or repo; permanently."""
    if not (others := {*people} - {item.owner}):
        return
    with world.atomic():
        world.items.hold(item)
        known = set(noted_writers(world, item.id))
        if others <= known or EVERYBODY in known:
            return
        names = known | others if len(known | others) <= MOST else {EVERYBODY}
        world.leaves.put(item.id, WRITERS, " ".join(sorted(names)), None)


def freeze_writers(world: World, item: Item, place: str) -> None:
    """Record all people who may write a space now as its writers."""
    note_writers(world, item, item_people(world, item.id, place))


def note_fetched(world: World, run: int, owner: str, reasons: Reasons) -> None:
    """Record the writers of what a run fetched as people behind the run."""
    if others := {name: reason for name, reason in reasons.items() if name != owner}:
        world.code.runs.states.add_behind(run, others)


def note_answer(world: World, run: Run, hold: RunHold, by: str) -> None:
    """Record who could change the files at a hold, and who answered it, as people behind the run.

    The space goes with the end of the run, and a later run may go on with what steps made of its files.
    """
    place = _place(hold)
    changed = {} if hold.space is None else item_people(world, hold.space, f"the files at {place}")
    note_fetched(world, run.key, run.origin_owner, {**changed, by: f"answered {place}"})


def _place(hold: RunHold) -> str:
    return f"the hold {hold.phase} {hold.step}"


def name_people(reasons: Reasons) -> str:
    """Return the names of people with their reasons, for a message."""
    names = [f"@{name} ({reason})" for name, reason in sorted(reasons.items()) if name != EVERYBODY]
    rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + rest


def image_people(world: World, item: int | None, commit: str | None, place: str) -> Reasons:
    """Return all people who could influence an image of a repo or the images it is built on."""
    if item is None:
        return {EVERYBODY: f"it is not known which repository {place} belonged to"}
    found, bases = [_repo_people(world, item, place)], world.code.builds.bases(item, commit)
    if bases is None:
        unknown = f"it is not known what the image of {place} is built on: post building to its status"
        return _join([*found, {EVERYBODY: unknown}])
    for base in sorted(bases):
        repo = world.items.at(base, None)
        named = f"@{repo.item.owner}/{repo.item.name}" if repo is not None else f"what {place} is built on"
        found.append(_repo_people(world, base, named))
    return _join(found)


def _repo_people(world: World, item: int, place: str) -> Reasons:
    pushers = dict.fromkeys(world.code.builds.pushers(item), f"has pushed to {place}")
    return {**pushers, **item_people(world, item, place)}


def _plan_people(world: World, author: str | None, plan: Plan | None) -> list[Reasons]:
    """Return all people who could influence what a plan does and reads: its chains, images and spaces."""
    if plan is None:
        return [{EVERYBODY: "an earlier release planned the run"}]
    found: list[Reasons] = [dict.fromkeys((author or "").split(), "wrote the chain")]
    for step in plan.composed:
        place = f"/u/{step.owner}/j/{step.job}"
        writers = dict.fromkeys((step.author or "").split(), f"wrote the chain of {place}")
        found.append({step.owner: f"owns {place}", **writers})
    found += (_source_people(world, source) for source in dict.fromkeys(step.source for step in plan.steps))
    for space in dict.fromkeys(_spaces(plan)):
        if space is None:
            found.append({EVERYBODY: "an earlier release planned the run"})
        else:
            found.append(item_people(world, space.space, f"/u/{space.owner}/s/{space.called}"))
    return found


def _source_people(world: World, source: ImageSource) -> Reasons:
    place = f"@{source.owner}/{source.repo}"
    return {source.owner: f"owns {place}", **image_people(world, source.item, source.commit, place)}


def _spaces(plan: Plan) -> Iterator[MountedSpace | None]:
    for mounts in (plan.mounts, *(composed.mounts for composed in plan.composed)):
        yield from (None,) if mounts is None else mounts


def _join(found: Iterable[Reasons], owner: str = "") -> dict[str, str]:
    """Merge the people, without the owner; add EVERYBODY if they are more than MOST."""
    joined: dict[str, str] = {}
    for reasons in found:
        joined = {**reasons, **joined}
    joined.pop(owner, None)
    if owner and len(joined) > MOST:
        joined[EVERYBODY] = f"{len(joined)} people could, more than the {MOST} that are recorded"
    return joined
