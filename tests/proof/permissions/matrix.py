"""Reads the permission matrix: what its words confer, and which of its rows is about a path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
FAMILY = {
    **dict.fromkeys(("plots", "grids", "docs", "mails"), "vis"),
    **dict.fromkeys(("repos", "jobs", "spaces"), "code"),
}
"""The family of each kind of resources, by the folder of the kind."""
ALIAS = {kind[0]: kind for kind in FAMILY if kind != "spaces"}
"""The kinds that have short paths, by their letters."""
FLAGS = ("dir", "veil", "VEIL", "gone", "?")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a section: a path, what each method needs there, whom its folder lists it to."""

    parts: tuple[str, ...]
    flags: frozenset[str]
    needs: dict[str, str]
    listed: str


NOWHERE = Row((), frozenset(), dict.fromkeys(METHODS, "never"), "")


@dataclass(slots=True)
class Context:
    """A path as one caller has it; `there`: the caller sees what it is about."""

    me: str | None
    claim: str | None
    section: str
    args: dict[str, str]
    rel: list[str]
    item: dict[str, Any] = field(default_factory=dict)
    ref: str = ""
    access: frozenset[str] = frozenset()
    there: bool = True
    row: Row = NOWHERE


class Matrix:
    """The rows by section, what `hides` says by section and name, and the facts above all sections."""

    def __init__(self, file: Path) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.hides: dict[tuple[str, str], str] = {}
        self.said: dict[tuple[str, ...], frozenset[str]] = {}
        self.places: list[tuple[str, list[str]]] = []
        sections: list[str] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            words = re.sub(r"^#.*|\s#.*", "", line).split()
            if line.startswith("["):
                sections = line.strip("[]").split()
            elif words and words[0] == "at":
                self.places.append((words[1], words[2].split("/")))
            elif words and not sections:
                self.said[tuple(words[:-1])] = frozenset(words[-1].split(","))
            elif words and words[0] == "hides":
                self.hides |= {(section, words[1]): words[2] for section in sections}
            elif words:
                for section in sections:
                    self.rows.setdefault(section, []).append(_row(words))

    def left(self, claim: str | None, kind: str, thing: dict[str, Any] | None = None) -> frozenset[str]:
        """What a credential's claim, or its scopes, leave of things of a kind, and of one of them."""
        if claim in (None, "global"):
            return self.said["claim", "global", "all"]
        if self.is_scoped(claim):
            here = "/{owner}/{kind}/{name}".format(**thing) if thing and "kind" in thing else None
            scopes = (word.partition(":/") for word in (claim or "").split())
            words = [word for word, _, path in scopes if not path or f"/{path}" == here]
            return frozenset().union(*(self._in_scope(word, kind) for word in words))
        others = self.said.get(("claim", "others", kind), self.said["claim", "others", "all"])
        return self.said.get(("claim", claim or "", kind), others)

    def is_scoped(self, claim: str | None) -> bool:
        """Whether these are scopes, not the claim of a run's credential."""
        return claim is not None and ("scope", claim.split()[0].partition(":/")[0], "all") in self.said

    def is_run(self, claim: str | None) -> bool:
        """Whether it is the claim of a run's credential."""
        return claim is not None and not self.is_scoped(claim)

    def is_single(self, claim: str | None) -> bool:
        """Whether these are scopes of single things alone, which leave no user and no group."""
        return claim is not None and all(":/" in word for word in claim.split())

    def sees_people(self, claim: str | None) -> bool:
        """Whether other users are visible: not to a run's credential, nor to scopes of single things."""
        whole = not self.is_run(claim) and not self.is_single(claim)
        return whole or "info" in self.left(claim, "user")

    def _in_scope(self, word: str, kind: str) -> frozenset[str]:
        return self.said.get(("scope", word, kind), self.said["scope", word, "all"])

    def in_person(self, claim: str | None, kind: str, thing: dict[str, Any] | None = None) -> bool:
        """Whether it is as good as a person's own: one with scopes is where these cover writing."""
        return claim is None or (self.is_scoped(claim) and "write" in self.left(claim, kind, thing))

    def at(self, path: str) -> tuple[str, dict[str, str], list[str]]:
        """The kind of place that a path leads to, the names on the way, and the rest of the path."""
        names = path.split("/")[2:]
        for word, parts in self.places:
            if len(parts) <= len(names) and (args := _fits(parts, names)) is not None:
                return word, args, names[len(parts) :]
        return "all", {}, names

    def about(self, section: str, rel: list[str]) -> Iterator[tuple[Row, dict[str, str], str]]:
        """The rows of a section that fit a path, with the names in it and the entry that it leads through."""
        for row in self.rows.get(section, ()):
            args = _fits(row.parts, rel)
            if args is not None and (len(row.parts) == len(rel) or row.parts[-1:] == ("**",)):
                last = max(
                    (context + 1 for context, part in enumerate(row.parts) if part[0] == ":"), default=0
                )
                yield row, args, "/".join(rel[:last])

    def below(self, section: str, rel: list[str]) -> Iterator[str]:
        """The names that rows of a section have directly below a path."""
        for row in self.rows.get(section, ()):
            if (
                len(row.parts) == len(rel) + 1
                and row.parts[-1][0] not in ":*"
                and _fits(row.parts, rel) is not None
            ):
                yield row.parts[-1]


def _row(words: list[str]) -> Row:
    flags = frozenset(word for word in words if word in FLAGS)
    needs = [word for word in words[1:] if word not in FLAGS]
    parts = () if words[0] == "." else tuple(words[0].split("/"))
    return Row(parts, flags, dict(zip(METHODS, needs, strict=False)), "".join(needs[len(METHODS) :]))


def _fits(parts: list[str] | tuple[str, ...], names: list[str]) -> dict[str, str] | None:
    """The names of a path by the words with a colon that they stand for; None where the path is another."""
    pairs = list(zip(parts, names, strict=False))
    # Links have names that no other entry has.
    free = [(":", name.startswith("link~")) for _, name in pairs]
    if not all(
        part in (name, "**") or (part[0], part == ":shared_link") == one
        for (part, name), one in zip(pairs, free, strict=True)
    ):
        return None
    return {part[1:]: name for part, name in pairs if part[0] == ":"}
