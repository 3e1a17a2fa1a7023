"""Everything that drawings say in words of Curlew's own is known in all languages."""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

HANDLERS = Path(__file__).parents[2] / "handlers"
WORDS = json.loads((HANDLERS / "words" / "words.json").read_text("utf-8"))
LANGUAGES = {"de", "fr", "es", "it", "nl", "pt", "no", "sv", "pl", "ja", "zh"}
DRAWN = sorted((HANDLERS / "render").rglob("*.py"))
SAID = {"say": 0, "translate": 0, "show": 0, "KeyEntry": 2}
"""Functions that take words which a reader sees, and the argument that these are."""
CHARTS = ("types", "charts", "composed")
"""Packages in which `notes` stand below the picture; elsewhere they are for the log."""
ANY = "{}"


def texts_of(node: ast.expr) -> list[str]:
    """All texts that an expression may be, with {} for numbers and names; none that begins in a variable."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp():
            return [*texts_of(node.body), *texts_of(node.orelse)]
        case ast.JoinedStr():
            return ["".join(parts) for parts in itertools.product(*map(texts_of, node.values))]
        case ast.FormattedValue(value=ast.IfExp() | ast.Call(func=ast.Name(id="count_words")) as inner):
            return texts_of(inner)
        case ast.FormattedValue():
            return [ANY]
        case ast.Call(func=ast.Name(id="count_words"), args=[_, *words]):
            one, *verbs = (texts_of(word)[0] for word in words)
            verb, several = verbs or ("is", "are")
            return [f"{ANY} {one} {verb}", f"{ANY} {one}s {several}"]
        case ast.Tuple() | ast.List():
            return [text for one in node.elts for text in texts_of(one)]
        case ast.Call(func=ast.Name(id="tuple"), args=[one]) | ast.Starred(value=one):
            return texts_of(one)
    return []


def is_words(text: str) -> bool:
    return any(sign.isalpha() for sign in text.replace(ANY, "").replace("%s", ""))


def said(path: Path) -> Iterator[tuple[int, str]]:
    """The words that a module has said, with their lines."""
    in_chart = not set(CHARTS).isdisjoint(path.parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += node.args[SAID[name] : SAID[name] + 1] if name in SAID else []
            found += [
                one.value for one in node.keywords if one.arg == "noun" or (in_chart and one.arg == "notes")
            ]
        elif (
            isinstance(node, ast.Return)
            and path.name == "row_box.py"
            and isinstance(node.value, ast.IfExp | ast.Tuple)
        ) or (isinstance(node, ast.Assign) and in_chart and getattr(node.targets[0], "id", "") == "notes"):
            found.append(node.value)
        yield from ((one.lineno, text) for one in found for text in texts_of(one) if is_words(text))


def is_known(text: str) -> bool:
    """Whether a text, or each of its parts between colons, is in all languages."""
    text = text.replace('"{}"', ANY)
    whole = WORDS.get(text)
    parts = [part for part in text.split(": ") if is_words(part)]
    of_parts = [WORDS.get(part) or WORDS.get(part.removesuffix(".")) for part in parts]
    known = [whole] if whole or ": " not in text else of_parts
    return all(one is not None and one.keys() >= LANGUAGES for one in known)


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: "/".join(path.parts[-2:]))
def test_words_of_drawings_are_known_in_all_languages(path: Path) -> None:
    assert [f"line {line}: {text}" for line, text in said(path) if not is_known(text)] == []
