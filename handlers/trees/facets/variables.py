"""Variables of a resource: named values with a type and a format, quoted in texts and shown formatted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from handlers.services.alerts.alert_rules import alert_text
from handlers.services.alerts.value_alerts import RULES, rules_written, value_written
from handlers.services.world import World
from handlers.trees.facets.declared_files import alert_targets, states
from handlers.words.variables import ansi, format_value, is_number
from vfs.access import Verb
from vfs.call import Data, Signs
from vfs.context import Context
from vfs.errors import Invalid, TooLarge
from vfs.nodes import KIB, Dir, Each, Named
from vfs.param import Param
from vfs.parts import choice, text, value
from vfs.ports.leaves import Leaf, text_at
from vfs.rules import R, Rule, W, X

FOLDER = "vars"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")
NAME_RULE = "a lowercase letter or digit, then up to 49 more of a-z, 0-9, _ and -"
TYPES = ("relative", "number", "date", "text")
DEFAULTS: Mapping[str, str] = {"value": "", "type": "number", "format": "", "about": "", "threshold": ""}
SHORT, LONG = 50, 250
MOST_BYTES = 4  # UTF-8 bytes of a character

QUOTE: Param[dict[str, str]] = Param("var")


def at_most(characters: int) -> Callable[[str], str]:
    """Return a check for a text of at most `characters`, without its final line ending. Raises TooLarge."""

    def check(sent: str) -> str:
        if (length := len(sent.rstrip("\r\n"))) > characters:
            raise TooLarge(f"it has {length} characters, and {characters} fit here: shorten it")
        return sent

    return check


def threshold(sent: str) -> str:
    """Return a number to compare with, or empty text. Raises Invalid, TooLarge."""
    word = at_most(SHORT)(sent).strip()
    if word and not is_number(word):
        raise Invalid(f'"{word}" is no number to compare with: send one such as 0 or -2.5')
    return word


def kind(context: Context[World]) -> str:
    """Return the type of the variable that a file belongs to."""
    return text_at(context.world.leaves, context.here.id, f"{_folder(context)}/type", DEFAULTS["type"])


RELATIVE = Rule("relative", lambda p: kind(p) == "relative", "a variable of the type relative")
WATCHED = Rule(
    "watched",
    lambda p: bool(p.world.leaves.texts_of([p.here.id], [f"{_folder(p)}/{RULES}"])),
    "a variable with alerts",
)
FORMATTED = Rule("formatted", lambda p: kind(p) != "text", "a variable of another type than text")


def find_fields(
    context: Context[World], name: str, fields: Collection[str] = DEFAULTS, names: re.Pattern[str] = NAME
) -> str | None:
    """Return the name of a folder of fields, such as a variable, or of one that a write begins.

    This lets clients upload a copied folder file by file.
    """
    kept, path = context.world.leaves, context.call.path
    if kept.get(context.here.id, context.rel) is not None or kept.under(context.here.id, context.rel):
        return name
    begins = context.call.verb in (Verb.WRITE, Verb.CREATE) and path[-2] == name and path[-1] in fields
    return name if begins and names.fullmatch(name) else None


def rename(context: Context[World], name: str) -> None:
    """Rename a variable."""
    context.world.leaves.move(context.here.id, context.rel, f"{FOLDER}/{name}")
    context.world.social.alerts.move(context.here.id, context.rel, f"{FOLDER}/{name}")


def remove(context: Context[World]) -> None:
    """Remove a variable with its alerts."""
    context.world.leaves.clear(context.here.id, context.rel)
    context.world.social.alerts.drop(context.here.id, context.rel)


def _folder(context: Context[World]) -> str:
    """Return the path of the variable that a file belongs to."""
    return context.rel.rpartition("/")[0]


def accept_value(context: Context[World], sent: str) -> str:
    """Judge the alerts of the variable by its new value."""
    value_written(context.world, context.here, _folder(context), sent)
    return sent


def accept_alert(context: Context[World], rules: str) -> str:
    """Put the alerts into effect at once."""
    rules_written(context.world, context.here, _folder(context), rules)
    return rules


def clear_alert(context: Context[World]) -> None:
    """Remove the alerts of the variable."""
    context.world.leaves.clear(context.here.id, context.rel)
    accept_alert(context, "")


def variables(context: Context[World]) -> dict[str, dict[str, str]]:
    """Return every variable of an item by name, in one query: its fields with their defaults."""
    return gather(context.world.leaves.texts(context.here.id, FOLDER))


def gather(leaves: Iterable[Leaf]) -> dict[str, dict[str, str]]:
    """Return the variables of one item by name, from their leaves."""
    found: dict[str, dict[str, str]] = {}
    for leaf in leaves:
        _note(found, leaf)
    return found


def _note(found: dict[str, dict[str, str]], leaf: Leaf) -> None:
    _, name, *field = leaf.rel.split("/")
    fields = found.setdefault(name, {"id": name, "name": name, **DEFAULTS})
    if field:
        fields[field[0]] = (leaf.text or "").rstrip("\r\n")


def _with_format(fields: Mapping[str, str]) -> dict[str, str]:
    return {**fields, "formatted": _as_text(fields)}


def _as_text(fields: Mapping[str, str]) -> str:
    return format_value(fields["value"], fields["type"], fields["format"])


def _as_ansi(fields: Mapping[str, str]) -> str:
    return ansi(fields["value"], fields["type"], fields["format"], fields["threshold"])


def _entries(context: Context[World]) -> Iterator[Named]:
    stamp = context.here.last_modified
    for name, fields in variables(context).items():
        yield Named(name, context.here.created_on, stamp, fields)


def _one(context: Context[World]) -> dict[str, str]:
    return context[QUOTE]


VARIABLE = Dir(
    {
        "value": text(
            check=at_most(SHORT),
            accept=accept_value,
            largest=SHORT * MOST_BYTES,
            about="a number, a date or a text",
        ),
        "type": choice(*TYPES, default=DEFAULTS["type"], about="its type"),
        "format": text(
            check=at_most(SHORT),
            largest=SHORT * MOST_BYTES,
            listed=FORMATTED,
            about="its format, such as +,.1% or $2m or %d %b %Y",
        ),
        "about": text(check=at_most(LONG), largest=LONG * MOST_BYTES, about="its description"),
        "threshold": text(
            check=threshold,
            largest=SHORT * MOST_BYTES,
            listed=RELATIVE,
            about="the number that a relative value is compared with (default 0)",
        ),
        RULES: text(
            check=alert_text,
            accept=accept_alert,
            clear=clear_alert,
            largest=KIB,
            listed=WATCHED,
            about="when to notify, a line each: below 10, above 3, changes by 20%, silent for 2d",
        ),
        "to": alert_targets(W, WATCHED),
        "state": states(WATCHED),
    },
    about="a variable",
)

VARIABLES = Each(
    Param("var"),
    VARIABLE,
    has=partial(find_fields, fields=(*DEFAULTS, RULES, "to")),
    rename=rename,
    remove=remove,
    name=NAME,
    name_rule=NAME_RULE,
    candid=True,
    about="variables, quoted in texts as {/u/<user>/<letter>/<name>/v/<var>}",
)

# The same variables by short paths: read-only, one document each, with the formatted value.
QUOTED = Each(
    QUOTE,
    Dir(
        {
            "txt": value(lambda p: _as_text(_one(p)), rules={Verb.READ: X}, about="the value as text"),
            "ansi": value(
                lambda p: _as_ansi(_one(p)),
                rules={Verb.READ: X},
                signs=Signs.COLORS,
                about="the value in the colours of terminals",
            ),
        },
        read=lambda context: Data(_with_format(_one(context))),
        about="a variable, as one JSON object",
    ),
    names=_entries,
    has=lambda context, name: variables(context).get(name),
    read=lambda context: Data([_with_format(fields) for fields in variables(context).values()]),
    name=NAME,
    fixed=True,
    rules={Verb.READ: R},
    about="variables, as a JSON list of objects",
)
