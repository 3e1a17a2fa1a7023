"""useradd, adduser, groupadd and addgroup for images that are made here; copied into them unchanged.

Busybox has none of them, and recipes make the user that their program runs as.
"""

from __future__ import annotations

import getopt
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PROGRAMS: Mapping[str, tuple[str, str]] = {
    "useradd": (
        "mMrNUlou:g:G:d:s:c:p:k:b:e:f:K:",
        "create-home no-create-home system no-user-group user-group no-log-init non-unique uid= gid= groups= "
        "home-dir= home= shell= comment= password= skel= base-dir= expiredate= inactive= key=",
    ),
    "adduser": (
        "DHSqu:G:h:s:g:k:",
        "disabled-password disabled-login no-create-home system group quiet debug verbose force-badname "
        "allow-bad-names uid= gid= ingroup= home= shell= gecos= comment= conf= firstuid= lastuid=",
    ),
    "groupadd": ("rfog:K:p:", "system force non-unique gid= key= password="),
    "addgroup": ("Sqg:", "system quiet gid= firstgid= lastgid="),
}
"""The options of each program, short ones and long ones (getopt(3))."""

SHORT: Mapping[str, Mapping[str, str]] = {
    "useradd": {
        "m": "create-home",
        "M": "no-create-home",
        "r": "system",
        "N": "no-user-group",
        "u": "uid",
        "g": "gid",
        "G": "groups",
        "d": "home",
        "s": "shell",
        "c": "comment",
        "b": "base-dir",
    },
    "adduser": {
        "H": "no-create-home",
        "S": "system",
        "u": "uid",
        "G": "ingroup",
        "h": "home",
        "s": "shell",
        "g": "gecos",
    },
    "groupadd": {"r": "system", "f": "force", "g": "gid"},
    "addgroup": {"S": "system", "g": "gid"},
}
SAME = {"home-dir": "home", "ingroup": "gid", "gecos": "comment"}
PEOPLE, SYSTEM, USERS, NOBODY = range(1000, 60_000), range(999, 99, -1), "100", "65534"
"""Id ranges of normal and system accounts, and the default groups."""

Rows = list[list[str]]


class Refused(Exception):
    """An account cannot be made; `str()` gives the reason."""


class Accounts:
    """The accounts and groups in a folder `etc` (passwd(5), group(5))."""

    def __init__(self, etc: Path) -> None:
        self._etc = etc
        self.users = _rows(etc / "passwd")
        self.groups = _rows(etc / "group")

    def save(self) -> None:
        """Write both files."""
        for name, rows in (("passwd", self.users), ("group", self.groups)):
            (self._etc / name).write_text("".join(":".join(row) + "\n" for row in rows))

    def group(self, word: str) -> list[str]:
        """Return a group by name or number. Raises Refused."""
        for row in self.groups:
            if word in (row[0], row[2]):
                return row
        raise Refused(f"group '{word}' does not exist")

    def add_group(self, name: str, number: str | None, system: bool) -> str:
        """Make a group; return its id. Raises Refused."""
        if any(row[0] == name for row in self.groups):
            raise Refused(f"group '{name}' already exists")
        number = number or _free(self.groups, system)
        self.groups.append([_proper(name), "x", _number(number), ""])
        return number

    def join(self, user: str, group: str) -> None:
        """Add a user to a group. Raises Refused."""
        row = self.group(group)
        members = [member for member in row[3].split(",") if member]
        row[3] = ",".join(dict.fromkeys([*members, user]))

    def add_user(self, name: str, said: Mapping[str, str], program: str) -> list[str]:
        """Make a user from options; return its entry. Raises Refused."""
        if any(row[0] == name for row in self.users):
            raise Refused(f"user '{name}' already exists")
        system = "system" in said
        number = _number(said.get("uid") or _free([*self.users, *self.groups], system))
        bare = system and program == "adduser"
        base = "/nonexistent" if bare else f"{said.get('base-dir', '/home')}/{name}"
        group = self._group_of(name, number, said, bare=bare)
        shell = said.get("shell") or ("/usr/sbin/nologin" if bare else "/bin/sh")
        row = [_proper(name), "x", number, group, said.get("comment", ""), said.get("home") or base, shell]
        self.users.append(row)
        for other in said.get("groups", "").split(","):
            if other:
                self.join(name, other)
        return row

    def _group_of(self, name: str, number: str, said: Mapping[str, str], *, bare: bool) -> str:
        if named := said.get("gid"):
            return self.group(named)[2]
        if "no-user-group" in said:
            return USERS
        if bare and "group" not in said:
            return NOBODY
        taken = any(row[2] == number for row in self.groups)
        return self.add_group(name, None if taken else number, "system" in said)


def main(words: Sequence[str], etc: Path = Path("/etc"), root: Path = Path("/")) -> int:
    """Run a command line, the program's name first; return its exit code."""
    program = Path(words[0]).name
    try:
        _run(program, words[1:], Accounts(etc), root)
    except (Refused, getopt.GetoptError, OSError) as error:
        sys.stderr.write(f"{program}: {error}\n")
        return 1
    return 0


def _run(program: str, words: Sequence[str], accounts: Accounts, root: Path) -> None:
    short, long = PROGRAMS[program]
    options, names = getopt.gnu_getopt(list(words), short, long.split())
    said = dict(_by_long_names(program, options))
    if len(names) == 2 and program.startswith("add"):
        accounts.join(*names)
    elif len(names) != 1:
        raise Refused("give exactly one name")
    elif program == "groupadd" and "force" in said and any(row[0] == names[0] for row in accounts.groups):
        return
    elif program in ("groupadd", "addgroup"):
        accounts.add_group(names[0], said.get("gid"), "system" in said)
    else:
        _make_home(accounts.add_user(names[0], said, program), said, program, root)
    accounts.save()


def _make_home(user: list[str], said: Mapping[str, str], program: str, root: Path) -> None:
    wanted = "create-home" in said or (program == "adduser" and "system" not in said)
    if wanted and "no-create-home" not in said:
        home = root / user[5].lstrip("/")
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o755)
        os.chown(home, int(user[2]), int(user[3]))


def _by_long_names(program: str, options: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield options by their long names, the same for all programs."""
    for option, value in options:
        name = option.lstrip("-")
        name = name if option.startswith("--") else SHORT[program].get(name, name)
        yield SAME.get(name, name), value


def _rows(file: Path) -> Rows:
    lines = file.read_text().splitlines() if file.exists() else []
    return [line.split(":") for line in lines if line.count(":") >= 3]


def _free(rows: Rows, system: bool) -> str:
    taken = {row[2] for row in rows}
    return next(str(number) for number in (SYSTEM if system else PEOPLE) if str(number) not in taken)


def _number(word: str) -> str:
    if not (word.isascii() and word.isdecimal() and len(word) < 10):
        raise Refused(f"'{word}' is no number of a user or group")
    return word


def _proper(name: str) -> str:
    if not name or not name.isprintable() or any(sign in name for sign in ":/, "):
        raise Refused(f"'{name}' is no name")
    return name
