"""The generated parts of the manual, between their markers, and the golden list of the API.

`python -m tests.kit.generated --write` (`make readme`) renews them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from handlers.reference.outline import golden
from handlers.settings import PREFIX, Settings
from handlers.trees import ROOT as TREE
from vfs.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
TEXTS = ROOT / "handlers" / "reference" / "text"
DOCUMENTS = (README, *sorted(TEXTS.glob("*.md")))
API = ROOT / "tests" / "shape" / "api.txt"

PART = re.compile(r"(?<=<!-- begin )(\w+) ?(\S*)( -->\n)(.*?)(?=<!-- end \1 -->)", re.DOTALL)
ROW = re.compile(r"^\| `CURLEW_(\w+)` \| .* \| (.*) \|$", re.MULTILINE)
TEMPLATE = re.compile(r"\S*<[^>]*>[^\s,]*")
STANDS_FOR = re.compile(r'^    (\w+): str = ""  # (.+)$', re.MULTILINE)


def api() -> str:
    """The golden list of every path, with its verbs, their rules and what it is."""
    return golden(Tree(TREE))


def file(argument: str, now: str) -> str:
    """A source file as it is."""
    return f"```python\n{(ROOT / argument).read_text()}```\n"


def settings(argument: str, now: str) -> str:
    """The table of the settings: names and defaults from the program, what each is for as it stands."""
    said = dict(ROW.findall(now))
    rows = [
        f"| `{PREFIX}{field.name.upper()}` | {_default(field.name, field.default)} "
        f"| {said.get(field.name.upper(), '')} |"
        for field in fields(Settings)
    ]
    return "\n".join(["| variable | default | what it is for |", "|---|---|---|", *rows]) + "\n"


def _default(name: str, value: object) -> str:
    stands_for = dict(STANDS_FOR.findall((ROOT / "handlers" / "settings.py").read_text()))
    if value == "":
        return TEMPLATE.sub(r"`\g<0>`", stands_for.get(name, "none"))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


PARTS: dict[str, Callable[[str, str], str]] = {"file": file, "settings": settings}


def renewed(text: str, **parts: str) -> str:
    """A text with its generated parts made anew; `parts` are given by their maker (the bench's table)."""

    def renew(found: re.Match[str]) -> str:
        name, argument, close, now = found.groups()
        made = parts[name] if name in parts else PARTS[name](argument, now) if name in PARTS else now
        return f"{name}{' ' if argument else ''}{argument}{close}{made}"

    return PART.sub(renew, text)


if __name__ == "__main__" and "--write" in sys.argv:
    API.write_text(api())
    for document in DOCUMENTS:
        document.write_text(renewed(document.read_text()))
