"""Notices of how runs ended, and the pause of a job whose scheduled runs keep failing."""

from __future__ import annotations

from collections.abc import Iterator

from chains.runs.records import Run, RunEnd
from chains.runs.states import Status
from handlers.services.access import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.ports.world import stamp

IN_A_ROW = 10
LEVELS = "notifications"
DEFAULT = "info"
MAILED = "important"
IGNORED = "ignore"
PAUSED = (
    "The job is paused, as ten scheduled runs in a row failed: config/enabled is false now. "
    "Write true to it when the job is mended."
)


def notify_ended(world: World, end: RunEnd) -> None:
    """Tell of the end of a run; the tenth scheduled failure in a row pauses the job (decisions 27).

    Belongs into the transaction that ends the run.
    """
    if end.status is Status.FAILED:
        _tell(world, end.job, end.id, "failed", f"The run {end.id} of {{job}} failed.")
        if end.trigger == "schedule":
            _pause(world, end)
    elif end.status is Status.SUCCESS:
        said = f"The run {end.id} of {{job}} ended well."
        _tell(world, end.job, end.id, "success", said, only=MAILED)


def notify_rejected(world: World, run: Run) -> None:
    """Tell that a run which nobody waits for was rejected."""
    said = f"The run {run.id} of {{job}} was rejected; its log says why."
    _tell(world, run.job, run.id, "rejected", said)


def _pause(world: World, end: RunEnd) -> None:
    failures = world.code.runs.reader.failures(end.job)
    if failures == 0 or failures % IN_A_ROW:
        return
    enabled = world.leaves.get(end.job, "config/enabled")
    if enabled is not None and enabled.text == "false":
        return
    world.code.schedules.set(end.job, "", False)
    world.leaves.put(end.job, "config/enabled", "false", None)
    world.code.runs.states.record(end.key, lines=[(stamp(world.clock.now()), "warning", PAUSED)])
    _tell(world, end.job, None, "paused", f"{{job}}: {PAUSED}")


def _tell(world: World, job: int, run: str | None, kind: str, said: str, only: str | None = None) -> None:
    """Add a notice for everybody who wants one of this kind and may read the job; `only` those of a level."""
    levels = dict(_levels(world, job))
    if only is not None and only not in levels.values():
        return
    found = world.items.at(job, None)
    if found is None:
        return
    item = found.item
    levels.setdefault(item.owner, DEFAULT)
    path = f"/v1/users/{item.owner}/code/jobs/{item.name}"
    text = said.format(job=f"/u/{item.owner}/j/{item.name}")
    for user, level in levels.items():
        if level != IGNORED and only in (None, level) and Access.READ in person_access(world, item, user):
            about = path if run is None else f"{path}/runs/{run}"
            world.social.notices.add(user, kind, about, text, level=level, mail=level == MAILED, source=path)


def _levels(world: World, job: int) -> Iterator[tuple[str, str]]:
    """The users who chose a level, with it."""
    for leaf in world.leaves.texts(job, LEVELS):
        yield leaf.rel.removeprefix(f"{LEVELS}/@"), leaf.text or DEFAULT
