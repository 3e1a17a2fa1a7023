"""Examples of things, each made with one click: to be looked at, changed and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handlers.pages.forms import Json
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
PROGRAM = '''"""Counts the words of all files in /input, and leaves a table in /output."""

import collections
import pathlib
import re

words = collections.Counter()
for file in pathlib.Path("/input").iterdir():
    words.update(re.findall(r"[^\\W\\d_]+", file.read_text(errors="replace").lower()))
lines = [f"{word},{times}\\n" for word, times in words.most_common(20)]
pathlib.Path("/output/words.csv").write_text("word,times\\n" + "".join(lines))
print(f"{words.total()} words")
'''
BEGUN = "An example to begin with"
README = """# Counter of words

`main.py` finds its input in `/input` and leaves its output in `/output`: a program of a job has nothing
else to do. Clone this repo, change it and push: the image is built anew.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Something to begin with: where its kind is, its name, its texts, and the examples that it shows.

    `pushed` are files that are committed to it.
    """

    word: str
    says: str
    family: str
    folder: str
    letter: str
    name: str
    texts: Mapping[str, str]
    shows: Sequence[str] = field(default_factory=tuple)
    pushed: Mapping[str, str] = field(default_factory=dict)


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
        Example(
            "program",
            "A repo with a few lines of Python that count words. Its image is built within a minute.",
            "code",
            "repos",
            "r",
            "example-words",
            {"name": "Counter of words", "summary": "An example: a program that a job runs"},
            pushed={"main.py": PROGRAM, "README.md": README},
        ),
        Example(
            "job",
            "A job that runs the program with a file of yours and answers a table.",
            "code",
            "jobs",
            "j",
            "example-count",
            {
                "name": "Count of words",
                "summary": "An example: run it with a text, and look at its result",
                "config/chains": "example-words",
            },
            ("program",),
        ),
        Example(
            "folder",
            "A space, which is a folder of files: put some there, and jobs may use them.",
            "code",
            "spaces",
            "s",
            "example-folder",
            {
                "name": "Notes of the spring",
                "summary": "An example: a folder of files",
                "content/notes.md": "# Notes\n\nUpload something beside this file, or change it.\n",
            },
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
        if example.pushed:
            changes = [{"path": path, "text": text} for path, text in example.pushed.items()]
            request.call(Verb.WRITE, at / "commit", Json({"message": BEGUN, "changes": changes}))
    return Path(("u", me, example.letter, example.name))
