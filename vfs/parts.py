"""Short functions that make the common leaves of a resource."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vfs.access import Verb
from vfs.errors import Invalid
from vfs.nodes import KIB, Check, File, Read, Rules, Write
from vfs.rules import COVERED, INFO, SIGNED_IN, Rule

TRUE = frozenset({"yes", "y", "yeah", "yup", "true", "t", "ok", "ye", "on", "1"})
FALSE = frozenset({"no", "n", "nope", "false", "f", "off", "0"})
SEEN_BY_ALL: Rules = {Verb.READ: INFO}


def text(default: str = "", *, about: str = "", largest: int = 256 * KIB, **more: Any) -> File:
    """Return a file of stored text, kept byte for byte."""
    return File(default=default, about=about, largest=largest, **more)


def line(default: str = "", *, about: str = "", **more: Any) -> File:
    """Return a file of a short text, such as a name or a summary; at most 1 KiB."""
    return text(default, about=about, largest=KIB, **more)


def choice(*values: str, default: str, about: str = "", **more: Any) -> File:
    """Return a file with one of a set of words, stored without surrounding blanks.

    Anything else is Invalid and changes nothing.
    """
    return File(check=one_of(values), default=default, values=values, largest=KIB, about=about, **more)


def flag(default: bool, *, words: tuple[str, str] = ("true", "false"), about: str = "", **more: Any) -> File:
    """Return a yes-or-no file, answered in canonical words (decisions 30)."""
    return File(
        check=lambda sent: words[0] if boolean(sent) else words[1],
        default=words[0] if default else words[1],
        values=words,
        largest=KIB,
        about=about,
        **more,
    )


def value(read: Read, *, about: str = "", **more: Any) -> File:
    """Return a read-only file whose content a hook computes on each read."""
    return File(read, fixed=True, about=about, **more)


def action(write: Write, *, needs: Rule, about: str = "", **more: Any) -> File:
    """Return a file that can only be written, to run an action."""
    return File(None, write, silent=True, clear=False, rules={Verb.WRITE: needs}, about=about, **more)


def mine(*values: str, default: str, about: str = "") -> File:
    """Return a file of one of a set of words, one per caller, for signed-in callers who see the item."""
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
    """Return a check that accepts only these words."""
    known = tuple(values)

    def check(sent: str) -> str:
        word = sent.strip()
        if word not in known:
            raise Invalid(f'"{word[:80]}" is not one of {", ".join(known)}')
        return word

    return check


def parsed_by(parse: Callable[[str], object]) -> Check:
    """Return a check that leaves a text unchanged if it parses, and raises as `parse` does."""

    def check(sent: str) -> str:
        parse(sent)
        return sent

    return check


def boolean(sent: str) -> bool:
    """Return the truth value of a word of decisions 30. Raises Invalid for any other word."""
    word = sent.strip().lower()
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise Invalid(f'"{word[:80]}" is neither yes nor no: send yes, true, on or 1, or no, false, off or 0')


def number(lowest: int, highest: int) -> Check:
    """Return a check that accepts whole numbers of a range."""

    def check(sent: str) -> str:
        word = sent.strip()
        if not word.isascii() or not word.isdigit() or not lowest <= int(word) <= highest:
            raise Invalid(f'"{word[:80]}" is not a whole number from {lowest} to {highest}')
        return str(int(word))

    return check
