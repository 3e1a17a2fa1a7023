"""Commands of a Dockerfile in shell form below SHELL, which builders run by /bin/sh all the same."""

from __future__ import annotations

import json

from chains.builds.recipe_words import escape_of, instructions

COMMANDS = ("CMD", "ENTRYPOINT")


def spell_out_shells(text: str) -> str:
    """The recipe with each CMD and ENTRYPOINT in shell form, where SHELL holds, as a list with that shell."""
    shells: dict[str, list[str]] = {}
    shell, stage = list[str](), ""
    edits: list[tuple[int, int, str]] = []
    for words in instructions(text):
        keyword, rest = words[0].text.upper(), [word.text for word in words[1:]]
        if keyword == "FROM":
            names = [word for word in rest if not word.startswith("--")]
            shell = shells.get(names[0].lower(), []) if names else []
            stage = names[2].lower() if len(names) > 2 else ""
        elif keyword == "SHELL":
            shell = _list(" ".join(rest)) or []
        elif keyword in COMMANDS and rest and shell and _list(" ".join(rest)) is None:
            start, end = words[0].start, words[-1].start + len(words[-1].text)
            command = _join_lines(text[words[1].start : end], escape_of(text))
            edits.append((start, end, f"{keyword} {json.dumps([*shell, command])}"))
        shells[stage] = shell
    for start, end, command in reversed(edits):
        text = text[:start] + command + text[end:]
    return text


def _list(text: str) -> list[str] | None:
    """The words of a command in the form of a JSON list; None where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else None


def _join_lines(text: str, escape: str) -> str:
    """A command without its continuations and the comments between them."""
    first, *more = text.split("\n")
    lines = [first, *(line for line in more if not line.lstrip().startswith("#"))]
    whole = [line.rstrip().removesuffix(escape) for line in lines[:-1]]
    return "".join([*whole, *lines[-1:]])
