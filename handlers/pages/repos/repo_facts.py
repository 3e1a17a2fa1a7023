"""Common template values of the pages of a repository: its head, its labels and its image's state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chains.builds.repositories import label as label_of
from handlers.pages.items.item_head import ItemHead, item_head, users_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.path import Path

AT, EDIT, COMMITS, BUILDS = "at", "edit", "commits", "builds"
LATEST = "latest"


@dataclass(frozen=True, slots=True)
class RepoFacts:
    """A repository as its caller sees it; `labels` are None for callers who may not read it.

    `branches` are those with their commits, the default one first. `state` is that of its image, `url` the
    address to push to, `writes` whether the caller may push.
    """

    at: ItemPath
    head: ItemHead
    labels: Sequence[Mapping[str, Any]] | None
    branches: Mapping[str, str]
    state: str
    url: str
    writes: bool
    used_by: Sequence[Mapping[str, Any]]

    @property
    def reads(self) -> bool:
        """Whether the caller may read its files."""
        return self.labels is not None

    def commit_of(self, label: str) -> str | None:
        """Return the commit of a label; None if there is no such label."""
        return next((row["commit"] for row in self.labels or () if row["label"] == label), None)

    def branch_at(self, label: str) -> str:
        """Return the branch of a label; "" for a tag or an unknown label."""
        if label == LATEST:
            return next(iter(self.branches), "")
        named = (name for name, commit in self.branches.items() if commit == self.commit_of(label))
        return next((name for name in named if label_of(name) == label), "")

    def files_page(self, label: str, names: Sequence[str] = ()) -> Path:
        """Return the page of the files at a label or commit."""
        return self.at.page / (AT, label, *names)


def repo_facts(request: PageRequest, at: ItemPath) -> RepoFacts:
    """Return the template values. Raises NotFound or Unauthenticated if the caller does not see it."""
    entry = request.entry(at.api)
    texts = request.texts(at.api)
    labels = request.peek(at.api / "labels")
    head = item_head(request, at, lead=texts.get("summary", ""), writes=False, entry=entry)
    return RepoFacts(
        at,
        head,
        labels,
        {row["branch"]: row["commit"] for row in request.peek(at.api / "branches", ())},
        str(request.peek(at.api / "status", "")).strip(),
        str(request.peek(at.api / "url", "")).strip(),
        request.may(Verb.WRITE, at.api / "status"),
        users_of(request, at),
    )
