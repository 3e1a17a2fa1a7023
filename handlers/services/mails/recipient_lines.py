"""Recipients of a mail as people write them, one a line: all lines are understood, or nothing changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vfs.errors import Invalid

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)
NAMED = re.compile(r"[^<>@\r\n]{0,200}<([^<>]{3,320})>")
FORMS = (
    ("group of an organisation", re.compile(rf"\+({NAME})~({NAME})", re.IGNORECASE)),
    ("group of a user", re.compile(rf"@({NAME})~({NAME})", re.IGNORECASE)),
    ("user", re.compile(rf"@({NAME})", re.IGNORECASE)),
)
SELF = frozenset({"me", "self"})
MOST_LINES, MOST_NAMED, MOST_TOLD, LONGEST_SHOWN = 10_000, 20, 1_000, 100


@dataclass(frozen=True, slots=True)
class MailRecipient:
    """A recipient as it was written: `kind` is address, user, group of a user or group of an organisation."""

    kind: str
    name: str
    group: str = ""


def read_recipients(text: str, owner: str) -> tuple[MailRecipient, ...]:
    """The recipients that lines name, each once. Raises Invalid that names every line which is none."""
    found: dict[MailRecipient, None] = {}
    rejected: list[str] = []
    for number, line in enumerate(_entries(text), 1):
        if number > MOST_LINES:
            raise Invalid(f"a list has at most {MOST_LINES:,} recipients: send the mail to a group")
        recipient = _recipient(line, owner)
        if recipient is None:
            rejected.append(line[:LONGEST_SHOWN])
        else:
            found[recipient] = None
    if rejected:
        shown = ", ".join(f'"{line}"' for line in rejected[:MOST_NAMED])
        more = f" and {len(rejected) - MOST_NAMED} more" if len(rejected) > MOST_NAMED else ""
        raise Invalid(
            f"these recipients are not understood: {shown}{more}; the list is as it was. Write a line each: "
            "name@host, @user, me, +org~group or @user~group",
            rejected=[{"line": line, "reason": _reason(line)} for line in rejected[:MOST_TOLD]],
        )
    return tuple(found)


def _reason(line: str) -> str:
    """The reason why a line is no recipient."""
    if "," in line:
        return "recipients stand on a line each, without commas"
    if line.startswith("+") and "~" not in line:
        return "an organisation gets no mail, its groups do: +org~group"
    if line.startswith(("@", "+")):
        return "it is no name of a user or a group: @user, @user~group or +org~group"
    if "@" in line:
        return "it is no mail address: name@host, with a host that has a dot"
    return "it is neither an address nor a user: name@host or @user"


def _entries(text: str) -> list[str]:
    """The entries of a list: by line or semicolon, and by space where no entry has a name before it."""
    entries: list[str] = []
    for piece in re.split(r"[\r\n;]+", text):
        entries += [piece.strip()] if "<" in piece else piece.split()
    return [entry for entry in entries if entry]


def _recipient(entry: str, owner: str) -> MailRecipient | None:
    if entry.lower() in SELF:
        return MailRecipient("user", owner)
    named = NAMED.fullmatch(entry)
    address = (named[1] if named else entry).strip()
    if ADDRESS.fullmatch(address) and not re.search(r"^\.|\.\.|\.@", address):
        local, _, domain = address.rpartition("@")
        return MailRecipient("address", f"{local}@{domain.lower()}")
    for kind, form in FORMS:
        if found := form.fullmatch(entry):
            return MailRecipient(kind, *(part.lower() for part in found.groups()))
    return None
