"""Error messages for pages: labels instead of files, words instead of HTTP methods and letters.

The API's messages are for programs and terminals, which see files. The replacements for pages are in
`sentences.toml`; all error messages that a page shows pass through this module.
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
    """Return the sentences of pages: results of forms by their keys, and the tables of replacements."""
    return tomllib.loads(files("handlers.pages").joinpath("sentences.toml").read_text("utf-8"))


def label_of(file: str) -> str:
    """Return the label of an item's file: that of its field, or the words of its name."""
    label: str | None = sentences()["labels"].get(file)
    return label or file.rpartition("/")[2].replace("_", " ").capitalize()


def page_words(text: str) -> str:
    """Return an error message in words for pages."""
    for said, shown in sentences()["in pages"].items():
        text = text.replace(said, shown)
    text = LETTERS.sub(lambda found: f"let you {_words_of(found[2])} {found[1]}", text)
    return FILE.sub(_label, ACCESS.sub("", text))


def _words_of(letters: str) -> str:
    return " and ".join(LETTER_WORDS[letter] for letter in letters)


def _label(found: re.Match[str]) -> str:
    is_file = "/" in found[0] or found[0] in sentences()["labels"]
    return label_of(found[0]) if is_file else found[0]
