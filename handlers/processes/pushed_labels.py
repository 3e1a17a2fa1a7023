"""Labels of a push: commits that cannot be built are reported, the others are queued."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from chains.builds.bases import OfferedImages
from chains.builds.recipe import settled_recipe
from chains.builds.repositories import (
    LATEST,
    LONGEST_LABEL,
    SPACES,
    GitRef,
    label,
    labels,
    shown_ref,
)
from chains.builds.run_store import Builds
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef
from vfs.errors import VfsError


class PushRefusal(NamedTuple):
    """The reason why a commit cannot be built, and the lines of the log before it."""

    lines: list[str]
    error: str


class Tops(Protocol):
    """Exports the files by which a recipe is chosen."""

    def export_top(self, item: int, sha: str, folder: Path) -> bool:
        """Write the files that choose a recipe into an empty folder; return False if that is expensive."""


def look_at(
    repositories: Tops, repo: int, commit: str, offer: OfferedImages, is_repo: Callable[[RepoRef], bool]
) -> PushRefusal | None:
    """Return why a repository's commit cannot be built; None if only the build itself can find out."""
    lines: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix="push-") as folder:
            if repositories.export_top(repo, commit, Path(folder)):
                settled_recipe(Path(folder), (), offer, is_repo, lines.append)
    except VfsError:
        return None
    except BuildFailed as failure:
        return PushRefusal(lines, str(failure).rstrip("."))
    return None


SHOWN = 12

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Update:
    """One line of git's input to post-receive (githooks): the ref, and its old and new target."""

    old: str
    new: str
    ref: str

    @property
    def deleted(self) -> bool:
        """Whether the ref was deleted."""
        return not self.new.strip("0")

    @property
    def name(self) -> str | None:
        """The branch or tag; None for refs of other kinds, which are kept but not used."""
        spaces = SPACES.values()
        return next((self.ref.removeprefix(space) for space in spaces if self.ref.startswith(space)), None)


@dataclass(frozen=True, slots=True)
class Push:
    """A push: the repo's item id, its name as `alice/upper`, the pusher, the updates, the present refs.

    `head` is the default branch. `build` is False for a repository of type `code`. `look` returns why a
    commit cannot be built, if that is known before.
    """

    repo: int
    name: str
    by: str
    updates: Sequence[Update]
    refs: Sequence[GitRef]
    head: str | None
    build: bool = True
    look: Callable[[str], PushRefusal | None] = lambda commit: None


@dataclass(frozen=True, slots=True)
class PushOrder:
    """A build of a commit; `refs`: the labels of its image, `latest` last, with the ref of each."""

    refs: Mapping[str, str]
    commit: str
    by: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the image."""
        return tuple(self.refs)


Queued = tuple[PushOrder, int]


def queue_builds(push: Push, builds: Builds, say: Say) -> list[Queued]:
    """Assign each label to its present ref, and queue the builds; return their ids.

    A label whose ref was deleted moves to the image of its present ref, or is removed. Only one push of a
    repository may run this at a time.
    """
    present = labels(push.refs, push.head)
    if not push.build:
        say(f"@{push.name} is of type code: the push is kept, nothing is built.")
    else:
        for line in _remarks(push, present):
            say(line)
    moved = list(_move(push, present, builds, say))
    made = [*_orders(push, present), *moved] if push.build else []
    return [(order, _queue(push, order, builds)) for order in _one_a_commit(made)]


def _queue(push: Push, order: PushOrder, builds: Builds) -> int:
    first = next(iter(order.refs.values()))
    number = builds.queue(push.repo, order.labels, first, order.commit, order.by, order.refs)
    if refusal := push.look(order.commit):
        builds.refuse(number, refusal.lines, refusal.error)
    return number


def _orders(push: Push, present: Mapping[str, GitRef]) -> Iterator[PushOrder]:
    """Yield the builds of the pushed refs that have a label."""
    by_ref: dict[str, dict[str, GitRef]] = {}
    for word, ref in present.items():
        by_ref.setdefault(ref.full, {})[word] = ref
    for update in push.updates:
        if not update.deleted and (own := by_ref.get(update.ref)):
            refs = {word: shown_ref(update.ref) for word in own}
            yield PushOrder(refs, next(iter(own.values())).commit, push.by)


def _move(push: Push, present: Mapping[str, GitRef], builds: Builds, say: Say) -> Iterator[PushOrder]:
    """Remove the labels without a ref, and move those whose present ref was not pushed now."""
    pushed = {update.ref for update in push.updates if not update.deleted}
    lost = {label(update.name or "") for update in push.updates if update.deleted}
    for word, claim in builds.claims(push.repo).items():
        ref = present.get(word)
        if ref is None:
            if builds.forget(push.repo, word):
                say(f"forgot @{push.name}:{word}")
        elif ref.full not in pushed and claim.ref != shown_ref(ref.full) and (claim.ref or word in lost):
            yield from _hand_over(push, word, ref, builds, say)


def _hand_over(push: Push, word: str, ref: GitRef, builds: Builds, say: Say) -> Iterator[PushOrder]:
    """Move a label to another ref, with the existing image of its commit or with a new build.

    The build has the rights of the account that pushed the commit, not of the one that deleted the old ref.
    """
    if builds.claim(push.repo, word, shown_ref(ref.full), ref.commit):
        say(f"@{push.name}:{word} is the {_spell(ref)} now")
        return
    by = builds.pusher(push.repo, ref.commit) if push.build else None
    if by is not None:
        say(f"@{push.name}:{word} is the {_spell(ref)} now, whose image is built")
        yield PushOrder({word: shown_ref(ref.full)}, ref.commit, by)
        return
    builds.forget(push.repo, word)
    say(
        f"forgot @{push.name}:{word}: it is the {_spell(ref)} now, which was never built: "
        "push a new commit there, or delete it and push it again"
    )


def _remarks(push: Push, present: Mapping[str, GitRef]) -> Iterator[str]:
    """Yield remarks on pushed refs that are not built or that share a label."""
    there = {ref.full: ref for ref in push.refs}
    strange = []
    for update in push.updates:
        if update.deleted:
            continue
        if update.name is None:
            strange.append(shown_ref(update.ref))
        elif remark := _remark(update.name, there.get(update.ref), push, present):
            yield remark
    if strange:
        named = ", ".join(strange[:SHOWN]) + (f" and {len(strange) - SHOWN} more" if strange[SHOWN:] else "")
        verb = "are" if len(strange) > 1 else "is"
        yield f"{named} {verb} kept and not built: only branches and tags are."


def _remark(name: str, ref: GitRef | None, push: Push, present: Mapping[str, GitRef]) -> str:
    """Return the remark on a pushed branch or tag; usually ""."""
    word = label(name)
    winner = present.get(word) if word is not None else None
    if ref is not None and winner == ref:
        others = [other for other in push.refs if other != ref and label(other.name) == word != LATEST]
        named = ", ".join(f"the {_spell(other)}" for other in others[:SHOWN])
        return f"@{push.name}:{word} is the {_spell(ref)}, not {named}." if others else ""
    if ref is None:
        why = "it leads to no commit"
    elif word is None:
        why = f'a label is made of letters, digits, "_", "." and "-", at most {LONGEST_LABEL} of them'
    elif winner is None:
        why = f'the label "{LATEST}" is that of the default branch, and there is none'
    else:
        why = f'the {_spell(winner)} has the label "{word}"'
    fate = f"built as {LATEST} alone" if ref is not None and present.get(LATEST) == ref else "not built"
    called = f'"{shown_ref(name)}"' if ref is None else f"The {_spell(ref)}"
    return f"{called} is kept and {fate}: {why}."


def _spell(ref: GitRef) -> str:
    """Return the kind and name of a ref, as `branch "main"`."""
    return f'{ref.kind} "{shown_ref(ref.name)}"'


def _one_a_commit(orders: Iterable[PushOrder]) -> list[PushOrder]:
    """Return one build for all labels of a commit, `latest` last, as the images would be equal."""
    together: dict[tuple[str, str], list[PushOrder]] = {}
    for order in orders:
        together.setdefault((order.commit, order.by), []).append(order)
    return [_whole(parts) for parts in together.values()]


def _whole(parts: Sequence[PushOrder]) -> PushOrder:
    """Return the merged build; the labels of the default branch are first if it is among them."""
    chief = next((part for part in parts if LATEST in part.refs), parts[0])
    refs = {word: ref for part in (chief, *parts) for word, ref in part.refs.items() if word != LATEST}
    last = {LATEST: chief.refs[LATEST]} if LATEST in chief.refs else {}
    return PushOrder({**refs, **last}, chief.commit, chief.by)
