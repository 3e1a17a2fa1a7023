"""The names of shares: their targets and permission letters (interface, Sharing; R-8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from vfs.errors import Denied, Invalid
from vfs.path import NAME

LETTERS = "rwdx"
PLAIN = "x"
FORMS = (
    '"@<user>", "@<user>~<group>", "+<org>~<group>" or "public", '
    'then "~<letters>" of r, w, d, x when you want others than x'
)


class TargetKind(StrEnum):
    """Kinds of targets that a share can have."""

    PUBLIC = "public"
    USER = "user"
    USER_GROUP = "user_group"
    ORG_GROUP = "org_group"


@dataclass(frozen=True, slots=True)
class Target:
    """A share's target: `name` as it was sent, its permission `letters` in the order r, w, d, x.

    `owner` is the named user or organisation, `group` its group; both are empty for the public.
    """

    name: str
    kind: TargetKind
    owner: str
    group: str
    letters: str

    @property
    def target(self) -> str:
        """The target without letters, as grants and memberships spell it."""
        if self.kind is TargetKind.PUBLIC:
            return "public"
        sign = "+" if self.kind is TargetKind.ORG_GROUP else "@"
        return f"{sign}{self.owner}" + (f"~{self.group}" if self.group else "")


def parse(name: str) -> Target:
    """Return the target of a share's name. Raises Invalid with the forms, Denied for an org alone."""
    head, *rest = name.split("~")
    if head == "public":
        return _public(name, rest)
    if head.startswith("+") and NAME.fullmatch(head[1:]):
        return _org_group(name, head[1:], rest)
    if head.startswith("@") and NAME.fullmatch(head[1:]):
        return _user(name, head[1:], rest)
    if head == "link":
        raise Invalid(f'"{name[:80]}" is no link, or its name is malformed: of visuals, write link~<name>')
    raise _odd(name)


def spells_letters(word: str) -> bool:
    """Return whether a word has only permission letters, which no group name may have (decisions A2)."""
    return bool(word) and set(word) <= set(LETTERS)


def _public(name: str, rest: list[str]) -> Target:
    if len(rest) > 1:
        raise _odd(name)
    letters = _letters(name, rest[0]) if rest else PLAIN
    if set(letters) & {"w", "d"}:
        raise Invalid("a share with the public cannot grant w or d: use r, x or both")
    return Target(name, TargetKind.PUBLIC, "", "", letters)


def _org_group(name: str, org: str, rest: list[str]) -> Target:
    if not rest or not rest[0]:
        raise Denied(f"+{org} alone cannot be shared with: name a group of it, as in +{org}~<group>")
    if len(rest) > 2 or not NAME.fullmatch(rest[0]):
        raise _odd(name)
    return Target(
        name, TargetKind.ORG_GROUP, org, rest[0], _letters(name, rest[1]) if len(rest) == 2 else PLAIN
    )


def _user(name: str, user: str, rest: list[str]) -> Target:
    if not rest:
        return Target(name, TargetKind.USER, user, "", PLAIN)
    if len(rest) == 1 and (spells_letters(rest[0]) or not rest[0]):
        return Target(name, TargetKind.USER, user, "", _letters(name, rest[0]))
    if len(rest) > 2 or not NAME.fullmatch(rest[0]):
        raise _odd(name)
    return Target(
        name, TargetKind.USER_GROUP, user, rest[0], _letters(name, rest[1]) if len(rest) == 2 else PLAIN
    )


def _letters(name: str, word: str) -> str:
    if not re.fullmatch(f"[{LETTERS}]+", word) or len(set(word)) != len(word):
        raise Invalid(
            f'"{word}" in "{name[:80]}" is no set of permissions: write each of r, w, d, x at most once'
        )
    return "".join(letter for letter in LETTERS if letter in word)


def _odd(name: str) -> Invalid:
    return Invalid(f'"{name[:80]}" names nobody to share with: write {FORMS}')
