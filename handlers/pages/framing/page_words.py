"""Refusals in words for pages: labels in place of files, words in place of verbs of HTTP and of letters.

The API's sentences are for programs and terminals, which see files. What differs on pages is in
`sentences.toml`; all refusals that a page shows pass here.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from handlers.rules.kinds import LETTER_WORDS

FILE = re.compile(
    r"(?<![\w/\"“.-])(?:config|recipients|options|profile)(?:/[a-z0-9_]++)++(?![\w/])|^[a-z]++(?=: )"
)
LETTERS = re.compile(r"\bshare (it|them) with ([rwxd]{1,4}+)(?![\w/])")
ACCESS = re.compile(r" \([rwxd]\)")


@cache
def sentences() -> dict[str, Any]:
    """Return the sentences of pages: on the results of forms by their keys, and the tables of others."""
    return tomllib.loads(files("handlers.pages").joinpath("sentences.toml").read_text("utf-8"))


def label_of(file: str) -> str:
    """Return the label of a file of an item: that of its field, or the words of its name."""
    label: str | None = sentences()["labels"].get(file)
    return label or file.rpartition("/")[2].replace("_", " ").capitalize()


def page_words(text: str) -> str:
    """Return a refusal in words for pages."""
    for said, shown in sentences()["in pages"].items():
        text = text.replace(said, shown)
    text = LETTERS.sub(lambda found: f"let you {_words_of(found[2])} {found[1]}", text)
    return FILE.sub(_label, ACCESS.sub("", text))


def _words_of(letters: str) -> str:
    return " and ".join(LETTER_WORDS[letter] for letter in letters)


def _label(found: re.Match[str]) -> str:
    is_file = "/" in found[0] or found[0] in sentences()["labels"]
    return label_of(found[0]) if is_file else found[0]
