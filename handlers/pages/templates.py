"""Rendering of templates to HTML; the only module that imports Jinja2.

A value that may change the text direction of its neighbours is put into a bidi isolate automatically:
templates need not do that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import zip_longest
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.runtime import Context
from markupsafe import Markup, escape

from chains.files.sizes import rounded_text
from handlers.pages.assets import address
from handlers.pages.framing import moments, reader
from handlers.pages.framing.page_words import label_of, page_words
from handlers.rules.plain_lines import balance, isolate, may_turn

LINK = Markup('<a href="{}">{}</a>')
LOADED = {
    "css": Markup('<link rel="stylesheet" href="{}" nonce="{}">'),
    "js": Markup('<script src="{}" nonce="{}" defer></script>'),
}
"""The elements that load a file of the pages, by its suffix."""
SIGNED = 'curl -H "Authorization: Bearer $TOKEN"'
"""The curl command that signs in with a token."""
IN_PAGE, IN_TITLE = "in_isolate", "in_plain_isolate"
"""Filters for a template's values: within a page, and in elements that contain only text."""
TEXT_ALONE = {"title": IN_TITLE, "option": IN_TITLE, "textarea": "", "script": "", "style": ""}
"""Elements that contain only text, with the filter for values in them."""
PAGE_NAMED = re.compile(r"(?<![\w/.~-])(/(?:settings|new|docs)/[a-z]++(?:#[a-z]++)?)(?![\w/])")
TAG = re.compile(r"<(/?)([A-Za-z!][\w-]*)|[\"'>]")


def render(name: str, facts: Mapping[str, Any]) -> bytes:
    """Return the page of a template with these values, in UTF-8. All values are escaped."""
    return _environment().get_template(name).render(facts).encode("utf-8", "replace")


@pass_context
def loads(context: Context, *names: str) -> Markup:
    """Return the elements that load style sheets and scripts of the pages."""
    nonce = context["nonce"]
    return Markup("\n").join(LOADED[name.rpartition(".")[2]].format(address(name), nonce) for name in names)


def mark_words(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text as HTML, in an isolate, with the matches of a search marked."""
    parts, last = [], 0
    for first, end in spans:
        parts += [escape(text[last:first]), Markup("<mark>{}</mark>").format(text[first:end])]
        last = end
    parts.append(escape(text[last:]))
    return Markup('<bdi dir="auto">{}</bdi>').format(Markup("").join(parts))


def refusal_html(text: str) -> object:
    """Return an error message as HTML: in words for pages, with links to the pages that it names."""
    text = page_words(text)
    if isinstance(in_isolate(text), Markup):
        return in_isolate(text)
    parts = PAGE_NAMED.split(text)
    links = [LINK.format(part, part.split("/")[1].capitalize()) for part in parts[1::2]]
    return Markup("").join(one for pair in zip_longest(map(escape, parts[::2]), links) for one in pair if one)


def in_isolate(value: object) -> object:
    """Return a value as HTML; in a `bdi` element if it may change its neighbours' text direction."""
    text = str(value)
    if isinstance(value, Markup) or not may_turn(text):
        return value
    return Markup("<bdi>{}</bdi>").format(balance(text))


def in_plain_isolate(value: object) -> object:
    """Return a value in an isolate of control characters, for an element that contains only text."""
    return value if isinstance(value, Markup) else isolate(str(value))


class Isolates(Extension):
    """Puts the values of templates into isolates, depending on their position: page, title, or tag."""

    def filter_stream(self, stream: Iterable[Token]) -> Iterator[Token]:
        """Yield the tokens of a template, with a filter around the values within a page."""
        where, isolate, word = TemplateScan(), "", ""
        for token in stream:
            if token.type == "variable_end" and isolate:
                for kind, value in (("rparen", ")"), ("pipe", "|"), ("name", isolate)):
                    yield Token(token.lineno, kind, value)
            yield token
            if token.type == "data":
                where.read(token.value)
            elif token.type == "variable_begin":
                isolate = where.isolate
                if isolate:
                    yield Token(token.lineno, "lparen", "(")
            elif token.type == "name" and (word == "block" or token.value == "endblock"):
                where.is_title = (word, token.value) == ("block", "title")
            word = token.value if token.type == "name" else ""


class TemplateScan:
    """The state of scanning a template, piece by piece."""

    def __init__(self) -> None:
        self.is_title = False
        self._tag = self._quote = self._inside = ""
        self._drawings = 0

    @property
    def isolate(self) -> str:
        """The filter for a value at this position; "" if it is left as it is."""
        if self._tag:
            return ""
        if self._inside:
            return TEXT_ALONE[self._inside]
        return IN_TITLE if self.is_title or self._drawings else IN_PAGE

    def read(self, text: str) -> None:
        """Scan a piece of the template's own text."""
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
    made.filters.update(
        refusal=refusal_html,
        label=label_of,
        lasting=moments.lasting,
        sized=rounded_text,
        counted=moments.group_digits,
        ago=moments.ago,
        clock=moments.clock,
        clock_time=moments.clock_time,
        date=moments.date,
        exact=moments.exact,
    )
    made.filters.update({IN_PAGE: in_isolate, IN_TITLE: in_plain_isolate})
    made.globals.update(
        signed=SIGNED,
        asset=address,
        loads=loads,
        typed=reader.text_of,
        wrong=reader.wrong,
        ticked=reader.is_ticked,
    )
    return made
