"""Triggers: an event that fits a line of config/triggers orders a run, once; too many pause the job.

What a line names is looked up with the rights of the people behind the job. What happened to it becomes the
input of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import NamedTuple

from chains.files.fsync import settle_all
from chains.files.names import below
from chains.files.tallies import copy_out
from chains.language.mistake import Mistake
from chains.language.trigger_lines import TriggerKind, TriggerLine, folder_of, matches, parse_triggers
from chains.runs.records import Reasons
from chains.schedules.timetable import TriggerEvent
from chains.spaces.space import ChangeKind, SpaceEntry
from handlers.services.due_dispatch import MOST_TRIES, DueDispatch
from handlers.services.references import References, Refusal
from handlers.services.rights import absence_of, place_of, refusal_of
from handlers.services.run_notices import notify_rejected, notify_unfired
from handlers.services.run_people import SENT, item_people
from handlers.services.runs.kept_inputs import StoredInput, bring_document, bring_input, discard, discarding
from handlers.services.runs.run_ends import ENABLED, is_paused, pause
from handlers.services.runs.run_trigger import NoChain, Overlapping, RunRequest, note_skipped, order
from handlers.services.world import World
from vfs.access import EVERYBODY, people_in_turn
from vfs.errors import NotFound, QuotaReached, TooLarge, storage_error
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf
from vfs.ports.people import Limit
from vfs.ports.quotas import QuotaName

TRIGGERS = "config/triggers"
KINDS = {TriggerKind.PUSH: "repo", TriggerKind.CHANGED: "space", TriggerKind.AFTER: "job"}
NEEDS = "r"
"""Triggers by an item need the right to read it."""
HOUR = 3600


class TriggerDispatch(DueDispatch[TriggerEvent]):
    """Handles events of items that config/triggers of jobs name."""

    name = "triggers of jobs"

    def __init__(self, world: World) -> None:
        super().__init__(world, world.code.triggers)

    def handle(self, entry: TriggerEvent) -> None:
        """Order the run of an event; without room for one more run, a later attempt does it."""
        fire_event(self._world, entry, is_last=entry.tries >= MOST_TRIES)

    def give_up(self, entry: TriggerEvent, reason: str) -> None:
        """Settle an event that could not be handled, and notify."""
        with self._world.atomic():
            if self._world.code.triggers.settle(entry):
                words = f"a {entry.kind} of {entry.happened_on}"
                notify_unfired(self._world, entry.job, words, reason)


def fire_event(world: World, event: TriggerEvent, *, is_last: bool) -> None:
    """Order the run that an event starts and settle the event, both or neither.

    Raises QuotaReached unless this attempt `is_last`, NoSpace and Unavailable; then the event is still due.
    """
    references, triggers = References(world), world.code.triggers
    found = world.items.at(event.job, None)
    leaf = references.config(found.item).get(TRIGGERS) if found is not None else None
    fitting = _fitting(world, references, found.item, leaf, event) if found is not None and leaf else None
    if found is None or fitting is None:
        # Nothing is noted: the event stays hidden from people who may not read its item.
        triggers.settle(event)
        return
    job = found.item
    if not is_last and not _has_room(world, job, event):
        return
    try:
        stored = _store(world, job, event, fitting)
    except (NotFound, TooLarge) as error:
        with world.atomic():
            if triggers.settle(event, str(fitting.line), note=error.detail):
                notify_unfired(world, job.id, str(fitting.line), error.detail)
        return
    with suppress(_Settled), discarding(world, stored):
        with world.atomic():
            is_used = _order(world, job, event, fitting, stored, is_last=is_last)
        if not is_used:
            discard(world, stored)


def _order(
    world: World,
    job: Item,
    event: TriggerEvent,
    fitting: TriggerInput,
    stored: StoredInput,
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
        made = order(world, job, ask, stored, is_awaited=not is_last)
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
        "Write true to it when this is fixed."
    )
    pause(world, job.id, said)


class TriggerInput(NamedTuple):
    """An event that fits a line: what it happened to, in words, and what becomes the input.

    That is a document of facts, with the people `behind` it, or the files at `paths` of the space `place`.
    """

    line: TriggerLine
    words: str
    document: str = ""
    behind: Reasons = MappingProxyType({})
    paths: Mapping[str, TriggerLine] = MappingProxyType({})
    place: str = ""


Lines = Sequence[tuple[TriggerLine, Item]]


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
    return _input_of(world, references, job, lines, leaf.author, event)


def _input_of(
    world: World, references: References, job: Item, lines: Sequence[TriggerLine], author: str | None,
    event: TriggerEvent,
) -> TriggerInput | None:  # fmt: skip
    """Return the input of the first line that an event fits; of files, all that fit any line.

    None if there is no such line, or if the people behind the job may not read what it happened to.
    """
    fitting = []
    for line in lines:
        if line.kind is event.kind:
            try:
                subject = subject_of(references, job, author, line)
            except Refusal:
                continue
            if subject.id == event.subject:
                fitting.append((line, subject))
    if not fitting:
        return None
    return _INPUTS[event.kind](world, fitting, event)


def _of_build(world: World, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
    """Return the input for an image that became ready: its commit and labels."""
    build = world.code.builds.get(int(event.cause))
    for line, repo in lines if build is not None else ():
        assert build is not None
        if line.rest in ("", *build.labels):
            place = f"@{repo.owner}/{repo.name}"
            facts = {"repo": place, "commit": build.commit, "labels": build.labels, "by": build.by}
            pushers = dict.fromkeys(world.code.builds.pushers(repo.id), SENT)
            behind = {**pushers, **item_people(world, repo.id, place)}
            return _with_facts(line, f"{line.target}:{build.labels[0]}", facts, behind)
    return None


def _of_run(world: World, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
    """Return the input for a run of another job that ended: its id and status."""
    run = world.code.runs.reader.by_key(int(event.cause))
    for line, _ in lines if run is not None else ():
        assert run is not None
        if str(run.status) in line.rest.split("|"):
            facts = {"job": run.origin, "run": run.id, "status": str(run.status)}
            behind = {run.origin_owner: SENT}
            return _with_facts(line, f"{line.target}/runs/{run.id}", facts, behind)
    return None


def _with_facts(line: TriggerLine, words: str, facts: Mapping[str, object], behind: Reasons) -> TriggerInput:
    text = json.dumps({"trigger": str(line), **facts}, ensure_ascii=False)
    return TriggerInput(line, words, text, behind)


def _of_files(world: World, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
    """Return the input for files that were written: those that fit, as they are now."""
    paths: dict[str, TriggerLine] = {}
    for path in _written(world, event):
        fitting = (line for line, _ in lines if matches(line.rest, path))
        if (line := next(fitting, None)) is not None:
            paths[path] = line
    if not paths:
        return None
    first, line = next(iter(paths.items()))
    place = f"/u/{lines[0][1].owner}/s/{lines[0][1].name}"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return TriggerInput(line, f"{line.target}/{first}{more}", paths=paths, place=place)


def _store(world: World, job: Item, event: TriggerEvent, found: TriggerInput) -> StoredInput:
    """Return the stored input of an event.

    The people behind it count as those who sent the input, so that they are behind a repetition, too. Raises
    NotFound if its files are gone, TooLarge, NoSpace and Unavailable.
    """
    if found.paths:
        entries = _entries(world, event.subject, found.paths)
        stored = bring_input(world, job, partial(_write, world, entries))
        # Only now, as others may have written to the files before they were copied.
        people = item_people(world, event.subject, found.place)
    else:
        stored, people = bring_document(world, job, found.document.encode()), found.behind
    behind = {name: reason if name == EVERYBODY else SENT for name, reason in people.items()}
    return stored._replace(behind=behind)


def _written(world: World, event: TriggerEvent) -> Iterator[str]:
    """Yield the paths of files that were written or moved, in this order; also those that are gone now."""
    spaces = world.code.spaces
    for first, last in event.changes:
        for change in spaces.changes(event.subject, first - 1, last - first + 1):
            if change.kind is ChangeKind.DELETE:
                continue
            if change.digest is not None:
                yield change.path
            elif change.kind is ChangeKind.MOVE:
                yield from (one.path for one in spaces.below(event.subject, change.path) if not one.folder)


def _entries(world: World, space: int, paths: Mapping[str, TriggerLine]) -> dict[str, SpaceEntry]:
    """Return the files that are there, by their places in the input. Raises NotFound and TooLarge."""
    settings = world.service.settings
    if len(paths) > settings.input_parts:
        raise TooLarge(f"{len(paths):,} files were written, and a trigger brings {settings.input_parts:,}")
    found = ((path, world.code.spaces.get(space, path)) for path in paths)
    entries = {path: entry for path, entry in found if entry is not None and not entry.folder}
    if not entries:
        raise NotFound("what was written was removed before the run began")
    size = sum(entry.blob.size for entry in entries.values() if entry.blob is not None)
    if size > settings.input_limit:
        raise TooLarge(f"{size:,} bytes were written, and a trigger brings {settings.input_limit:,}")
    short = {path[len(f"{folder_of(paths[path].rest)}/".lstrip("/")) :]: path for path in entries}
    folders = {str(folder) for place in short for folder in PurePath(place).parents}
    # Where lines begin in different folders, two files may meet: then all keep their folders.
    if len(short) < len(entries) or not folders.isdisjoint(short):
        return entries
    return {place: entries[path] for place, path in short.items()}


def _write(world: World, entries: dict[str, SpaceEntry], folder: Path) -> None:
    try:
        for rel, entry in entries.items():
            assert entry.blob is not None
            place = below(folder, rel)
            place.parent.mkdir(parents=True, exist_ok=True)
            copy_out(world.blobs, entry.blob, place, entry.path)
        settle_all(folder, folder.rglob("*"))
    except OSError as error:
        raise storage_error(error, "the input") from error


def subject_of(references: References, job: Item, author: str | None, line: TriggerLine) -> Item:
    """Return the item that a line names.

    Raises Refusal unless the job's owner and the last writer of the line may read it. What is absent and what
    is invisible have the same words.
    """
    kind, owner, subject = KINDS[line.kind], line.owner or job.owner, job
    for person in people_in_turn(job.owner, author):
        found = references.find(kind, owner, line.name, person)
        if found is None and owner == job.owner:
            raise Refusal(absence_of(kind, owner, line.name))
        if found is None or not references.allows(person, found, NEEDS):
            raise Refusal(refusal_of(person, place_of(kind, owner, line.name), NEEDS))
        subject = found.item
    return subject


_INPUTS = {TriggerKind.PUSH: _of_build, TriggerKind.AFTER: _of_run, TriggerKind.CHANGED: _of_files}
