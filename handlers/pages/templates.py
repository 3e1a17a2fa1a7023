"""Templates to HTML: the one importer of Jinja2.

Whatever a template says in the midst of a page stands in an isolate of its own, if it may turn the order of
its neighbours: the templates need not think of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token
from markupsafe import Markup, escape

from chains.files.sizes import rounded_text
from handlers.pages.assets import address
from handlers.pages.framing import moments, reader
from handlers.rules.foreign_words import balance, isolate, may_turn

SIGNED = 'curl -H "Authorization: Bearer $TOKEN"'
"""The program of lines for a terminal, with what signs in."""
IN_PAGE, IN_TITLE = "in_isolate", "in_plain_isolate"
"""Filters of what a template says between the tags of a page, and where it is text alone."""
TEXT_ALONE = {"title": IN_TITLE, "option": IN_TITLE, "textarea": "", "script": "", "style": ""}
"""Elements that hold no others, with the filter of what a template says in them."""
TAG = re.compile(r"<(/?)([A-Za-z!][\w-]*)|[\"'>]")


def render(name: str, facts: Mapping[str, Any]) -> bytes:
    """The page that a template makes of these facts, in UTF-8. Whatever stands in a fact is escaped."""
    return _environment().get_template(name).render(facts).encode("utf-8", "replace")


def mark_words(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text as it stands in a page, in an isolate, with the marks of what was looked for."""
    parts, last = [], 0
    for first, end in spans:
        parts += [escape(text[last:first]), Markup("<mark>{}</mark>").format(text[first:end])]
        last = end
    parts.append(escape(text[last:]))
    return Markup('<bdi dir="auto">{}</bdi>').format(Markup("").join(parts))


def in_isolate(value: object) -> object:
    """A fact as it stands in a page, in an element `bdi` if it may turn the order of its neighbours."""
    text = str(value)
    if isinstance(value, Markup) or not may_turn(text):
        return value
    return Markup("<bdi>{}</bdi>").format(balance(text))


def in_plain_isolate(value: object) -> object:
    """The same where a page has text alone."""
    return value if isinstance(value, Markup) else isolate(str(value))


class Isolates(Extension):
    """Puts what templates say into isolates, by where it stands: in a page, in a title, or in a tag."""

    def filter_stream(self, stream: Iterable[Token]) -> Iterator[Token]:
        """The tokens of a template, with a filter around what is said in a page."""
        where, told, word = TemplateScan(), "", ""
        for token in stream:
            if token.type == "variable_end" and told:
                for kind, value in (("rparen", ")"), ("pipe", "|"), ("name", told)):
                    yield Token(token.lineno, kind, value)
            yield token
            if token.type == "data":
                where.read(token.value)
            elif token.type == "variable_begin":
                told = where.isolate
                if told:
                    yield Token(token.lineno, "lparen", "(")
            elif token.type == "name" and (word == "block" or token.value == "endblock"):
                where.is_title = (word, token.value) == ("block", "title")
            word = token.value if token.type == "name" else ""


class TemplateScan:
    """The state of reading a template, piece by piece."""

    def __init__(self) -> None:
        self.is_title = False
        self._tag = self._quote = self._inside = ""
        self._drawings = 0

    @property
    def isolate(self) -> str:
        """The filter of what is said here; "" where it is to stay as it is."""
        if self._tag:
            return ""
        if self._inside:
            return TEXT_ALONE[self._inside]
        return IN_TITLE if self.is_title or self._drawings else IN_PAGE

    def read(self, text: str) -> None:
        """Go on over a piece of the template's own text."""
        for mark in TAG.finditer(text):
            if self._quote:
                self._quote = "" if mark[0] == self._quote else self._quote
            elif self._tag and mark[0] in "\"'":
                self._quote = mark[0]
            elif self._tag and mark[0] == ">":
                self._tag = ""
            elif not self._tag and mark[2]:
                self._begin(mark[2].lower(), closing=bool(mark[1]))

    def _begin(self, name: str, *, closing: bool) -> None:
        self._tag = name
        if name in TEXT_ALONE:
            self._inside = "" if closing else name
        elif name == "svg":
            self._drawings += -1 if closing else 1


@cache
def _environment() -> Environment:
    made = Environment(
        extensions=[Isolates],
        loader=PackageLoader("handlers.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(lasting=moments.lasting, sized=rounded_text, counted=moments.group_digits)
    made.filters.update(ago=reader.ago, clock=reader.clock, exact=reader.exact)
    made.filters.update(clock_time=reader.clock_time)
    made.filters.update({IN_PAGE: in_isolate, IN_TITLE: in_plain_isolate})
    made.globals.update(signed=SIGNED, asset=address, typed=reader.text_of, wrong=reader.wrong)
    return made
