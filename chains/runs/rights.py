"""Rights: the port through which a run checks again the permissions that were checked at its trigger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chains.plan.model import ComposedStep, MountedSpace, Plan, PlannedStep
from chains.runs.retry import Patience
from vfs.access import people_behind
from vfs.errors import Denied


@dataclass(frozen=True, slots=True)
class Use:
    """A use of an item by the people behind a job, who need the permission letters `needs` (r, w, d, x).

    `name` is the name in the job. `item` is None in plans of earlier releases: then the name decides.
    """

    kind: str
    owner: str
    name: str
    item: int | None
    needs: str
    people: frozenset[str]


class Rights(Protocol):
    """The check of current permissions."""

    def refusal(self, uses: Collection[Use]) -> str | None:
        """Return why one of the uses is no longer allowed, with its name; None if all are allowed."""


class Permission:
    """The permission of one run to use the items of its steps, checked again at every use (decisions 19).

    `owner` and `author` are those of the top-level job. `spaces` are those that steps see, by composed step.
    """

    def __init__(
        self,
        rights: Rights,
        plan: Plan,
        owner: str,
        author: str | None,
        spaces: Mapping[str | None, Sequence[MountedSpace]],
        patiently: Patience,
    ) -> None:
        self.spaces = spaces
        self._rights = rights
        self._patiently = patiently
        self._composed = {composed.name: composed for composed in plan.composed}
        self._people = {None: people_behind(owner, author)} | {
            name: people_behind(composed.owner, composed.author) for name, composed in self._composed.items()
        }

    def ask(self, steps: Iterable[PlannedStep]) -> None:
        """Raise Denied if the permission for something that one of the steps uses was revoked."""
        uses = list(dict.fromkeys(use for step in steps for use in self.uses(step)))
        if uses and (refusal := self._patiently(lambda: self._rights.refusal(uses))):
            raise Denied(refusal)

    def uses(self, step: PlannedStep) -> Iterator[Use]:
        """Yield the uses of a step: the jobs around it, outermost first, its repo, and the spaces it sees."""
        source = step.source
        for composed in self._around(step):
            outer = self._people[composed.parent]
            yield Use("job", composed.owner, composed.job, composed.job_item, "x", outer)
        yield Use("repo", source.owner, source.repo, source.item, "x", self._people[step.parent])
        for seen in self.spaces[step.parent]:
            yield self.mount(step, seen)

    def mount(self, step: PlannedStep, seen: MountedSpace) -> Use:
        """Return the use of a space that a step sees."""
        needs = "rw" if seen.writable else "r"
        return Use("space", seen.owner, seen.called, seen.space, needs, self._people[step.parent])

    def _around(self, step: PlannedStep) -> list[ComposedStep]:
        around, parent = list[ComposedStep](), step.parent
        while parent is not None:
            around.append(self._composed[parent])
            parent = around[-1].parent
        return around[::-1]
