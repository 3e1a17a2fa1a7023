"""Inputs of runs that events start, and the words for these events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import NamedTuple

from chains.files.fsync import settle_all
from chains.files.kept_copies import copy_out
from chains.files.names import below
from chains.language.trigger_lines import TriggerKind, TriggerLine, folder_of, matches
from chains.runs.records import Reasons
from chains.schedules.trigger_events import TriggerEvent
from chains.spaces.space import ChangeKind, SpaceEntry
from handlers.services.references import References, Refusal
from handlers.services.run_people import BROUGHT, item_people
from handlers.services.runs.kept_inputs import StoredInput, bring_document, bring_input
from handlers.services.runs.trigger_lookup import subject_of
from handlers.services.world import World
from vfs.access import EVERYBODY
from vfs.errors import NotFound, TooLarge, storage_error
from vfs.ports.items import Item


class TriggerInput(NamedTuple):
    """An event that fits a line: what it happened to, in words, and a function that brings the input.

    `bring` raises NotFound if the files are gone, TooLarge, NoSpace and Unavailable.
    """

    line: TriggerLine
    words: str
    bring: Callable[[], StoredInput]


Lines = Sequence[tuple[TriggerLine, Item]]


def input_of(
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
    return _INPUTS[event.kind](world, job, fitting, event)


def _of_build(world: World, job: Item, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
    """Return the input for an image that became ready: its commit and labels."""
    build = world.code.builds.get(int(event.cause))
    for line, repo in lines if build is not None else ():
        assert build is not None
        if line.rest in ("", *build.labels):
            place = f"@{repo.owner}/{repo.name}"
            facts = {"repo": place, "commit": build.commit, "labels": build.labels, "by": build.by}
            pushers = dict.fromkeys(world.code.builds.pushers(repo.id), BROUGHT)
            behind = {**pushers, **item_people(world, repo.id, place)}
            return _with_facts(world, job, line, f"{line.target}:{build.labels[0]}", facts, behind)
    return None


def _of_run(world: World, job: Item, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
    """Return the input for a run of another job that ended: its id and status."""
    run = world.code.runs.reader.by_key(int(event.cause))
    for line, _ in lines if run is not None else ():
        assert run is not None
        if str(run.status) in line.rest.split("|"):
            facts = {"job": run.origin, "run": run.id, "status": str(run.status)}
            behind = {run.origin_owner: BROUGHT}
            return _with_facts(world, job, line, f"{line.target}/runs/{run.id}", facts, behind)
    return None


def _with_facts(
    world: World, job: Item, line: TriggerLine, words: str, facts: Mapping[str, object], behind: Reasons
) -> TriggerInput:
    text = json.dumps({"trigger": str(line), **facts}, ensure_ascii=False)

    def bring() -> StoredInput:
        return bring_document(world, job, text.encode())._replace(behind=_brought_by(behind))

    return TriggerInput(line, words, bring)


def _of_files(world: World, job: Item, lines: Lines, event: TriggerEvent) -> TriggerInput | None:
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

    def bring() -> StoredInput:
        entries = _entries(world, event.subject, paths)
        brought = bring_input(world, job, partial(_write, world, entries))
        return brought._replace(behind=_brought_by(item_people(world, event.subject, place)))

    return TriggerInput(line, f"{line.target}/{first}{more}", bring)


def _written(world: World, event: TriggerEvent) -> Iterator[str]:
    """Yield the paths of files that were written or moved, in this order; also those that are gone now."""
    spaces = world.code.spaces
    for first, last in event.changes:
        for change in spaces.changes(event.subject, first - 1, last - first + 1):
            if change.deed is ChangeKind.DELETE:
                continue
            if change.digest is not None:
                yield change.path
            elif change.deed is ChangeKind.MOVE:
                yield from (one.path for one in spaces.below(event.subject, change.path) if not one.folder)


def _entries(world: World, space: int, paths: dict[str, TriggerLine]) -> dict[str, SpaceEntry]:
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


def _brought_by(people: Reasons) -> Reasons:
    """Return the people as those who sent the input, so that they are behind a repetition, too."""
    return {name: reason if name == EVERYBODY else BROUGHT for name, reason in people.items()}


_INPUTS = {TriggerKind.PUSH: _of_build, TriggerKind.AFTER: _of_run, TriggerKind.CHANGED: _of_files}
