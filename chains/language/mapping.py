"""The parser of a grid's mapping: lines that bind labels of the layout to plots, with options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple, NoReturn

from lark import Lark

from chains.language.drawing import lines_of
from chains.language.mistake import Mistake

_ARROW = "=>"
_LABEL = re.compile(r"[^\W_]+")
_FORMS = '"/p/<plot>", "/u/<user>/p/<plot>", the address of such a plot, or its shortname'
_BYTE_ORDER_MARK = "\ufeff"
_ENDS = re.compile("(\r\n|\r|\n)")


class MappingFault(StrEnum):
    """The kinds of mistakes in a mapping's text."""

    BAD_REFERENCE = "bad_reference"


class PlotRef(NamedTuple):
    """A plot, by name or by shortname.

    `owner` is None for the owner of the grid. `origin` is the address of the server in the text, or "".
    """

    owner: str | None
    name: str
    short: bool = False
    origin: str = ""


class PlotOptions(NamedTuple):
    """Options of a cell for its plot. None leaves the choice to the viewer of the grid."""

    include_header: bool = False
    include_caption: bool = False
    mode: str | None = None
    scale: int | None = None
    transparent_background: bool | None = None


class Binding(NamedTuple):
    """The plot that a label is bound to, and its options."""

    ref: PlotRef
    options: PlotOptions


_FLAG = {"t": True, "true": True, "f": False, "false": False}
_VALUES: Mapping[str, Mapping[str, Any]] = {
    "include_header": _FLAG,
    "include_caption": _FLAG,
    "mode": {"l": "light", "light": "light", "d": "dark", "dark": "dark"},
    "scale": {"1": 1, "2": 2, "3": 3},
    "transparent_background": _FLAG,
}
_DEFAULTS = PlotOptions()._asdict()
_QUERY = {name: name for name in _VALUES} | {
    "h": "include_header",
    "c": "include_caption",
    "m": "mode",
    "tbg": "transparent_background",
}
_COMMA = _QUERY | {"s": "scale"}


def parse(text: str) -> dict[str, Binding]:
    """Return the bindings of a mapping by label. Raise Mistake for a reference in an unknown form.

    White space is ignored. Lines without an arrow or with a label that no layout can have are skipped. The
    last line of a label wins. An option with an unknown value keeps its default.
    """
    lines = lines_of(text.removeprefix(_BYTE_ORDER_MARK))
    pattern = _pattern()
    bound: dict[str, Binding] = {}
    known: _Known = {}
    for number, line in enumerate(lines, 1):
        if _ARROW not in (bare := "".join(line.split())):
            continue
        if found := pattern.fullmatch(bare):
            bound[found["label"]] = Binding(_ref(found), _options(found, known))
        elif _LABEL.fullmatch(bare.partition(_ARROW)[0]):
            _refuse(lines, number)
    return bound


def with_owner(text: str, owner: str) -> str:
    """Return the mapping with `owner` added to each plot without one, otherwise unchanged to the byte."""
    return rewritten(text, lambda ref: ref._replace(owner=ref.owner or owner))


def with_name(text: str, owner: str, was: str, name: str) -> str:
    """Return the owner's mapping after a plot was renamed, otherwise unchanged to the byte."""

    def meant(ref: PlotRef) -> PlotRef:
        return ref._replace(name=name) if (ref.owner or owner, ref.name) == (owner, was) else ref

    return rewritten(text, meant)


def rewritten(text: str, meant: Callable[[PlotRef], PlotRef]) -> str:
    """Return the mapping with each plot replaced by `meant` of it; shortnames and the rest are unchanged."""
    said = text.removeprefix(_BYTE_ORDER_MARK)
    pieces = _ENDS.split(said)
    pieces[::2] = [_line_rewritten(line, meant) for line in pieces[::2]]
    return text[: len(text) - len(said)] + "".join(pieces)


def _line_rewritten(line: str, meant: Callable[[PlotRef], PlotRef]) -> str:
    places = [at for at, sign in enumerate(line) if not sign.isspace()]
    found = _pattern().fullmatch("".join(line[at] for at in places))
    ref = _ref(found) if found else None
    if found is None or ref is None or ref.short:
        return line
    made, (start, stop) = meant(ref), found.span("plot")
    if made.name != ref.name:
        line = line[: places[start]] + made.name + line[places[stop - 1] + 1 :]
    if made.owner != ref.owner:
        at = places[start - len("p/")]
        line = f"{line[:at]}u/{made.owner}/{line[at:]}"
    return line


_Known = dict[tuple[str | None, str | None], PlotOptions]


@cache
def _pattern() -> re.Pattern[str]:
    grammar = Lark.open_from_package("chains.language", "mapping.lark", ["grammar"], parser="lalr")
    return re.compile(grammar.get_terminal("BINDING").pattern.to_regexp())


def _ref(found: re.Match[str]) -> PlotRef:
    origin, owner, plot, short = found.group("origin", "owner", "plot", "short")
    if short is not None:
        return PlotRef(None, short, True)
    return PlotRef(owner, plot, origin is not None and owner is None, origin or "")


def _options(found: re.Match[str], known: _Known) -> PlotOptions:
    """Return the options of a line. Those after commas override the query. Equal options are shared."""
    query, comma = said = found["query"], found["options"]
    if said not in known:
        values = {
            **dict(_pairs(query, "&", _QUERY)),
            **dict(_pairs(comma, ",", _COMMA)),
        }
        known[said] = PlotOptions(
            **{name: _DEFAULTS[name] if value is None else value for name, value in values.items()}
        )
    return known[said]


def query_options(query: Mapping[str, str]) -> dict[str, str | int | bool]:
    """Return the options that a query sets, by their long names. Unknown names and values are left out."""
    return {
        _QUERY[name]: _VALUES[_QUERY[name]][value]
        for name, value in query.items()
        if name in _QUERY and value in _VALUES[_QUERY[name]]
    }


def _pairs(said: str | None, mark: str, names: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the known parameters of a text with their values, None for an unknown value."""
    for pair in said.split(mark) if said else ():
        name, _, value = pair.partition("=")
        if name in names:
            yield names[name], _VALUES[names[name]].get(value)


def _refuse(lines: list[str], number: int) -> NoReturn:
    line = lines[number - 1]
    # White space is ignored within the arrow, too.
    arrow = re.search(r"=\s*>\s*", line)
    assert arrow is not None
    said = "".join(line[arrow.end() :].split())
    shown = f'"{said[:60]}" is no reference to a plot' if said else "a reference to a plot is missing"
    reason = f'{shown}: write {_FORMS}, then any options, as in "A => /p/sales, m=d"'
    raise Mistake.at(MappingFault.BAD_REFERENCE, reason, "\n".join(lines), number, arrow.end() + 1)
