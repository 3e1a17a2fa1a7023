"""Results of runs: outputs that are written where config/results of the job says, by calls of the kernel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.files.results import media_type, open_regular
from chains.language.result_lines import parse_results
from chains.runs.records import Run
from chains.runs.states import Status
from handlers.rules.result_targets import ResultPlace, result_places
from handlers.services.references import References
from handlers.services.run_notices import notify_unwritten
from handlers.services.runs.run_ends import WROTE_NO_RESULTS, WROTE_RESULTS, results_ended
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.body import NoBody
from vfs.call import Call
from vfs.errors import Denied, Invalid, NotFound, TooLarge, VfsError
from vfs.nodes import MIB
from vfs.place import Place
from vfs.ports.blobs import chunks
from vfs.ports.items import Item
from vfs.serve import admit, serve
from vfs.tree import Tree

LARGEST = 32 * MIB
"""Bytes of all results of one run: they are written in one transaction, for which others wait."""
RESULTS = "config/results"
MOST_NAMED = 5


class _Canceled(Exception):
    """Raised where a run is canceled meanwhile, so that nothing of it is written."""


@dataclass(frozen=True, slots=True)
class ResultWriter:
    """Writes outputs of runs (chains.runner.ports.ResultPlaces), as those would who are behind the run."""

    tree: Tree
    world: World

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """As ResultPlaces.write."""
        found = self.world.items.at(run.job, None)
        leaf = self.world.leaves.get(run.job, RESULTS) if found is not None else None
        if found is None or leaf is None or not leaf.text:
            return
        places = result_places(self.world.service.kinds, found.item.owner, leaf.text)
        _require(places, files)
        writer, others = self._people(run, found.item, leaf.author, places)
        with suppress(_Canceled), self.world.atomic():
            note([self._write_one(place, files[place.line.output], writer, others) for place in places])
            # Nobody else changes the run until the transaction has ended.
            now = self.world.code.runs.reader.by_key(run.key)
            if now is None or now.status is not Status.PROCESSING:
                raise _Canceled
            results_ended(self.world, run, WROTE_RESULTS)

    def tell(self, run: Run) -> None:
        """As ResultPlaces.tell."""
        with self.world.atomic():
            notify_unwritten(self.world, run)
            results_ended(self.world, run, WROTE_NO_RESULTS)

    def _people(
        self, run: Run, job: Item, author: str | None, places: Sequence[ResultPlace]
    ) -> tuple[str, frozenset[str]]:
        """The person as whom results are written, and all who have to be allowed to.

        What is written to a document names other things, which are shown with the rights of its owner and of
        its last writer. So whoever had a say in such a text counts. Raises Denied.
        """
        assert run.plan is not None
        behind = {author, run.author, *(composed.author for composed in run.plan.composed)}
        if any(place.reads_others for place in places):
            self._require_own_images(run, job)
            behind.add(run.by)
        others = sorted(behind - {None, job.owner}, key=str)
        if len(others) > 1:
            named = " and ".join(f"@{one}" for one in others)
            raise Denied(
                f"{named} are both behind what the run would write, and a text has one last writer: let one "
                "of them, or the owner of the job, write its chain and config/results, and trigger it"
            )
        people = frozenset({job.owner, *(str(one) for one in others)})
        for person in sorted(people):
            user = self.world.people.users.find(person)
            if user is None or user.locked:
                raise Denied(f"the account of @{person}, who is behind the job, is locked or gone")
        return str(others[0]) if others else job.owner, people

    def _require_own_images(self, run: Run, job: Item) -> None:
        """Raise Denied where somebody else decides what a text that is read with the owner's rights says."""
        assert run.plan is not None
        references = References(self.world)
        for source in dict.fromkeys(step.source for step in run.plan.steps):
            found = self.world.items.find("repo", source.owner, source.repo, job.owner)
            foreign = source.owner != job.owner or found is None
            if foreign or (found is not None and references.writer(found.item) is not None):
                raise Denied(
                    f"others can push to @{source.owner}/{source.repo}, and what a document names is shown "
                    "with the rights of its owner: use a repo that only the owner of the job can write"
                )

    def _write_one(self, place: ResultPlace, file: Path, writer: str, people: frozenset[str]) -> str:
        """Write an output; the line that tells of it. Raises VfsError that says which one it was."""
        line = place.line
        try:
            for person in sorted(people - {writer}):
                self._ask(place, person)
            body = ResultBody(file, line.output, is_text=not place.keeps_bytes)
            serve(self.tree, Call(Verb.WRITE, place.path, Caller(writer), self.world, body))
        except VfsError as refusal:
            raise _with_name(refusal, str(line)) from None
        return f"{line.output} was written to {place.line.target} ({body.size:,} bytes)."

    def _ask(self, place: ResultPlace, person: str) -> None:
        """Ask whether somebody might write there, in whose name nothing is written. Raises VfsError."""
        try:
            admit(self.tree, Call(Verb.WRITE, place.path, Caller(person), self.world))
        except VfsError as refusal:
            raise _with_name(refusal, f"for @{person}") from None


class ResultBody(NoBody):
    """The bytes of an output as the body of a call."""

    def __init__(self, file: Path, name: str, *, is_text: bool) -> None:
        self._file = file
        self.size = os.stat(file, follow_symlinks=False).st_size
        self.media = "text/plain" if is_text else media_type(name)

    def empty(self) -> bool:
        return self.size == 0

    def chunks(self, largest: int) -> Iterator[bytes]:
        if self.size > largest:
            raise TooLarge(f"it has {self.size:,} bytes, and {largest:,} fit there")
        with open_regular(self._file) as stream:
            yield from chunks(stream)

    def text(self, largest: int) -> str:
        try:
            text = b"".join(self.chunks(largest)).decode()
        except UnicodeDecodeError as wrong:
            raise Invalid(f"it is no text of UTF-8 (byte {wrong.start}): have the step write UTF-8") from None
        if "\0" in text:
            raise Invalid("it holds a NUL character: only text can be stored there")
        return text


def _with_name(refusal: VfsError, name: str) -> VfsError:
    refusal.detail = f"{name}: {refusal.detail}"
    return refusal


def _require(places: Sequence[ResultPlace], files: Mapping[str, Path]) -> None:
    """Raise NotFound for outputs that are not there, TooLarge for more than are written at once."""
    missing = [str(place.line) for place in places if place.line.output not in files]
    if missing:
        left = ", ".join(sorted(files)[:MOST_NAMED]) or "nothing"
        more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
        raise NotFound(f"the run left no file for {'; '.join(missing[:MOST_NAMED])}: it left {left}{more}")
    size = sum(os.stat(files[place.line.output], follow_symlinks=False).st_size for place in places)
    if size > LARGEST:
        raise TooLarge(
            f"the results have {size:,} bytes, and {LARGEST:,} may be written at once: "
            "let a step write large files to a space that it mounts"
        )


def results_text(sent: str) -> str:
    """The text of config/results, kept to the byte, once it parses. Raises Mistake with line and column."""
    parse_results(sent)
    return sent


def accept_results(place: Place[World], sent: str) -> str:
    """The text of config/results once its targets may be named. Raises Mistake with line and column."""
    result_places(place.world.service.kinds, place.here.owner, sent)
    return sent


def remark_on_results(place: Place[World], sent: str) -> str:
    """A warning for each target that whoever writes the text could not write to now."""
    if place.also is None:
        return ""
    told = []
    for target in result_places(place.world.service.kinds, place.here.owner, sent):
        try:
            place.also.find(Verb.WRITE, target.path)
        except VfsError as refusal:
            told.append(f"warning: {target.line}: {refusal.detail}\n")
    return "".join(told)
