"""Notices about the end of runs, waiting holds, and paused jobs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from chains.plan.model import Hold
from chains.runs.records import Run, RunEnd
from chains.runs.states import Status
from handlers.services.posting import Message, post, post_to_readers
from handlers.services.rights import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject

WAITING = "waiting"
MOST_NOTIFIED = 100
"""People who are notified of one hold, at most: its job may be shared with thousands."""


def notify_ended(world: World, end: RunEnd) -> None:
    """Notify of the end of a run. Call it in the transaction that ends it."""
    if end.status is Status.FAILED:
        _notify(world, end.job, end.id, "failed", f"The run {end.id} of {{page}} failed.")
    elif end.status is Status.SUCCESS:
        said = f"The run {end.id} of {{page}} ended well."
        _notify(world, end.job, end.id, "success", said)


def notify_paused(world: World, job: int, said: str) -> None:
    """Notify that a job was paused. Call it in the transaction that pauses it."""
    _notify(world, job, None, "paused", f"{{page}}: {said}")


def notify_unwritten(world: World, run: Run) -> None:
    """Notify that a run succeeded but config/results could not write its results."""
    said = f"The run {run.id} of {{page}} ended well, and its results could not be written; its log says why."
    _notify(world, run.job, run.id, "unwritten", said)


def notify_rejected(world: World, run: Run) -> None:
    """Notify that a run was rejected which no caller waits for."""
    said = f"The run {run.id} of {{page}} was rejected; its log says why."
    _notify(world, run.job, run.id, "rejected", said)


def notify_unfired(world: World, job: int, trigger: str, why: str) -> None:
    """Notify that an event could not start a run, which nobody waits for."""
    _notify(world, job, None, "rejected", f"{{page}} was not started by {trigger}: {why}.")


def notify_waiting(world: World, run: Run, hold: Hold) -> None:
    """Notify the people who may answer that a run waits at a hold; an inbox keeps the newest 50 of a job.

    Call it in the transaction that makes it wait.
    """
    found = world.items.at(run.job, None)
    if found is None:
        return
    item = found.item
    said = f"The run {run.id} of {{page}} waits {hold.phase} {hold.step} for an answer."
    users = islice(_who_may_answer(world, item, run.by), MOST_NOTIFIED)
    post(world, Message(WAITING, NoticeSubject(item.id), said, f"holds of {item.id}", _below(run.id)), *users)


def withdraw_waiting(world: World, job: int, run: str = "") -> None:
    """Remove the notices of a run that waited, or of all the runs of a job."""
    world.social.notices.withdraw(job, WAITING, _below(run) if run else None)


def _who_may_answer(world: World, item: Item, by: str) -> Iterator[str]:
    """Yield people who may answer holds of a job: its owner, the run's trigger, then others by name."""
    first = [item.owner]
    if by != item.owner and Access.EXECUTE in person_access(world, item, by):
        first.append(by)
    yield from first
    known = set(first)
    for holder in world.grants.holders(item.id):
        if "x" in holder.grant.letters and holder.user not in known:
            known.add(holder.user)
            yield holder.user


def _below(run: str) -> str:
    """Return the path of a run below its job."""
    return f"runs/{run}"


def _notify(world: World, job: int, run: str | None, kind: str, said: str) -> None:
    """Notify all users who want this kind of notice for the job and may read it."""
    below = _below(run) if run is not None else ""
    post_to_readers(world, Message(kind, NoticeSubject(job), said, f"runs of {job}", below))
