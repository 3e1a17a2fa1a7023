"""The language of config/triggers: events other than calls, mails and schedules that start a job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from chains.language.mistake import Mistake

MOST_LINES, LONGEST_LINE = 20, 500
ANY_FOLDERS, SPECIAL = "**", frozenset("*?[")


class TriggerKind(StrEnum):
    """The first word of a line: the kind of event."""

    PUSH = "push"
    CHANGED = "changed"
    AFTER = "after"

    @property
    def letter(self) -> str:
        """The letter of the kind of items that have such events."""
        return _LETTERS[self.value]


_LETTERS = {"push": "r", "changed": "s", "after": "j"}


class TriggerFault(StrEnum):
    """The kinds of mistakes in the text of config/triggers."""

    BAD_LINE = "bad_line"
    BAD_TARGET = "bad_target"
    TOO_MANY = "too_many"
    TWICE = "twice"


ENDS = ("success", "failed")
_OWNER = r"(?P<owner>[a-z0-9][a-z0-9_-]{0,199})"
_NAME = r"(?P<name>[A-Za-z0-9][A-Za-z0-9_-]{0,199})"
_TARGETS = {
    TriggerKind.PUSH: re.compile(
        rf"(?:@{_OWNER}/)?{_NAME}(?::(?P<rest>[A-Za-z0-9][A-Za-z0-9._-]{{0,127}}))?"
    ),
    TriggerKind.CHANGED: re.compile(rf"(?:/u/{_OWNER})?/s/{_NAME}(?:/(?P<rest>.*))?"),
    TriggerKind.AFTER: re.compile(rf"(?:/u/{_OWNER})?/j/{_NAME}(?:[ \t]+(?P<rest>\S.*))?"),
}
_FORMS = {
    TriggerKind.PUSH: "push <repo> or push @<user>/<repo>:<label>",
    TriggerKind.CHANGED: "changed /s/<space>/<folder>/*.csv or changed /u/<user>/s/<space>",
    TriggerKind.AFTER: "after /j/<job>, after /j/<job> failed or after /j/<job> success|failed",
}
_WORD = re.compile(r"[a-z]+(?=[ \t])")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")


class TriggerLine(NamedTuple):
    """A line: an event, its item, and the rest: a label, a pattern of paths, or the ends of runs.

    `owner` is None for the job's own owner. `line` and `column` are those of the target, counted from 1;
    `offset` is the start of the name in the text.
    """

    kind: TriggerKind
    owner: str | None
    name: str
    rest: str
    line: int
    column: int
    offset: int

    @property
    def target(self) -> str:
        """The item as it is written in the line, without the rest."""
        if self.kind is TriggerKind.PUSH:
            return f"@{self.owner}/{self.name}" if self.owner is not None else self.name
        return f"{f'/u/{self.owner}' if self.owner is not None else ''}/{self.kind.letter}/{self.name}"

    def __str__(self) -> str:
        join = {TriggerKind.PUSH: ":", TriggerKind.CHANGED: "/", TriggerKind.AFTER: " "}[self.kind]
        return f"{self.kind} {self.target}{join + self.rest if self.rest else ''}"


@lru_cache(32)
def parse_triggers(text: str) -> tuple[TriggerLine, ...]:
    """Return the lines of a text without empty lines and comments. Raise Mistake."""
    lines: dict[str, TriggerLine] = {}
    for line in _lines(text):
        if str(line) in lines:
            raise _mistake(TriggerFault.TWICE, "an earlier line is the same", text, line.line, line.column)
        if len(lines) == MOST_LINES:
            reason = f"there are more than {MOST_LINES} lines: use * in a pattern, or make a second job"
            raise _mistake(TriggerFault.TOO_MANY, reason, text, line.line, line.column)
        lines[str(line)] = line
    return tuple(lines.values())


def with_name(kind: TriggerKind, text: str, owner: str, was: str, name: str) -> str:
    """Return the owner's text after an item was renamed, otherwise unchanged. Raises Mistake."""
    for line in reversed(list(_lines(text))):
        if (line.kind, line.owner or owner, line.name) == (kind, owner, was):
            text = text[: line.offset] + name + text[line.offset + len(was) :]
    return text


def matches(pattern: str, path: str) -> bool:
    """Return whether the path of a file matches a pattern: names as in a shell, and ** for any folders.

    A pattern that is empty or ends with / matches all files below.
    """
    wanted = (f"{pattern}**" if pattern == "" or pattern.endswith("/") else pattern).split("/")
    if wanted[-1] == ANY_FOLDERS:
        wanted.append("*")
    names = path.split("/")
    ends = {0}  # the possible numbers of names that the parts so far match
    for part in wanted:
        if part == ANY_FOLDERS:
            ends = set(range(min(ends, default=len(names)), len(names)))
        else:
            ends = {end + 1 for end in ends if end < len(names) and fnmatchcase(names[end], part)}
    return len(names) in ends


def folder_of(pattern: str) -> str:
    """Return the folder of a pattern that is above all parts with wildcards."""
    folders = pattern.split("/")[:-1]
    stars = (number for number, name in enumerate(folders) if not SPECIAL.isdisjoint(name))
    return "/".join(folders[: next(stars, len(folders))])


def _lines(text: str) -> Iterator[TriggerLine]:
    """Yield the lines that are neither blank nor comments. Raise Mistake."""
    start = 0
    for number, whole in enumerate(text.split("\n"), 1):
        comment = _COMMENT.search(whole)
        said = whole[: comment.start()] if comment is not None else whole
        if said.strip():
            yield _line(text, number, start, said.rstrip())
        start += len(whole) + 1


def _line(text: str, number: int, start: int, said: str) -> TriggerLine:
    column = len(said) - len(said.lstrip())
    word = _WORD.match(said, column)
    if len(said) > LONGEST_LINE:
        reason = f"a line has at most {LONGEST_LINE} characters"
        raise _mistake(TriggerFault.BAD_LINE, reason, text, number, column + 1)
    if word is None or word[0] not in tuple(TriggerKind):
        reason = (
            "begin with push, changed or after, as in push <repo>, changed /s/<space>/*.csv, after /j/<job>"
        )
        raise _mistake(TriggerFault.BAD_LINE, reason, text, number, column + 1)
    kind, begins = TriggerKind(word[0]), len(said) - len(said[word.end() :].lstrip())
    found = _TARGETS[kind].fullmatch(said, begins)
    rest = _rest(kind, found["rest"] or "") if found is not None else None
    if found is None or rest is None:
        raise _mistake(TriggerFault.BAD_TARGET, f"write {_FORMS[kind]}", text, number, begins + 1)
    name = found["name"]
    return TriggerLine(kind, found["owner"], name, rest, number, begins + 1, start + found.start("name"))


def _rest(kind: TriggerKind, rest: str) -> str | None:
    """Return the rest of a line as it is stored in a TriggerLine; None if it is wrong."""
    if kind is TriggerKind.AFTER:
        words = [word.strip() for word in rest.split("|")] if rest else [ENDS[0]]
        return "|".join(word for word in ENDS if word in words) if {*words} <= {*ENDS} else None
    if kind is TriggerKind.CHANGED:
        names = rest.removesuffix("/").split("/") if rest.strip("/") or rest == "/" else []
        wrong = {"", ".", ".."}
        if any(name in wrong or (ANY_FOLDERS in name and name != ANY_FOLDERS) for name in names):
            return None
    return rest


def _mistake(fault: TriggerFault, reason: str, text: str, line: int, column: int) -> Mistake:
    return Mistake.at(fault, reason, text, line, column)
