"""The generated parts of the manual, between their markers, and the golden list of the API.

`python -m tests.kit.generated --write` (`make readme`) renews them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path

from handlers.reference.outline import golden
from handlers.security.events import EVENTS
from handlers.settings.quantities import quantity_text
from handlers.settings.settings import Settings
from handlers.settings.sources import PREFIX
from handlers.trees import ROOT as TREE
from vfs.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
TEXTS = ROOT / "handlers" / "reference" / "text"
DOCUMENTS = (README, *sorted(TEXTS.glob("*.md")))
API = ROOT / "tests" / "shape" / "api.txt"
LANGUAGES = {".py": "python", ".sh": "sh", ".toml": "toml"}

PART = re.compile(r"(?<=<!-- begin )(\w+) ?(\S*)( -->\n)(.*?)(?=<!-- end \1 -->)", re.DOTALL)
TEMPLATE = re.compile(r"\S*<[^>]*>[^\s,]*")


def api() -> str:
    """The golden list of every path, with its verbs, their rules and what it is."""
    return golden(Tree(TREE))


def file(argument: str, now: str) -> str:
    """A file as it is, in a block of its language."""
    language = LANGUAGES.get(Path(argument).suffix, "text")
    return f"```{language}\n{(ROOT / argument).read_text()}```\n"


def settings(argument: str, now: str) -> str:
    """The table of the settings, from their fields."""
    rows = [
        f"| `{PREFIX}{field.name.upper()}` | {_default(field)} | {field.metadata['about']} |"
        for field in fields(Settings)
    ]
    return "\n".join(["| variable | default | what it is for |", "|---|---|---|", *rows]) + "\n"


def _default(field: Field[object]) -> str:
    if field.default == "":
        return TEMPLATE.sub(r"`\g<0>`", field.metadata["unset"] or "none")
    if field.metadata["unit"] and isinstance(field.default, int | float):
        return f"`{quantity_text(field.default, field.metadata['unit'])}`"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def events(argument: str, now: str) -> str:
    """The table of the events of the security log, from their declaration."""
    rows = [f"| `{event.name}` | {event.about} |" for event in EVENTS]
    return "\n".join(["| event | what happened |", "|---|---|", *rows]) + "\n"


PARTS: dict[str, Callable[[str, str], str]] = {
    "events": events,
    "file": file,
    "settings": settings,
}


def renewed(text: str, **makers: Callable[[str, str], str]) -> str:
    """A text with its generated parts made again, by PARTS or by `makers` (of the bench's table)."""
    known = {**PARTS, **makers}

    def renew(found: re.Match[str]) -> str:
        name, argument, close, now = found.groups()
        made = known[name](argument, now) if name in known else now
        return f"{name}{' ' if argument else ''}{argument}{close}{made}"

    return PART.sub(renew, text)


if __name__ == "__main__" and "--write" in sys.argv:
    API.write_text(api())
    for document in DOCUMENTS:
        document.write_text(renewed(document.read_text()))
