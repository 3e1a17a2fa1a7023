"""Checks of chains and mounts: mistakes with their positions, and items the writer cannot use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from chains.language.ast import Chain, Ref, RepoRef, Step
from chains.language.chain import parse
from chains.language.chain_fixes import fix_for
from chains.language.mistake import Mistake
from handlers.rules.mounts import SpaceMount
from handlers.services.build_images import MISSING
from handlers.services.references import References, admit_chain
from handlers.services.rights import lack_of
from handlers.services.world import World
from handlers.trees.facets.schedule import CHECK, mistake_entry, text_to_check
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB

# Most items looked up for one write, and most lines of a remark.
MOST_LOOKED_UP = 50
MOST_LINES = 10
LARGEST_CHAIN = 64 * KIB
CHAIN_CHECK = {
    CHECK: "JSON: mistakes with their places and fixes, steps and edges, and whether the caller may use what "
    "they run; POST checks the text that is sent, GET the stored one; nothing is stored"
}
READY, EMPTY = "ready", "empty"


def check_chain(context: Context[World]) -> Reply | None:
    """Return the report on a chain if the query asks for it. Raises TooLarge for a text above the limit."""
    if CHECK not in context.call.query:
        return None
    text = text_to_check(context, LARGEST_CHAIN)
    chain, mistakes = _read(context, text)
    steps = _steps(context, chain.steps) if chain is not None else []
    edges = [list(edge) for edge in chain.edges] if chain is not None else []
    return Reply(Data({"ok": not mistakes, "mistakes": mistakes, "steps": steps, "edges": edges}))


def _read(context: Context[World], text: str) -> tuple[Chain | None, list[Mapping[str, object]]]:
    """Return the parsed chain, if the text is one, and the reasons why the file would not accept it."""
    try:
        chain = parse(text)
    except Mistake as mistake:
        fix = fix_for(text, mistake)
        edit = fix and {"line": fix.line, "column": fix.column, "length": fix.length, "text": fix.text}
        return None, [{**mistake_entry(text, mistake), "fix": edit}]
    try:
        admit_chain(References(context.world), context.here, chain, context.me)
    except Invalid as refusal:
        problem = {"line": 0, "column": 0, "length": 0, "mistake": "refused", "reason": refusal.detail}
        return chain, [{**problem, "excerpt": "", "fix": None}]
    return chain, []


def _steps(context: Context[World], steps: Iterable[Step]) -> list[Mapping[str, object]]:
    """Return the steps, and whether the caller may use each of the first 50 repos and jobs they run."""
    steps = list(steps)
    named = dict.fromkeys(_name_of(context, step) for step in steps)
    lacks = {one: lack_of(context.world, context.caller, *one, "x") for one in islice(named, MOST_LOOKED_UP)}
    repos = dict.fromkeys(_name_of(context, step) for step in steps if isinstance(step.ref, RepoRef))
    images = _images(context, [one for one in repos if one in lacks and lacks[one] is None])
    problems: list[Mapping[str, object]] = []
    for step in steps:
        kind, owner, name = used = _name_of(context, step)
        is_known = used in lacks
        problems.append(
            {
                "label": step.label,
                "ref": str(step.ref),
                "fan_out": step.fan_out,
                "holds": [str(hold) for hold in step.holds],
                "kind": kind,
                "owner": owner,
                "name": name,
                "found": lacks[used] is None if is_known else None,
                "image": _image(step, images.get(used)),
                "remark": lacks[used] if is_known else None,
            }
        )
    return problems


def _name_of(context: Context[World], step: Step) -> tuple[str, str, str]:
    """Return kind, owner and name of what a step runs."""
    owner = step.ref.owner or context.here.owner
    return ("repo", owner, step.ref.repo) if isinstance(step.ref, RepoRef) else ("job", owner, step.ref.job)


def _images(
    context: Context[World], repos: Iterable[tuple[str, str, str]]
) -> Mapping[tuple[str, str, str], Mapping[str, bool]]:
    """Return, for each repo that the caller may use, its labels with an image: True if it is missing."""
    names = [(owner, name) for _, owner, name in repos]
    if not names:
        return {}
    found = [one.item for one in context.world.items.all_named("repo", names, (), context.caller.name)]
    built = context.world.code.builds.images_of([item.id for item in found])
    return {
        ("repo", item.owner, item.name): {
            label: image.missing for label, image in built.get(item.id, {}).items()
        }
        for item in found
    }


def _image(step: Step, labels: Mapping[str, bool] | None) -> str | None:
    """Return the state of the image that a step runs: ready, empty or missing; None if unknown."""
    if labels is None or not isinstance(step.ref, RepoRef):
        return None
    if step.ref.label not in labels:
        return EMPTY
    return MISSING if labels[step.ref.label] else READY


class Reference(NamedTuple):
    """An item that a text names, and the permission letters that its use needs."""

    kind: str
    owner: str
    name: str
    needs: str


def remark_on_chain(context: Context[World], chain: Chain) -> str:
    """Return a line for each repo and job of a chain that the writer cannot use."""
    return remark_on_references(context, (_reference(context.here.owner, step.ref) for step in chain.steps))


def remark_on_mounts(context: Context[World], mounts: Iterable[SpaceMount]) -> str:
    """Return a line for each space that the writer cannot use."""
    return remark_on_references(
        context, (Reference("space", one.owner, one.space, "rw" if one.writable else "r") for one in mounts)
    )


def _reference(owner: str, ref: Ref) -> Reference:
    if isinstance(ref, RepoRef):
        return Reference("repo", ref.owner or owner, ref.repo, "x")
    return Reference("job", ref.owner or owner, ref.job, "x")


def remark_on_references(context: Context[World], references: Iterable[Reference]) -> str:
    """Return a line for each item that the writer cannot use, at most MOST_LINES."""
    return "".join(islice(_lines(context, dict.fromkeys(references)), MOST_LINES))


def _lines(context: Context[World], references: Iterable[Reference]) -> Iterator[str]:
    """Yield a warning for each item that the writer cannot use."""
    for one in islice(references, MOST_LOOKED_UP):
        lack = lack_of(context.world, context.caller, *one)
        if lack is not None:
            yield f"warning: {lack}\n"
