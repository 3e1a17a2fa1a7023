"""Targets of results: the files that the lines of config/results name, by the kinds of their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chains.language.mistake import Mistake
from chains.language.result_lines import ResultFault, ResultLine, parse_results
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind
from vfs.path import Path

VARIABLE, STATUS = "v", "status"


class ResultPlace(NamedTuple):
    """The file to which an output is written.

    `keeps_bytes`: a file of a space, which accepts any bytes. `reads_others`: items that it names are read
    with the rights of its owner and its last writer. `sent_by` is the file that sends the item, if the line
    asks for that.
    """

    line: ResultLine
    path: Path
    keeps_bytes: bool = False
    reads_others: bool = False
    sent_by: Path | None = None


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
    item = API / ("users", owner, kind.family, kind.folder, target.name)
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
