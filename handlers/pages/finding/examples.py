"""Examples of things, each made with one click: to be looked at, changed and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handlers.pages.request import PageRequest
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Conflict
from vfs.path import Path

ROWS = """month,north,south
Jan,11,3
Feb,8,9
Mar,14,6
Apr,17,12
May,21,15
Jun,19,18
"""
LAYOUT = """+-----------------+---------------+
|                 |               |
|       {A}       |      {B}      |
|                 |               |
+-----------------+---------------+
"""
REPORT = """---
title: Curlews in spring
---
# What was counted
More in the north than in the south, *as every year*.

{{ vis ref: /p/example-counts }}

# What to do next
Change this text, or the rows of the chart: the document follows.
"""
LETTER = """{{ preview }}
More in the north than in the south.
{{ /preview }}

# Counts of the spring

{{ vis ref: /p/example-counts }}

This is a draft: it goes to nobody until you write down who gets it and press Send.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Something to begin with: where its kind is, its name, its texts, and the examples that it shows."""

    word: str
    says: str
    family: str
    folder: str
    letter: str
    name: str
    texts: Mapping[str, str]
    shows: Sequence[str] = field(default_factory=tuple)


EXAMPLES: Mapping[str, Example] = {
    one.word: one
    for one in (
        Example(
            "chart",
            "A chart of a small table. Change a number or its type, and look again.",
            "vis",
            "plots",
            "p",
            "example-counts",
            {
                "name": "Curlews counted",
                "summary": "An example: rows with commas between, drawn as bars",
                "data": ROWS,
                "config/type": "bar",
                "config/title": "More in the north",
            },
        ),
        Example(
            "board",
            "A grid: the chart twice, side by side, in boxes that are drawn with letters.",
            "vis",
            "grids",
            "g",
            "example-board",
            {
                "name": "Board of counts",
                "summary": "An example: plots side by side",
                "layout": LAYOUT,
                "mapping": "A => /p/example-counts\nB => /p/example-counts, h=t\n",
            },
            ("chart",),
        ),
        Example(
            "report",
            "A document with the chart in its text: a page, a PDF, slides.",
            "vis",
            "docs",
            "d",
            "example-report",
            {"name": "Report of the spring", "summary": "An example: text with a chart", "content": REPORT},
            ("chart",),
        ),
        Example(
            "letter",
            "The draft of a mail. It is sent to nobody before you say so.",
            "vis",
            "mails",
            "m",
            "example-letter",
            {
                "name": "Letter of the spring",
                "summary": "An example: a draft, sent to nobody",
                "config/subject": "Counts of the spring",
                "content": LETTER,
            },
            ("chart",),
        ),
    )
}


def make(request: PageRequest, example: Example) -> Path:
    """Make an example of the caller's, and what it shows; its page. One that is there stays as it is."""
    me = request.caller.name or ""
    for word in example.shows:
        make(request, EXAMPLES[word])
    at = API / ("users", me, example.family, example.folder, example.name)
    try:
        request.call(Verb.CREATE, at)
    except Conflict:
        pass
    else:
        for rel, text in example.texts.items():
            request.call(Verb.WRITE, at / rel.split("/"), TextBody(text))
    return Path(("u", me, example.letter, example.name))
