"""Short words for the common leaves of a resource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vfs.access import Verb
from vfs.errors import Invalid
from vfs.nodes import KIB, Check, File, Read, Rules, Write
from vfs.rules import COVERED, INFO, SIGNED_IN, Rule

TRUE = frozenset({"yes", "y", "yeah", "yup", "true", "t", "ok", "ye", "on", "1"})
FALSE = frozenset({"no", "n", "nope", "false", "f", "off", "0"})
SEEN_BY_ALL: Rules = {Verb.READ: INFO}


def text(default: str = "", *, about: str = "", largest: int = 256 * KIB, **more: Any) -> File:
    """Stored text, kept to the byte."""
    return File(default=default, about=about, largest=largest, **more)


def line(default: str = "", *, about: str = "", **more: Any) -> File:
    """A short text of one thought: a name, a summary; at most 1 KiB."""
    return text(default, about=about, largest=KIB, **more)


def choice(*values: str, default: str, about: str = "", **more: Any) -> File:
    """One of a set of words, stored without the blanks around it.

    Anything else is Invalid and changes nothing.
    """
    return File(check=one_of(values), default=default, values=values, largest=KIB, about=about, **more)


def flag(default: bool, *, words: tuple[str, str] = ("true", "false"), about: str = "", **more: Any) -> File:
    """A yes-or-no file answered in canonical words (decisions 30)."""
    return File(
        check=lambda sent: words[0] if boolean(sent) else words[1],
        default=words[0] if default else words[1],
        values=words,
        largest=KIB,
        about=about,
        **more,
    )


def value(read: Read, *, about: str = "", **more: Any) -> File:
    """A file made by a hook when it is read, never written."""
    return File(read, fixed=True, about=about, **more)


def action(write: Write, *, needs: Rule, about: str = "", **more: Any) -> File:
    """A file that is only written, to make something happen."""
    return File(None, write, silent=True, clear=False, rules={Verb.WRITE: needs}, about=about, **more)


def mine(*values: str, default: str, about: str = "") -> File:
    """One of a set of words, kept per caller; open to signed-in callers who see the item."""
    return File(
        check=one_of(values),
        default=default,
        values=values,
        largest=KIB,
        mine=True,
        still=True,
        clear=False,
        rules={Verb.READ: INFO & SIGNED_IN, Verb.WRITE: INFO & SIGNED_IN & COVERED},
        about=about,
    )


def one_of(values: Iterable[str]) -> Check:
    """A check that admits these words only."""
    known = tuple(values)

    def check(sent: str) -> str:
        word = sent.strip()
        if word not in known:
            raise Invalid(f'"{word[:80]}" is not one of {", ".join(known)}')
        return word

    return check


def boolean(sent: str) -> bool:
    """The truth that a word of decisions 30 tells. Raises Invalid on any other."""
    word = sent.strip().lower()
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise Invalid(f'"{word[:80]}" says neither yes nor no: send yes, true, on or 1, or no, false, off or 0')


def number(lowest: int, highest: int) -> Check:
    """A check that admits whole numbers of a range."""

    def check(sent: str) -> str:
        word = sent.strip()
        if not word.isascii() or not word.isdigit() or not lowest <= int(word) <= highest:
            raise Invalid(f'"{word[:80]}" is not a whole number from {lowest} to {highest}')
        return str(int(word))

    return check
