"""Spaces of holds: the files of a waiting run, and who may open them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from chains.files.names import below
from chains.files.results import media_type
from chains.files.run_folders import FoundFile
from chains.files.tallies import copy_out
from chains.plan.model import Hold
from chains.runs.ports import HoldSpaces
from chains.runs.records import INFO, Entry, Move, Run, RunHold
from chains.runs.states import CANCELED, Status
from handlers.services.run_notices import notify_waiting
from handlers.services.run_people import note_writers, run_people
from handlers.services.world import World
from vfs.access import EffectiveGrant, Grant, Holder
from vfs.errors import NotFound
from vfs.ports.clock import stamp
from vfs.ports.grants import Grants
from vfs.ports.items import Found, Item, ItemStore

PUBLIC = "public"
OPENED = "rw"


class HoldItems:
    """Wrapper of an ItemStore that opens the spaces of holds.

    A right to execute from a public share counts only for the caller who triggered the run (R-13, R-17).
    """

    def __init__(self, items: ItemStore, holds: HoldSpaces) -> None:
        self._items = items
        self._holds = holds

    def find(self, kind: str, owner: str, name: str, caller: str | None) -> Found | None:
        """See ItemStore.find."""
        return self._with_hold(self._items.find(kind, owner, name, caller), caller)

    def at(self, id: int, caller: str | None) -> Found | None:
        """See ItemStore.at."""
        return self._with_hold(self._items.at(id, caller), caller)

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """See ItemStore.all_at; more statements for a space of a hold."""
        opened = ((id, self._with_hold(one, caller)) for id, one in self._items.all_at(ids, caller).items())
        return {id: one for id, one in opened if one is not None}

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        """See ItemStore.all_named; more statements for a space of a hold."""
        named = self._items.all_named(kind, names, shortnames, caller)
        return [one for one in (self._with_hold(one, caller) for one in named) if one is not None]

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """See ItemStore.by_shortname."""
        return self._with_hold(self._items.by_shortname(shortname, caller), caller)

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """See ItemStore.visible; one statement more when a run waits at a hold."""
        found = self._items.visible(kind, owner, caller)
        if kind != "space" or caller is None or caller == owner:
            return found
        opened = {space.item.id: space for space in self._hold_spaces(owner, caller)}
        if not opened:
            return found
        named = {space.item.id: space for space in found} | opened
        return sorted(named.values(), key=lambda space: (space.item.owner, space.item.name))

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        return self._items.stamps_of(kind, owner)

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        return self._items.near(kind, owner, name, most)

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        return self._items.through(kind, groups, caller)

    def create(self, kind: str, owner: str, name: str) -> Item:
        return self._items.create(kind, owner, name)

    def rename(self, item: Item, name: str) -> Item:
        return self._items.rename(item, name)

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        return self._items.copy(item, owner, name, rels)

    def discard(self, item: Item) -> None:
        self._items.discard(item)

    def remove(self, item: Item) -> None:
        self._items.remove(item)

    def touch(self, item: Item) -> bool:
        return self._items.touch(item)

    def hold(self, item: Item) -> bool:
        return self._items.hold(item)

    def _hold_spaces(self, owner: str | None, caller: str) -> Iterator[Found]:
        """Yield the spaces of holds of other owners' jobs that the caller may open."""
        if not (waiting := self._holds.open_spaces(owner)):
            return
        jobs = {job.item.id: job for job in self._items.visible("job", owner, caller)}
        for hold in waiting:
            job = jobs.get(hold.job)
            if job is None or job.item.owner == caller or not _opens(job, hold.by, caller):
                continue
            if space := self._items.at(hold.space, caller):
                yield _open(space, caller)

    def _with_hold(self, found: Found | None, caller: str | None) -> Found | None:
        # All names that the service gives to such spaces contain a "-".
        if found is None or caller is None or found.item.kind != "space" or "-" not in found.item.name:
            return found
        run = self._holds.run_of(found.item.id) if found.item.owner != caller else None
        job = self._items.at(run.job, caller) if run is not None else None
        if run is None or job is None:
            return found
        return _open(found, caller) if _opens(job, run.by, caller) else found


class HoldGrants:
    """Wrapper of Grants that adds the users who may open a space of a hold by the shares of the job."""

    def __init__(self, grants: Grants, items: ItemStore, holds: HoldSpaces) -> None:
        self._grants = grants
        self._items = items
        self._holds = holds

    def holders(self, item: int) -> Sequence[Holder]:
        """See Grants.holders."""
        found, run = self._grants.holders(item), self._holds.run_of(item)
        if run is None:
            return found
        return sorted((*found, *self._executors(run)), key=lambda holder: holder.user)

    def grant_counts(self, item: int, most: int) -> Mapping[str, int]:
        """See Grants.grant_counts."""
        found, run = self._grants.grant_counts(item, most), self._holds.run_of(item)
        if run is None:
            return found
        more = Counter(
            f"@{holder.user}" if holder.grant.target == PUBLIC else holder.grant.target
            for holder in self._executors(run)
        )
        counts = {target: min(found.get(target, 0) + more[target], most) for target in {**found, **more}}
        order = sorted(counts, key=lambda target: (target != PUBLIC, "~" in target, target))
        return {target: counts[target] for target in order[:most]}

    def on(self, item: int) -> Sequence[Grant]:
        return self._grants.on(item)

    def give(self, item: int, grant: Grant) -> bool:
        return self._grants.give(item, grant)

    def take(self, item: int, target: str) -> bool:
        return self._grants.take(item, target)

    def kinds(self, group: str) -> frozenset[str]:
        return self._grants.kinds(group)

    def targets(self, items: Sequence[int], letter: str = "") -> Mapping[int, Sequence[str]]:
        return self._grants.targets(items, letter)

    def _executors(self, run: Run) -> Iterator[Holder]:
        for holder in self._grants.holders(run.job):
            if "x" in holder.grant.letters:
                yield replace(holder, grant=replace(holder.grant, letters=OPENED))
        job = self._items.at(run.job, run.by)
        if job is None or job.item.owner == run.by:
            return
        if any(
            effective_grant.target == PUBLIC and "x" in effective_grant.letters
            for effective_grant in job.effective_grants
        ):
            for grant in self._grants.on(run.job):
                if grant.target == PUBLIC:
                    yield Holder(run.by, replace(grant, letters=OPENED))


def _opens(job: Found, by: str, caller: str) -> bool:
    """Return whether the caller may execute a job; a public share counts only for the caller's own runs."""
    grants = (effective_grant for effective_grant in job.effective_grants if "x" in effective_grant.letters)
    return any(effective_grant.target != PUBLIC or by == caller for effective_grant in grants)


def _open(space: Found, caller: str) -> Found:
    return Found(space.item, (*space.effective_grants, EffectiveGrant(f"@{caller}", OPENED)))


LONGEST = 200
DIGITS = 12
TITLE = "name"


def space_name(job: str, run: str, hold: Hold) -> str:
    """Return the name of the space of a hold: `<job>-<run>-<step>-<phase>`, at most 200 bytes (R-17)."""
    name = f"{job}-{run}-{hold.step}-{hold.phase}"
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - DIGITS - 1]}-{sha256(name.encode()).hexdigest()[:DIGITS]}"


@dataclass(frozen=True, slots=True)
class SpaceHoldFiles:
    """Stores files in spaces of the job's owner (chains.spaces.space.HoldFiles)."""

    world: World

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """See HoldFiles.keep."""
        world = self.world
        files = list(files)
        contents = ((file.pieces(), media_type(file.path.name)) for file in files)
        refs = world.blobs.add_all(contents, run.job)
        kept = {file.rel: ref for file, ref in zip(files, refs, strict=True)}
        name = space_name(run.origin.rpartition("/")[2], run.id, hold)
        with world.atomic():
            item = world.items.create("space", run.origin_owner, name)
            world.leaves.put(item.id, TITLE, self._title(run, hold), None)
            world.code.spaces.fill(item.id, kept)
            note_writers(world, item, run_people(world, run))
            # Recording locks the run's row, so a cancel happens before it or finds the run waiting.
            world.code.runs.states.record(run.key, moves, lines)
            last = [(stamp(world.clock.now()), INFO, self._line(run, hold))]
            status = world.code.runs.states.hold(run.key, hold.step, hold.phase, item.id, (), last)
            if status is not Status.WAITING:
                world.items.remove(item)
            else:
                notify_waiting(world, run, hold)
        return status

    def fetch(self, hold: RunHold, target: Path) -> None:
        """See HoldFiles.fetch."""
        if hold.frozen is None:
            raise NotFound(f"the space of the hold {hold.phase} {hold.step} was gone when it was answered")
        for entry in self.world.code.spaces.below(hold.frozen, ""):
            place = below(target, entry.path)
            if entry.blob is None:
                place.mkdir(parents=True, exist_ok=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            copy_out(self.world.blobs, entry.blob, place, entry.path)

    def _title(self, run: Run, hold: Hold) -> str:
        """Return the title of the space for lists; its name is for paths."""
        job = self.world.leaves.texts_of([run.job], (TITLE,)).get(run.job, {}).get(TITLE, "").strip()
        return f"Files {hold.phase} {hold.step} of {job or run.origin.rpartition('/')[2]}"[:LONGEST]

    def _line(self, run: Run, hold: Hold) -> str:
        now = self.world.code.runs.reader.by_key(run.key)
        if now is not None and now.status is Status.CANCELING:
            return CANCELED
        return f"The run waits {hold.phase} {hold.step} for an answer to its hold."
