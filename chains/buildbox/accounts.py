"""The numbers of an image's user, from the image's own lists of accounts (passwd(5))."""

from __future__ import annotations

from collections.abc import Iterator

from chains.buildbox.layout import ImageRefused

IDS = 65_536
GROUPS = ("/etc/group", "groupadd")
ROOT = ("", "0", "root")


def is_root(user: str) -> bool:
    """Return whether the user of an image is root, which is the default."""
    return user.partition(":")[0] in ROOT


def numbers(user: str, passwd: str, group: str) -> str:
    """Return the user and group in `name`, `name:group` or numbers as two numbers. Raise ImageRefused."""
    name, _, named = user.partition(":")
    account = _find(passwd, name)
    number = _number(account[2] if account else name, f"USER {name}", "/etc/passwd", "useradd")
    if named:
        found = _find(group, named)
        return f"{number}:{_number(found[2] if found else named, f'the group {named} of USER', *GROUPS)}"
    own = account[3] if account and len(account) > 3 else "0"
    return f"{number}:{_number(own, f'the group of USER {name}', *GROUPS)}"


def _find(listed: str, word: str) -> list[str] | None:
    """Return the fields of the account with this name or number, or None."""
    return next((fields for fields in _fields(listed) if word in (fields[0], fields[2])), None)


def _fields(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) >= 3:
            yield fields


def _number(word: str, what: str, where: str, program: str) -> int:
    if not (word.isascii() and word.isdecimal()):
        raise ImageRefused(f"{what} is not in the image's {where}: make it before USER, by RUN {program}")
    if len(word) > 9 or int(word) >= IDS:
        raise ImageRefused(f"{what} has the number {word[:20]}, and none above {IDS - 1} is mapped")
    return int(word)
