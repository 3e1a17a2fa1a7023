"""Results of runs: the files that config/results of the job names, written by calls to the tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chains.files.results import media_type, open_regular
from chains.language.mistake import Mistake
from chains.language.result_lines import ResultFault, ResultLine, parse_results
from chains.runs.records import Reasons, Run
from chains.runs.states import Status
from handlers.rules.addresses import API as ROOT
from handlers.rules.kinds import Kinds, ResourceKind
from handlers.services.references import References
from handlers.services.run_notices import notify_unwritten
from handlers.services.run_people import job_people, name_people, run_people
from handlers.services.runs.run_ends import WROTE_NO_RESULTS, WROTE_RESULTS, results_ended
from handlers.services.runs.run_trigger import API, RunRequest, order_of
from handlers.services.snapshots import today_of
from handlers.services.world import World
from vfs.access import EVERYBODY, Caller, Verb, people_behind
from vfs.body import NoBody
from vfs.call import Call
from vfs.context import Context
from vfs.errors import Denied, Invalid, NotFound, TooLarge, VfsError
from vfs.nodes import MIB
from vfs.path import Path as TreePath
from vfs.ports.blobs import chunks
from vfs.ports.items import Item
from vfs.serve import admit, serve
from vfs.tree import Tree

VARIABLE, STATUS = "v", "status"


class ResultPlace(NamedTuple):
    """The file to which an output is written.

    `keeps_bytes`: a file of a space, which accepts any bytes. `reads_others`: items that it names are read
    with the rights of its owner and its last writer. `sent_by` is the file that sends the item, if the line
    asks for that.
    """

    line: ResultLine
    path: TreePath
    keeps_bytes: bool = False
    reads_others: bool = False
    sent_by: TreePath | None = None


def result_places(kinds: Kinds, owner: str, text: str) -> Sequence[ResultPlace]:
    """Return the targets that a text of an owner's job names. Raises Mistake."""
    places: list[ResultPlace] = []
    for line in parse_results(text):
        context = _place_of(kinds, owner, text, line)
        if any(context.path == other.path for other in places):
            raise _mistake(ResultFault.TWICE, f"an earlier line writes to {line.target} already", text, line)
        places.append(context)
    return places


def _place_of(kinds: Kinds, owner: str, text: str, line: ResultLine) -> ResultPlace:
    target = line.target
    if target.owner not in (None, owner):
        reason = f"results go to what @{owner} owns, as the job is theirs: {target} is @{target.owner}'s"
        raise _mistake(ResultFault.WRONG_OWNER, reason, text, line)
    kind = next((one for one in kinds.values() if one.letter == target.letter), None)
    if kind is None:
        raise _mistake(ResultFault.BAD_TARGET, f"nothing has the letter {target.letter}", text, line)
    item = ROOT / ("users", owner, kind.family, kind.folder, target.name)
    if line.sends and (target.rest or not kind.recipients):
        reason = f'only mails and documents are sent: write "{target}" without ", send", or name /m/<mail>'
        raise _mistake(ResultFault.BAD_TARGET, reason, text, line)
    if line.snapshot is not None and kind.snapshots is None:
        reason = f'only documents and grids have snapshots: write "{target}" without ", snapshot"'
        raise _mistake(ResultFault.BAD_TARGET, reason, text, line)
    if kind.fed.endswith("/"):
        inside = target.rest or (line.output.rsplit("/", 1)[-1],)
        return ResultPlace(line, item / (*kind.fed.strip("/").split("/"), *inside), keeps_bytes=True)
    if len(target.rest) == 2 and target.rest[0] == VARIABLE:
        return ResultPlace(line, item / ("vars", target.rest[1], "value"))
    if target.rest or not kind.fed:
        raise _mistake(ResultFault.BAD_TARGET, _refusal(kind, target.name), text, line)
    return ResultPlace(
        line,
        item / kind.fed.split("/"),
        reads_others=kind.fed in kind.refers_in,
        sent_by=item / (STATUS,) if line.sends else None,
    )


def _refusal(kind: ResourceKind, name: str) -> str:
    variable = f"a variable of it, /{kind.letter}/{name}/{VARIABLE}/<variable>"
    if not kind.fed:
        return f"a {kind.noun} takes no result: name {variable}"
    return f"a {kind.noun} takes a result as /{kind.letter}/{name}, or as {variable}"


def _mistake(fault: ResultFault, reason: str, text: str, line: ResultLine) -> Mistake:
    return Mistake.at(fault, reason, text, line.line, line.column)


ITEM_DEPTH = 6
"""Names in the address of an item below its owner: /v1/users/ann/vis/docs/weekly."""
LARGEST = 32 * MIB
"""Most bytes of all results of one run: they are written in one transaction, which blocks others."""
RESULTS = "config/results"
MOST_NAMED = 5
SHOWS = "shows only items that these people may see, because they could influence it"


class _Canceled(Exception):
    """Raised when a run is canceled during the write, so that the transaction is rolled back."""


@dataclass(frozen=True, slots=True)
class ResultWriter:
    """Writer of run outputs (chains.runner.ports.ResultPlaces), with the rights of the run's authors."""

    tree: Tree
    world: World

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """Write the outputs of a run to its results (ResultPlaces.write)."""
        found = self.world.items.at(run.job, None)
        leaf = self.world.leaves.get(run.job, RESULTS) if found is not None else None
        if found is None or leaf is None or not leaf.text:
            return
        places = result_places(self.world.service.kinds, found.item.owner, leaf.text)
        _require(places, files)
        people = self._people(run, found.item, leaf.author)
        wrote = dict.fromkeys(people - {found.item.owner}, "wrote config/results or the chain")
        reasons = {**wrote, **run_people(self.world, run)}
        read = [context for context in places if context.reads_others]
        if known := [one for one in places if one.reads_others or one.line.snapshot is not None]:
            _require_known(self.world, reasons, known)
        writer = Caller(found.item.owner, behind=reasons.keys)
        with suppress(_Canceled), self.world.atomic():
            lines = [
                self._write_one(run, context, files[context.line.output], writer, people)
                for context in places
            ]
            sent = [
                self._order(run, context, path, people) for context in places if (path := context.sent_by)
            ]
            kept = [self._keep(run, one, writer) for one in places if one.line.snapshot is not None]
            note([*lines, *sent, *kept, *_about_rights(read, reasons)])
            # No other transaction changes the run until this one ends.
            now = self.world.code.runs.reader.by_key(run.key)
            if now is None or now.status is not Status.PROCESSING:
                raise _Canceled
            results_ended(self.world, run, WROTE_RESULTS)

    def notify(self, run: Run) -> None:
        """Notify accounts that results were not written (ResultPlaces.notify)."""
        with self.world.atomic():
            notify_unwritten(self.world, run)
            results_ended(self.world, run, WROTE_NO_RESULTS)

    def _people(self, run: Run, job: Item, author: str | None) -> frozenset[str]:
        """Return all who must be allowed to write there: the owner, and the authors of results and chain.

        Raises Denied.
        """
        people = people_behind(job.owner, author) | people_behind(job.owner, run.author)
        _require_accounts(self.world, people)
        return people

    def _order(self, run: Run, context: ResultPlace, path: TreePath, people: frozenset[str]) -> str:
        """Order that a mail is sent, once for the run; return the line of the log. Raises VfsError."""
        try:
            for person in sorted(people):
                mail = self._ask(path, person)
        except VfsError as refusal:
            raise _with_name(refusal, f"{context.line}, send") from None
        self.world.social.mails.order(mail.id, f"run {run.id} ({run.shortname})")
        return f"{context.line.target} will be sent."

    def _keep(self, run: Run, context: ResultPlace, writer: Caller) -> str:
        """Order a snapshot of what was written, once for the run; return the line of the log."""
        owner, people = writer.name or "", writer.author or ""
        item = self._ask(context.path, owner)
        name = context.line.snapshot or today_of(self.world, owner)
        cause = f"run {run.id} ({run.shortname}), snapshot {name}"
        self.world.social.mails.order(item.id, cause, name, people)
        return f"A snapshot {name} of {context.line.target} will be made."

    def _write_one(
        self, run: Run, context: ResultPlace, file: Path, writer: Caller, people: frozenset[str]
    ) -> str:
        """Write an output and return its line in the log. Raises VfsError that names the output."""
        line = context.line
        try:
            for person in sorted(people - {writer.name}):
                self._ask(context.path, person)
            body = ResultBody(file, line.output, is_text=not context.keeps_bytes)
            # What a run writes to a space is one event.
            serve(self.tree, Call(Verb.WRITE, context.path, writer, self.world, body, id=f"run {run.key}"))
        except VfsError as refusal:
            raise _with_name(refusal, str(line)) from None
        return f"{line.output} was written to {context.line.target} ({body.size:,} bytes)."

    def _ask(self, path: TreePath, person: str) -> Item:
        """Return the item, if a person may write a file of it; nothing is written. Raises VfsError."""
        try:
            return admit(self.tree, Call(Verb.WRITE, path, Caller(person), self.world)).here
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
            raise Invalid(f"it is not UTF-8 text (byte {wrong.start}): have the step write UTF-8") from None
        if "\0" in text:
            raise Invalid("it contains a NUL character: only text can be stored there")
        return text


def _with_name(refusal: VfsError, name: str) -> VfsError:
    refusal.detail = f"{name}: {refusal.detail}"
    return refusal


def _require(places: Sequence[ResultPlace], files: Mapping[str, Path]) -> None:
    """Raise NotFound for missing outputs, TooLarge if all together are too large for one transaction."""
    missing = [str(context.line) for context in places if context.line.output not in files]
    if missing:
        left = ", ".join(sorted(files)[:MOST_NAMED]) or "nothing"
        more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
        raise NotFound(f"the run left no file for {'; '.join(missing[:MOST_NAMED])}: it left {left}{more}")
    size = sum(os.stat(files[context.line.output], follow_symlinks=False).st_size for context in places)
    if size > LARGEST:
        raise TooLarge(
            f"the results have {size:,} bytes, and {LARGEST:,} may be written at once: "
            "let a step write large files to a space that it mounts"
        )


def _require_accounts(world: World, people: Iterable[str]) -> None:
    for person in sorted(people):
        user = world.people.users.find(person)
        if user is None or user.locked:
            raise Denied(f"the account of @{person}, who is behind the job, is locked or gone")


def _require_known(world: World, reasons: Reasons, places: Sequence[ResultPlace]) -> None:
    """Raise Denied if anybody could have influenced a text that shows items with its authors' rights."""
    if why := reasons.get(EVERYBODY):
        others = f"; known are {known}" if (known := name_people(reasons)) else ""
        raise Denied(
            f"{places[0].line}: it would show items with the rights of all who could influence it, "
            f"and that may be anybody: {why}{others}"
        )
    _require_accounts(world, reasons)


def _about_rights(places: Sequence[ResultPlace], reasons: Reasons) -> Iterator[str]:
    """Yield a line that names the accounts whose rights limit the written items, if not only the owner's."""
    if places and reasons:
        targets = ", ".join(str(context.line.target) for context in places)
        yield f"{targets} {SHOWS}: {name_people(reasons)}."


def behind_results(world: World, job: Item, text: str) -> Iterator[str]:
    """Yield sentences on who could influence the results of a job that show items with authors' rights."""
    places = [
        context for context in result_places(world.service.kinds, job.owner, text) if context.reads_others
    ]
    if not places:
        return
    order, _ = order_of(References(world), job, RunRequest(API, "", job.owner))
    if order.plan is None:
        return
    reasons = job_people(world, job, order.author, order.plan)
    if not reasons:
        return
    said = f"it {SHOWS}: {name_people(reasons)}"
    if why := reasons.get(EVERYBODY):
        said = f"anybody could influence it, so nothing is written: {why}"
    yield from (f"{context.line}: {said}" for context in places)


def accept_results(context: Context[World], sent: str) -> str:
    """Return the text of config/results if its targets are allowed. Raises Mistake with line and column."""
    result_places(context.world.service.kinds, context.here.owner, sent)
    return sent


def remark_on_results(context: Context[World], sent: str) -> str:
    """Return warnings on targets that the writer cannot write to, and notes on accounts with influence."""
    if context.also is None:
        return ""
    warned = []
    for target in result_places(context.world.service.kinds, context.here.owner, sent):
        try:
            for path in filter(None, (target.path, target.sent_by)):
                context.also.find(Verb.WRITE, path)
        except NotFound:
            item = TreePath(target.path[:ITEM_DEPTH])
            makes = f": PUT {item} makes it" if context.me == context.here.owner else ""
            warned.append(f"warning: {target.line}: there is no {item}, or it is not visible to you{makes}\n")
        except VfsError as refusal:
            warned.append(f"warning: {target.line}: {refusal.detail}\n")
    return "".join(warned) + "".join(
        f"note: {line}\n" for line in behind_results(context.world, context.here, sent)
    )
